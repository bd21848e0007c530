/**
 * Stores bytes of contents as files, for many or large contents: `ab/<digest>.<id>`, so that `sha256sum` can check them.
 *
 * F1 A file of that name is complete and on the disk: it is written under another name, flushed, and moved.
 * F2 No two contents share a file, not even equal ones: removing one never removes what another writer has just stored.
 * F3 A folder belongs to one store, whose id it contains: the sweep of another store, which does not know its contents,
 *    removes nothing. Files with other names are never touched.
 */

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getErrorCode } from '../../core/lib/index.js';
import { StoreError } from '../db/errors.js';
import type { Store } from '../db/store.js';
import type { BlobBackend, BlobContent } from './blob-backend.js';

/** The folder of files that are being written. */
const unfinishedFolder = 'unfinished';

/** The file with the id of the store that owns the folder. */
const ownerFile = 'store-id';

const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const finishedPattern = new RegExp(`^[0-9a-f]{64}\\.${uuidPattern}$`);
const unfinishedPattern = new RegExp(`^${uuidPattern}$`);

/** @param at the folder; created if needed */
export function createFolderBackend(store: Store, at: string): BlobBackend {
  const folder = resolve(at);
  const pathOf = (id: string, digest: string) => {
    const hex = digest.replace('sha256:', '');
    return join(folder, hex.slice(0, 2), `${hex}.${id}`);
  };
  return {
    location: folder,
    write: async (id, pieces, digestOf) => {
      const draftPath = join(folder, unfinishedFolder, id);
      try {
        await mkdir(dirname(draftPath), { recursive: true, mode: 0o700 });
        await claimFolder(store, folder);
        await writeAndFlush(draftPath, pieces);
        const path = pathOf(id, digestOf());
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(draftPath, path);
        await flushFolder(dirname(path));
        return null;
      } catch (error) {
        await rm(draftPath, { force: true }).catch(() => undefined);
        throw toFolderError(error, folder);
      }
    },
    read: (id, digest) => readBlobFile(pathOf(id, digest), folder),
    remove: async (id, digest) => {
      await rm(digest === null ? join(folder, unfinishedFolder, id) : pathOf(id, digest), { force: true });
    },
    sweep: (before) => sweepFolder(store, folder, before),
  };
}

async function writeAndFlush(path: string, pieces: BlobContent): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new name is on the disk once its folder is flushed. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

async function* readBlobFile(path: string, folder: string): BlobContent {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw toFolderError(error, folder);
    const sentence = `The folder ${folder} of LONGHAND_BLOBS lacks a content that the store knows. Restore a copy of it.`;
    throw new StoreError('missing', sentence, error);
  }
}

/** A writer that died leaves a file without a row: before the row was created, or after it was deleted. */
async function sweepFolder(store: Store, folder: string, before: number): Promise<void> {
  const folders = (await readdir(folder).catch(() => [])).filter(
    (name) => name === unfinishedFolder || /^[0-9a-f]{2}$/.test(name),
  );
  if (folders.length === 0) return;
  await claimFolder(store, folder);
  for (const name of folders) {
    const ours = name === unfinishedFolder ? unfinishedPattern : finishedPattern;
    const files = (await readdir(join(folder, name)).catch(() => [])).filter((file) => ours.test(file));
    for (let from = 0; from < files.length; from += 500) {
      const some = files.slice(from, from + 500);
      const ids = some.map((file) => file.slice(file.lastIndexOf('.') + 1));
      const rows = await store.db.selectFrom('blobs').select('id').where('id', 'in', ids).execute();
      const known = new Set(rows.map(({ id }) => id));
      for (const [index, file] of some.entries()) {
        const path = join(folder, name, file);
        if (!known.has(ids[index] ?? '') && (await stat(path)).mtimeMs < before) await rm(path, { force: true });
      }
    }
  }
}

/** F3. The first store that writes to the folder owns it. */
async function claimFolder(store: Store, folder: string): Promise<void> {
  const { id } = await store.db.selectFrom('blob_home').select('id').executeTakeFirstOrThrow();
  if (((await readOwner(folder)) ?? (await writeOwner(folder, id))) === id) return;
  const sentence = `The folder ${folder} of LONGHAND_BLOBS has the contents of another store than ${store.location}. Name another folder, or the store that owns it.`;
  throw new StoreError('notWritable', sentence);
}

async function readOwner(folder: string): Promise<string | null> {
  try {
    return (await readFile(join(folder, ownerFile), 'utf8')).trim();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return null;
    throw toFolderError(error, folder);
  }
}

/** Returns the owner, which may be another store: of several writers, the first one wins. */
async function writeOwner(folder: string, id: string): Promise<string | null> {
  const draftPath = join(folder, unfinishedFolder, randomUUID());
  try {
    await mkdir(dirname(draftPath), { recursive: true, mode: 0o700 });
    await writeFile(draftPath, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // A link to the written file: a file created under this name would be empty for a moment, and another writer could read it then.
    await link(draftPath, join(folder, ownerFile));
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw toFolderError(error, folder);
  } finally {
    await rm(draftPath, { force: true });
  }
  return readOwner(folder);
}

function toFolderError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const format = (sentence: string) => `The folder ${folder} of LONGHAND_BLOBS ${sentence} (${error.message}).`;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError('full', format('is full. Free space on its disk'), error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return new StoreError('notWritable', format('cannot be read or written. Grant this user access'), error);
    case 'EIO':
      return new StoreError('unavailable', format('does not answer'), error);
    default:
      return error;
  }
}
