/**
 * Reads and replaces whole text files below the root.
 *
 * 1. Files are written only below the root, regardless of links (see `tools/builtin/files/root.ts`), and never to ignored
 *    paths. Paths come from a model and are not trusted.
 * 2. A text is read exactly, or not at all.
 * 3. Replacement is atomic: a reader sees the old text or the new one.
 */

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { getErrorCode } from '../../core/lib/index.js';
import {
  type Directory,
  describeErrorCode,
  findPlace,
  openDirectory,
  openFile,
  type Place,
  type Root,
} from '../../tools/builtin/index.js';
import { ToolError } from '../../tools/define/index.js';

interface WriteTarget {
  /** Its real path, also before it exists. */
  readonly real: string;
  /** From the root, with `/`. */
  readonly shown: string;
  readonly exists: boolean;
}

/** @throws {ToolError} for a path that is outside of the root, ignored, or cannot be a file */
export async function resolveTarget(root: Root, path: string): Promise<WriteTarget> {
  const there = await findPlace(root, path);
  if (there?.kind === 'file') return { ...there, exists: true };
  if (there !== null)
    throw new ToolError(`${there.shown} is a directory. Name a file in it, for example ${there.shown}/new.ts.`);
  const top = await findPlace(root, '.');
  const target = resolve(top?.real ?? root.path, path);
  const above = await findNearestParent(root, target);
  if (above.place.kind === 'file')
    throw new ToolError(`${above.place.shown} is a file and cannot contain other files. Choose another path.`);
  const missing = relative(above.path, target).split(sep);
  await rejectDanglingLink(join(above.place.real, missing[0] ?? ''), path);
  const shown = relative(top?.real ?? root.path, target)
    .split(sep)
    .join('/');
  return { real: join(above.place.real, ...missing), shown, exists: false };
}

async function findNearestParent(root: Root, below: string): Promise<{ readonly place: Place; readonly path: string }> {
  for (let path = dirname(below); ; path = dirname(path)) {
    const place = await findPlace(root, path);
    if (place !== null) return { place, path };
  }
}

/** Rejects a dangling link: writing through it would create its target, which may be outside of the root. */
async function rejectDanglingLink(real: string, path: string): Promise<void> {
  const there = await lstat(real).catch(() => null);
  if (there !== null) throw new ToolError(`${path} is a dangling link. Write to another path.`);
}

const maxFileBytes = 5_000_000;

/** @throws {ToolError} for a file that is not a text, or is too large */
export async function readTextFile(real: string, place: string): Promise<string> {
  const bytes = await readBytes(real, place);
  if (bytes.includes(0))
    throw new ToolError(`${place} is a binary file and cannot be changed here. Choose a text file.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Bytes that cannot be decoded would be lost when the file is written.
    throw new ToolError(`${place} is not UTF-8 and cannot be changed here. Choose another file.`, { cause });
  }
}

async function readBytes(real: string, place: string): Promise<Buffer> {
  try {
    const file = await openFile(real);
    try {
      if ((await file.stat()).size <= maxFileBytes) return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new ToolError(`${place} cannot be read (${describeErrorCode(cause)}). Choose another file.`, { cause });
  }
  throw new ToolError(`${place} is larger than ${maxFileBytes} bytes and cannot be changed here. Choose another file.`);
}

/** Writes a file and creates missing folders. Keeps permissions except setuid, setgid and sticky. @throws {ToolError} */
export async function writeTextFile({ real, shown }: WriteTarget, text: string): Promise<void> {
  try {
    const directory = await openOrCreateDirectory(dirname(real));
    try {
      await replaceFile(directory, basename(real), text);
    } finally {
      await directory.close();
    }
  } catch (cause) {
    // Node's messages contain absolute paths, which the model must not see.
    throw new ToolError(`${shown} cannot be written (${describeErrorCode(cause)}). Write to another path.`, { cause });
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
      // A parallel call created it.
      if (getErrorCode(cause) !== 'EEXIST') throw cause;
    });
  } finally {
    await above.close();
  }
  return openDirectory(real);
}

async function replaceFile(directory: Directory, name: string, text: string): Promise<void> {
  const temporary = `.${name.slice(0, 50)}.${randomUUID()}`;
  try {
    const mode = await readMode(directory.at(name));
    // The temporary file has the permissions of the file from its creation.
    const file = await directory.create(temporary, mode ?? undefined);
    try {
      await file.writeFile(text);
      if (mode !== null) await file.chmod(mode);
    } finally {
      await file.close();
    }
    await rename(directory.at(temporary), directory.at(name));
  } catch (cause) {
    await rm(directory.at(temporary), { force: true }).catch(() => {});
    throw cause;
  }
}

/** Returns null without a file. Drops setuid and setgid: a model's text must not run with the rights of the owner. */
async function readMode(path: string): Promise<number | null> {
  const there = await lstat(path).catch(() => null);
  return there?.isFile() ? there.mode & 0o777 : null;
}
