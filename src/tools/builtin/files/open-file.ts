/**
 * Opens a resolved path and verifies the handle: another process may replace a folder by a link in between.
 *
 * Linux reports the path of an open handle, so the check is exact, and files are created relative to a folder's handle.
 * Elsewhere the path is resolved again and compared with the handle: two swaps within two system calls can still redirect
 * a read or a rename, and a write may leave an empty file at the link's target.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Attempts at a file that is replaced while it is opened. */
const maxAttempts = 5;
// Windows lacks these flags; creating links there needs a privilege.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants;

/** Opens a regular file for reading. @param real a path without links @throws {NodeJS.ErrnoException} */
export async function openFile(real: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    // A pipe that replaced the file must not block.
    const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if ((await isOpenedAt(handle, real)) && (await handle.stat()).isFile()) return handle;
      if (attempt === maxAttempts) throw createMovedError(real);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
  }
}

export interface Directory {
  /** Returns the path of an entry of exactly this folder. */
  readonly at: (name: string) => string;
  /** Creates a new file, and verifies that it is in this folder before anything is written. */
  readonly create: (name: string, mode?: number) => Promise<FileHandle>;
  readonly close: () => Promise<void>;
}

/** Opens a folder to list it or to change its entries. @param real a path without links @throws {NodeJS.ErrnoException} */
export async function openDirectory(real: string): Promise<Directory> {
  if (process.platform === 'win32') {
    if ((await realpath(real)) !== real) throw createMovedError(real);
    return { ...createEntryAccess(real, real), close: async () => {} };
  }
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    if (!(await isOpenedAt(handle, real))) throw createMovedError(real);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = (await findHandleTarget(handle)) === null ? real : getHandlePath(handle);
  return { ...createEntryAccess(real, base), close: () => handle.close() };
}

/** @param base the path to reach entries by: the handle's, if the system has one */
function createEntryAccess(real: string, base: string): Pick<Directory, 'at' | 'create'> {
  const at = (name: string) => join(base, name);
  const create = async (name: string, mode?: number) => {
    const handle = await open(at(name), 'wx', mode);
    try {
      if (await isOpenedAt(handle, join(real, name))) return handle;
      throw createMovedError(real);
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
  return { at, create };
}

async function isOpenedAt(handle: FileHandle, real: string): Promise<boolean> {
  const link = await findHandleTarget(handle);
  if (link !== null) return link === real;
  const [opened, there, path] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(real, { bigint: true }),
    realpath(real),
  ]);
  return path === real && opened.dev === there.dev && opened.ino === there.ino;
}

const getHandlePath = ({ fd }: FileHandle) => `/proc/self/fd/${fd}`;

/** Returns the path of the handle; null if the system does not report it. */
async function findHandleTarget(handle: FileHandle): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  return readlink(getHandlePath(handle)).catch(() => null);
}

function createMovedError(real: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ELOOP: ${real} changed while it was opened`), { code: 'ELOOP' });
}
