/**
 * Tells what of a disk lies in the tree that the agent works in: the model could write it, so Git must not take settings
 * from it and must not run it. What lies below a folder named `.git` is Git's own, and closed to the file tools.
 */

import { access, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, foldName, inside } from '../../../tools/builtin/files/root.js';

/** @param top the root, without links */
export async function isInTree(top: string, path: string): Promise<boolean> {
  const real = await leadsTo(path);
  return real === null || isBelow(top, path) || isBelow(top, real);
}

function isBelow(top: string, path: string): boolean {
  return (
    inside(top, path)
      ?.split('/')
      .every((name) => foldName(name) !== '.git') ?? false
  );
}

/** Where a path leads, also if nothing is there yet; null where that is uncertain. */
async function leadsTo(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(cause))) return null;
    const dangles = await lstat(path).then(
      () => true,
      () => false,
    );
    if (dangles) return null;
    const above = await leadsTo(dirname(path));
    return above === null ? null : join(above, basename(path));
  }
}

/** A path in Git's settings, made absolute. @param from the folder that it is relative to */
export function settledPath(from: string, path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(from, path);
}

/**
 * Whether a command line names a program or a script of the tree.
 *
 * It is a reading of the words, not of the shell: a program elsewhere that itself looks into the tree is not found.
 */
export async function runsFromTree(top: string, line: string, home?: string): Promise<boolean> {
  for (const word of line.split(/[\s'"`;&|()<>$={}!]+/)) {
    if (word === '' || word.includes('://')) continue;
    const path = settledPath(top, word, home);
    // A bare word is a program that is looked for elsewhere, unless it is the name of a script that is there.
    const named = word.includes('/') || (/\w\.\w/.test(word) && (await isThere(path)));
    if (named && (await isInTree(top, path))) return true;
  }
  return false;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
