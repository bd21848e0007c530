/** Puts a text into a file so that whoever reads it finds the old text or the new one, and never a part. */

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Directory, openDirectory } from '../../tools/builtin/files/open.js';
import { codeOf } from '../../tools/builtin/files/root.js';
import { ToolError } from '../../tools/define/errors.js';
import type { Target } from './target.js';

/** Makes missing folders; an existing file keeps its permissions, but never setuid, setgid or sticky. @throws {ToolError} */
export async function writeWhole({ real, shown }: Target, text: string): Promise<void> {
  try {
    const directory = await openOrMake(dirname(real));
    try {
      await replace(directory, basename(real), text);
    } finally {
      await directory.close();
    }
  } catch (cause) {
    // Node's own messages hold absolute paths, which are not for the model.
    throw new ToolError(`${shown} cannot be written (${codeOf(cause)}): write to another path.`, { cause });
  }
}

async function openOrMake(real: string): Promise<Directory> {
  try {
    return await openDirectory(real);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
  }
  const above = await openOrMake(dirname(real));
  try {
    await mkdir(above.at(basename(real))).catch((cause: unknown) => {
      // A parallel call made it.
      if (codeOf(cause) !== 'EEXIST') throw cause;
    });
  } finally {
    await above.close();
  }
  return openDirectory(real);
}

async function replace(directory: Directory, name: string, text: string): Promise<void> {
  const beside = `.${name.slice(0, 50)}.${randomUUID()}`;
  try {
    const mode = await modeOf(directory.at(name));
    // From the first moment nobody may read it who may not read the file.
    const file = await directory.create(beside, mode ?? undefined);
    try {
      await file.writeFile(text);
      if (mode !== null) await file.chmod(mode);
    } finally {
      await file.close();
    }
    await rename(directory.at(beside), directory.at(name));
  } catch (cause) {
    await rm(directory.at(beside), { force: true }).catch(() => {});
    throw cause;
  }
}

/** Null where there is no file. Text that a model wrote must not run with the rights of the file's owner. */
async function modeOf(path: string): Promise<number | null> {
  const there = await lstat(path).catch(() => null);
  return there?.isFile() ? there.mode & 0o777 : null;
}
