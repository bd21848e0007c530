/**
 * Decides which files and folders the tools may access. Paths come from a model and are never trusted: a path is checked
 * after every symbolic link is resolved. Names are compared as the most lenient file system would, on every system.
 */

import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { getErrorCode, projectFolderName } from '../../../core/lib/index.js';
import { ToolError } from '../../define/index.js';

/** Rejects zero bytes before Node does, with a message for the model. */
export const pathSchema = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'a path must not contain zero bytes');

export interface Root {
  /** The root of the definition, as an absolute path. */
  readonly path: string;
  /** Folded names of files and folders that the tools ignore, at any depth. */
  readonly ignored: ReadonlySet<string>;
}

export interface Place {
  /** The path without links. `openFile` and `openDirectory` open it and follow no link created since. */
  readonly real: string;
  /** From the root, with `/`, with the links that the model wrote. */
  readonly shown: string;
  readonly kind: 'file' | 'directory';
}

/**
 * Finds a path that a model wrote. Null if it does not exist.
 *
 * @throws {ToolError} for a path outside the root, or an ignored one
 */
export async function findPlace(root: Root, path: string): Promise<Place | null> {
  const top = await resolveRoot(root);
  const target = resolve(top, path);
  const relativePath = toRelativePath(top, target);
  if (relativePath === null) throw createOutsideError(path);
  rejectIgnored(root, relativePath);
  const real = await readOrNull(path, () => realpath(target));
  if (real === null) {
    // Throws if a parent leads outside: whether a file exists there is not for the model either.
    if (relativePath !== '') await findPlace(root, dirname(relativePath));
    return null;
  }
  const reallyShown = toRelativePath(top, real);
  if (reallyShown === null) throw createOutsideError(path);
  rejectIgnored(root, reallyShown);
  const stats = await readOrNull(path, () => stat(real));
  if (stats === null) return null;
  if (stats.isDirectory()) return { real, shown: relativePath === '' ? '.' : relativePath, kind: 'directory' };
  // Reading from a pipe or a device may never end.
  if (!stats.isFile()) throw new ToolError(`${path} is neither a file nor a directory. Choose another path.`);
  return { real, shown: relativePath, kind: 'file' };
}

/** @throws {ToolError} a fatal one: no other path helps */
async function resolveRoot(root: Root): Promise<string> {
  try {
    return await realpath(root.path);
  } catch (cause) {
    throw new ToolError(`The folder of this tool does not exist on the worker (${describeErrorCode(cause)}).`, {
      fatal: true,
      cause,
    });
  }
}

/** Returns the path from `top` with `/`: `''` for `top` itself, null for a path outside. */
export function toRelativePath(top: string, path: string): string | null {
  const from = relative(top, path);
  // On Windows, another drive has no relative path.
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) return null;
  return from.split(sep).join('/');
}

export function isIgnored(root: Root, name: string): boolean {
  return root.ignored.has(foldName(name));
}

function rejectIgnored(root: Root, relativePath: string): void {
  const name = relativePath.split('/').find((part) => isIgnored(root, part));
  if (name !== undefined)
    throw new ToolError(`${relativePath} is left out: files and folders named ${name} cannot be read or written here.`);
}

const createOutsideError = (path: string) =>
  new ToolError(`${path} is outside of the folder. Write a path from its top, such as src/index.ts; "." is the top.`);

/** Null for a missing path. Replaces Node's messages: they contain absolute paths, which are not for the model. */
async function readOrNull<T>(path: string, look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (cause) {
    const code = describeErrorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw new ToolError(`${JSON.stringify(path)} cannot be read (${code}). Choose another path.`, { cause });
  }
}

export function describeErrorCode(error: unknown): string {
  return getErrorCode(error) || 'unknown error';
}

/** Characters that HFS+ ignores when it compares names. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Returns the form in which all spellings of a file's name are equal.
 *
 * An ignored name must remain ignored in every spelling: `.GIT` on macOS; `.git.`, `.git::$INDEX_ALLOCATION` and the
 * short names `GIT~1` and `LONGHA~1` on Windows.
 */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFC')
    .replace(ignoredCharacters, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  if (/^git~\d+$/.test(folded)) return '.git';
  if (/^longha~\d+$/.test(folded)) return projectFolderName;
  return folded === '' ? name : folded;
}
