/**
 * Text files as a whole: where one may be written, how it is read to be changed, and how it is replaced.
 *
 * 1. A file is written below the root, whatever links the way there has (see `tools/builtin/files/root.ts`), and nowhere that is left out.
 *    Paths come from a model, so they are never trusted.
 * 2. A text is read exactly as it is, or not at all.
 * 3. A reader finds the old text or the new one, and never a part.
 */

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Directory, openDirectory, openFile } from '../../tools/builtin/files/open-file.js';
import { findPlace, getErrorCode, type Place, type Root } from '../../tools/builtin/files/root.js';
import { ToolError } from '../../tools/define/errors.js';

interface WriteTarget {
  /** Where it really is, or would be. */
  readonly real: string;
  /** From the root, with `/`. */
  readonly shown: string;
  readonly exists: boolean;
}

/** @throws {ToolError} for what lies outside of the root, is left out, or is no place for a file */
export async function resolveTarget(root: Root, path: string): Promise<WriteTarget> {
  const there = await findPlace(root, path);
  if (there?.kind === 'file') return { ...there, exists: true };
  if (there !== null)
    throw new ToolError(`${there.shown} is a directory: name a file in it, like ${there.shown}/new.ts.`);
  const top = await findPlace(root, '.');
  const asked = resolve(top?.real ?? root.path, path);
  const above = await findNearestParent(root, asked);
  if (above.place.kind === 'file') throw new ToolError(`${above.place.shown} is a file, so nothing can lie in it.`);
  const missing = relative(above.asked, asked).split(sep);
  await rejectDanglingLink(join(above.place.real, missing[0] ?? ''), path);
  const shown = relative(top?.real ?? root.path, asked)
    .split(sep)
    .join('/');
  return { real: join(above.place.real, ...missing), shown, exists: false };
}

async function findNearestParent(root: Root, path: string): Promise<{ readonly place: Place; readonly asked: string }> {
  for (let asked = dirname(path); ; asked = dirname(asked)) {
    const place = await findPlace(root, asked);
    if (place !== null) return { place, asked };
  }
}

/** What is written through a link that leads nowhere is made where it points to: outside, for all that is known. */
async function rejectDanglingLink(real: string, path: string): Promise<void> {
  const there = await lstat(real).catch(() => null);
  if (there !== null) throw new ToolError(`${path} is a link that leads nowhere: write to another path.`);
}

const maxFileBytes = 5_000_000;

/** @throws {ToolError} for what is no text, or too long to hold */
export async function readTextFile(real: string, shown: string): Promise<string> {
  const bytes = await readBytes(real, shown);
  if (bytes.includes(0)) throw new ToolError(`${shown} is a binary file, which has no text to change.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Written back, what could not be read would be lost.
    throw new ToolError(`${shown} is not written in UTF-8, so it cannot be changed here.`, { cause });
  }
}

async function readBytes(real: string, shown: string): Promise<Buffer> {
  try {
    const file = await openFile(real);
    try {
      if ((await file.stat()).size <= maxFileBytes) return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new ToolError(`${shown} cannot be read (${getErrorCode(cause)}): choose another file.`, { cause });
  }
  throw new ToolError(`${shown} has more than ${maxFileBytes} bytes, too many to change it here.`);
}

/** Makes missing folders; an existing file keeps its permissions, but never setuid, setgid or sticky. @throws {ToolError} */
export async function writeTextFile({ real, shown }: WriteTarget, text: string): Promise<void> {
  try {
    const directory = await openOrCreateDirectory(dirname(real));
    try {
      await replaceFile(directory, basename(real), text);
    } finally {
      await directory.close();
    }
  } catch (cause) {
    // Node's own messages hold absolute paths, which are not for the model.
    throw new ToolError(`${shown} cannot be written (${getErrorCode(cause)}): write to another path.`, { cause });
  }
}

async function openOrCreateDirectory(real: string): Promise<Directory> {
  try {
    return await openDirectory(real);
  } catch (cause) {
    if (getErrorCode(cause) !== 'ENOENT') throw cause;
  }
  const above = await openOrCreateDirectory(dirname(real));
  try {
    await mkdir(above.at(basename(real))).catch((cause: unknown) => {
      // A parallel call made it.
      if (getErrorCode(cause) !== 'EEXIST') throw cause;
    });
  } finally {
    await above.close();
  }
  return openDirectory(real);
}

async function replaceFile(directory: Directory, name: string, text: string): Promise<void> {
  const beside = `.${name.slice(0, 50)}.${randomUUID()}`;
  try {
    const mode = await readMode(directory.at(name));
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
async function readMode(path: string): Promise<number | null> {
  const there = await lstat(path).catch(() => null);
  return there?.isFile() ? there.mode & 0o777 : null;
}
