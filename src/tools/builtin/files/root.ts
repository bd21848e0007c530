/**
 * The one place that decides what of a disk the tools may touch. Paths come from a model, so they are never trusted: the
 * place that counts is the one to which a path really leads, after every symbolic link. Names are compared as the most
 * lenient file system would, so that one rule holds on every system.
 */

import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { ToolError } from '../../define/errors.js';

/** Node refuses zero bytes in paths with an error of its own. */
export const pathSchema = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'a path has no zero bytes');

export interface Root {
  /** As the definition has it, made absolute. */
  readonly path: string;
  /** Folded names of files and folders that do not exist for the tools, wherever they lie. */
  readonly ignored: ReadonlySet<string>;
}

export interface Place {
  /** Where it really is. `openFile` and `openDirectory` open this, and follow no link that was put there since. */
  readonly real: string;
  /** From the root, with `/`, along the links that the model wrote. */
  readonly shown: string;
  readonly kind: 'file' | 'directory';
}

/**
 * Finds a path that a model wrote. Null if nothing is there.
 *
 * @throws {ToolError} for what lies outside of the root, or is left out
 */
export async function findPlace(root: Root, path: string): Promise<Place | null> {
  const top = await resolveRoot(root);
  const asked = resolve(top, path);
  const shown = toRelativePath(top, asked);
  if (shown === null) throw createOutsideError(path);
  rejectIgnored(root, shown);
  const real = await readOrNull(path, () => realpath(asked));
  if (real === null) {
    // Throws if the way there leads outside: what is missing there is not to be told either.
    if (shown !== '') await findPlace(root, dirname(shown));
    return null;
  }
  const reallyShown = toRelativePath(top, real);
  if (reallyShown === null) throw createOutsideError(path);
  rejectIgnored(root, reallyShown);
  const stats = await readOrNull(path, () => stat(real));
  if (stats === null) return null;
  if (stats.isDirectory()) return { real, shown: shown === '' ? '.' : shown, kind: 'directory' };
  // Reading from a pipe or a device may never end.
  if (!stats.isFile()) throw new ToolError(`${path} is neither a file nor a directory: choose another one.`);
  return { real, shown, kind: 'file' };
}

/** @throws {ToolError} a fatal one: no other path will help the model */
async function resolveRoot(root: Root): Promise<string> {
  try {
    return await realpath(root.path);
  } catch (cause) {
    throw new ToolError(`The folder that this tool works in does not exist on the worker (${getErrorCode(cause)}).`, {
      fatal: true,
      cause,
    });
  }
}

/** The path from `top` with `/`; `''` for itself, null for what is not inside. */
export function toRelativePath(top: string, path: string): string | null {
  const from = relative(top, path);
  // On Windows, another drive has no relative path.
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) return null;
  return from.split(sep).join('/');
}

export function isIgnored(root: Root, name: string): boolean {
  return root.ignored.has(foldName(name));
}

function rejectIgnored(root: Root, shown: string): void {
  const name = shown.split('/').find((part) => isIgnored(root, part));
  if (name !== undefined)
    throw new ToolError(`${shown} is left out: nothing named ${name} can be read or written here.`);
}

const createOutsideError = (path: string) =>
  new ToolError(
    `${path} is outside of the folder that you may work in. Write a path from its top, like src/index.ts; "." is the top.`,
  );

/** Null for what is not there. Node's own messages hold absolute paths, which are not for the model. */
async function readOrNull<T>(path: string, look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (cause) {
    const code = getErrorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw new ToolError(`${JSON.stringify(path)} cannot be read (${code}): choose another one.`, { cause });
  }
}

export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Characters that HFS+ leaves out when it compares names. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Returns the form in which two names of one file are equal.
 *
 * A name that is left out must stay so under every spelling: `.GIT` on macOS; `.git.`, `.git::$INDEX_ALLOCATION` and the
 * short name `GIT~1` on Windows.
 */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFC')
    .replace(ignoredCharacters, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  if (/^git~\d+$/.test(folded)) return '.git';
  return folded === '' ? name : folded;
}
