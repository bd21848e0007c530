/**
 * Tells what of a disk lies in the tree that the agent works in: the model could write it, so Git must not take settings
 * from it and must not run it. What lies below a folder named `.git` is Git's own, and closed to the file tools.
 */

import { access, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { foldName, getErrorCode, toRelativePath } from '../../../tools/builtin/files/root.js';

/** @param top the root, without links */
export async function isInTree(top: string, path: string): Promise<boolean> {
  const real = await findRealPath(path);
  return real === null || isOwnFileBelow(top, path) || isOwnFileBelow(top, real);
}

function isOwnFileBelow(top: string, path: string): boolean {
  return (
    toRelativePath(top, path)
      ?.split('/')
      .every((name) => foldName(name) !== '.git') ?? false
  );
}

/** Where a path leads, also if nothing is there yet; null where that is uncertain. */
async function findRealPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR'].includes(getErrorCode(cause))) return null;
    const dangles = await lstat(path).then(
      () => true,
      () => false,
    );
    if (dangles) return null;
    const above = await findRealPath(dirname(path));
    return above === null ? null : join(above, basename(path));
  }
}

/** A path in Git's settings, made absolute. @param from the folder that it is relative to */
export function resolveSettingPath(from: string, path: string, home = homedir()): string {
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
    const path = resolveSettingPath(top, word, home);
    // A bare word is a program that is looked for elsewhere, unless it is the name of a script that is there.
    const named = word.includes('/') || (/\w\.\w/.test(word) && (await pathExists(path)));
    if (named && (await isInTree(top, path))) return true;
  }
  return false;
}

const pathExists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
