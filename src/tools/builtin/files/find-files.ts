/** Finds the files that a model means: the one that it names, with a hint where there is none, or all below a folder. */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../../define/errors.js';
import { openDirectory } from './open-file.js';
import { findPlace, isIgnored, type Place, type Root } from './root.js';

/** Files that are compared; in a bigger tree the model is sent to list_files. */
const maxComparedFiles = 10_000;
const maxSuggestions = 3;
/** Longer names are compared by their beginnings. */
const comparedCharacters = 64;

/** @throws {ToolError} if nothing is there, or something else */
export async function findFile(root: Root, path: string, signal: AbortSignal): Promise<Place> {
  const place = await findPlace(root, path);
  if (place === null) throw await createNotFoundError(root, 'file', path, signal);
  if (place.kind === 'file') return place;
  throw new ToolError(`${place.shown} is a directory: list it with list_files, and read one of its files.`);
}

/** @throws {ToolError} if nothing is there, or something else */
export async function findDirectory(root: Root, path: string, signal: AbortSignal): Promise<Place> {
  const place = await findPlace(root, path);
  if (place === null) throw await createNotFoundError(root, 'directory', path, signal);
  if (place.kind === 'directory') return place;
  throw new ToolError(`${place.shown} is a file, not a directory: read it with read_file.`);
}

/** @throws {ToolError} if nothing is there */
export async function findAny(root: Root, path: string, signal: AbortSignal): Promise<Place> {
  return (await findPlace(root, path)) ?? Promise.reject(await createNotFoundError(root, 'file', path, signal));
}

async function createNotFoundError(
  root: Root,
  kind: Place['kind'],
  path: string,
  signal: AbortSignal,
): Promise<ToolError> {
  const near = await findSimilarPaths(root, kind, path, signal);
  const help = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is with list_files.';
  return new ToolError(`There is no ${kind} ${path}. ${help}`);
}

async function findSimilarPaths(
  root: Root,
  kind: Place['kind'],
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const top = await findPlace(root, '.');
  if (top === null) return [];
  const paths = new Set<string>();
  for await (const file of walkFiles(root, top, signal)) {
    if (kind === 'file') paths.add(file.path);
    else
      for (let at = file.path.lastIndexOf('/'); at > 0; at = file.path.lastIndexOf('/', at - 1))
        paths.add(file.path.slice(0, at));
    if (paths.size >= maxComparedFiles) break;
  }
  const asked = getBaseName(path);
  const folders = new Set(path.split(/[\\/]/));
  return [...paths]
    .map((found) => ({ found, far: computeDistance(asked, getBaseName(found)) }))
    .filter(({ far }) => far <= asked.length / 2)
    .map(({ found, far }) => ({ found, far, shared: found.split('/').filter((part) => folders.has(part)).length }))
    .sort((a, b) => a.far - b.far || b.shared - a.shared)
    .slice(0, maxSuggestions)
    .map(({ found }) => found);
}

/** The last part, in lower case: a wrong folder or case is the usual slip. */
function getBaseName(path: string): string {
  return (
    path
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  )
    .toLowerCase()
    .slice(0, comparedCharacters);
}

/** Levenshtein's: characters to insert, leave out or change. */
function computeDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, above[j]! + 1, row[j - 1]! + 1));
    }
    above = row;
  }
  return above[b.length]!;
}

interface FileEntry {
  readonly real: string;
  /** From the root, with `/`. */
  readonly path: string;
}

/**
 * All files below a folder, in the order of their paths: the same for the same disk, on every system. Symbolic links are
 * not followed, so it neither leaves the root nor goes in circles; what they point to inside of it is found anyway.
 *
 * Without the ones that are ignored, and the folders that the worker may not read.
 */
export async function* walkFiles(root: Root, from: Place, signal: AbortSignal): AsyncGenerator<FileEntry> {
  // Its end is the next one.
  const waiting: (FileEntry & { readonly directory: boolean })[] = [
    { real: from.real, path: from.shown === '.' ? '' : from.shown, directory: true },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!next.directory) {
      yield { real: next.real, path: next.path };
      continue;
    }
    signal.throwIfAborted();
    for (const entry of (await readEntries(next.real)).sort(compareDescending)) {
      const directory = entry.isDirectory();
      if (isIgnored(root, entry.name) || (!directory && !entry.isFile())) continue;
      const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
      waiting.push({ real: join(next.real, entry.name), path, directory });
    }
  }
}

/** Whether a path has the extension that was asked for, with or without its dot. */
export function hasExtension(path: string, extension: string | undefined): boolean {
  return extension === undefined || path.endsWith(`.${extension.replace(/^\*?\./, '')}`);
}

// A folder stands where its contents do: `a/b` comes after `a.ts`, as in a sorted list of paths.
const toSortKey = (entry: Dirent) => (entry.isDirectory() ? `${entry.name}/` : entry.name);
const compareDescending = (a: Dirent, b: Dirent) => (toSortKey(a) < toSortKey(b) ? 1 : -1);

async function readEntries(directory: string): Promise<Dirent[]> {
  try {
    const opened = await openDirectory(directory);
    try {
      return await readdir(opened.at('.'), { withFileTypes: true });
    } finally {
      await opened.close();
    }
  } catch {
    // Not readable, or gone or moved since it was listed.
    return [];
  }
}
