/**
 * The folder `.longhand` of a project, beside the nearest `package.json` or `.git`.
 *
 * C1 Never in the home folder, which the projects of a user share.
 * C2 Git ignores the folder from its first moment: it has the content of chains.
 * C3 A link, or a folder of another user, is not used: its owner could read what is stored, or plant keys of the gateway in it.
 */

import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorCode, projectFolderName } from '../../core/lib/index.js';

const markers = ['package.json', '.git'];

/** Returns the folder, which need not exist; null outside a project. C1. */
export function findProjectFolder(from: string, home: string): string | null {
  const end = resolveLinks(home);
  for (let folder = resolveLinks(from); folder !== end; folder = dirname(folder)) {
    if (markers.some((name) => existsSync(join(folder, name)))) return join(folder, projectFolderName);
    if (dirname(folder) === folder) return null;
  }
  return null;
}

function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Returns why the folder cannot be used, or cannot be made; null if it can. Makes nothing. */
export function findObstacle(folder: string): string | null {
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isDirectory()) return `${folder} is not a folder`;
  // C3. Windows has no user ids.
  if (entry !== undefined && process.getuid !== undefined && entry.uid !== process.getuid())
    return `${folder} belongs to another user`;
  const needed = entry === undefined ? dirname(folder) : folder;
  return attempt(needed, () => accessSync(needed, constants.W_OK));
}

/** Makes the folder if it is missing. @returns why it cannot be made; null if it is there */
export function makeProjectFolder(folder: string): string | null {
  return attempt(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // C2. A file that is there is the user's.
    if (!existsSync(join(folder, '.gitignore'))) writeFileSync(join(folder, '.gitignore'), '*\n');
  });
}

function attempt(folder: string, work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return `${folder} cannot be written (${getErrorCode(error)})`;
  }
}
