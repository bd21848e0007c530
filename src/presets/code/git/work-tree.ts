/**
 * Finds whether a path is in the agent's tree. The model can write every file there, so Git must not use it as settings or
 * run it. Folders named `.git` belong to Git: the file tools cannot write them.
 */

import { access, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { getErrorCode } from '../../../core/lib/index.js';
import { foldName, toRelativePath } from '../../../tools/builtin/index.js';

/** @param top the real path of the root */
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

/** Returns the real path, also of a path that does not exist; null if it is uncertain. */
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

/** Makes a path in Git's settings absolute. @param from the folder that it is relative to */
export function resolveSettingPath(from: string, path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(from, path);
}

/**
 * Whether a command line names a program or a script of the tree.
 *
 * It checks words and does not interpret the shell: a program elsewhere that itself runs files of the tree is not found.
 */
export async function runsFromTree(top: string, line: string, home?: string): Promise<boolean> {
  for (const word of line.split(/[\s'"`;&|()<>$={}!]+/)) {
    if (word === '' || word.includes('://')) continue;
    const path = resolveSettingPath(top, word, home);
    // A bare word is a program in PATH, unless it is the name of a script in the tree.
    const isPath = word.includes('/') || (/\w\.\w/.test(word) && (await pathExists(path)));
    if (isPath && (await isInTree(top, path))) return true;
  }
  return false;
}

const pathExists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
