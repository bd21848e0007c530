/** Finds files for the tools: one by its path, with suggestions if it is missing, or all below a folder. */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { countEdits } from '../../../core/lib/index.js';
import { ToolError } from '../../define/index.js';
import { openDirectory } from './open-file.js';
import { findPlace, isIgnored, type Place, type Root } from './root.js';

/** Files that are compared for suggestions. */
const maxComparedFiles = 10_000;
const maxSuggestions = 3;
/** Longer names are compared by their first characters. */
const comparedCharacters = 64;

/** @throws {ToolError} if nothing is there, or something else */
export async function findFile(root: Root, path: string, signal: AbortSignal): Promise<Place> {
  const place = await findPlace(root, path);
  if (place === null) throw await createNotFoundError(root, 'file', path, signal);
  if (place.kind === 'file') return place;
  throw new ToolError(`${place.shown} is a directory. List it with list_files, then read one of its files.`);
}

/** @throws {ToolError} if nothing is there, or something else */
export async function findDirectory(root: Root, path: string, signal: AbortSignal): Promise<Place> {
  const place = await findPlace(root, path);
  if (place === null) throw await createNotFoundError(root, 'directory', path, signal);
  if (place.kind === 'directory') return place;
  throw new ToolError(`${place.shown} is a file, not a directory. Read it with read_file.`);
}

/** @throws {ToolError} if the path does not exist */
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
  const help = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'List the files with list_files.';
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
  const baseName = getBaseName(path);
  const folders = new Set(path.split(/[\\/]/));
  return [...paths]
    .map((other) => ({ other, far: countEdits(baseName, getBaseName(other)) }))
    .filter(({ far }) => far <= baseName.length / 2)
    .map(({ other, far }) => ({ other, far, shared: other.split('/').filter((part) => folders.has(part)).length }))
    .sort((a, b) => a.far - b.far || b.shared - a.shared)
    .slice(0, maxSuggestions)
    .map(({ other }) => other);
}

/** Returns the last part in lower case: a wrong folder or case is the usual mistake. */
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

interface FileEntry {
  readonly real: string;
  /** From the root, with `/`. */
  readonly path: string;
}

/**
 * Yields all files below a folder in the order of their paths, which is the same on every system.
 *
 * Symbolic links are not followed, so the walk neither leaves the root nor loops; a target inside the root is found by
 * its own path. Ignored names, and folders that the worker may not read, are skipped.
 */
export async function* walkFiles(root: Root, from: Place, signal: AbortSignal): AsyncGenerator<FileEntry> {
  // A stack: the last element is next.
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

/** Returns whether a path has the requested extension, which may begin with a dot. */
export function hasExtension(path: string, extension: string | undefined): boolean {
  return extension === undefined || path.endsWith(`.${extension.replace(/^\*?\./, '')}`);
}

// A folder sorts by its contents: `a/b` follows `a.ts`, as in a sorted list of paths.
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
    // Not readable, or removed or moved since it was listed.
    return [];
  }
}
