/** Stored contents: each is stored once, read only by its chains, and deleted with the last of them. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import type { BlobContent } from '../../../src/store/blobs/blob-backend.js';
import type { BlobOwner } from '../../../src/store/blobs/blob-refs.js';
import { type BlobOptions, type BlobStore, openBlobs, openConfiguredBlobs } from '../../../src/store/blobs/blobs.js';
import { pieceBytes } from '../../../src/store/blobs/pieces.js';
import { openStore } from '../../../src/store/db/open.js';
import { budget } from '../../support/budget.js';
import { matchError } from '../../support/match-error.js';
import { alsoOnPostgres, describeStores, sharedInEveryForm } from '../../support/stores.js';

const ours: BlobOwner = { namespace: 'default', chainId: 'ours' };
const theirs: BlobOwner = { namespace: 'default', chainId: 'theirs' };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-blobs-'));
  folders.push(folder);
  return folder;
}

/** Without the file that names the owner of the folder. */
function filesIn(folder: string): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && entry.name !== 'store-id')
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function all(content: BlobContent | undefined): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content ?? []) parts.push(part);
  return Buffer.concat(parts);
}

async function* inParts(bytes: Uint8Array, size: number): BlobContent {
  for (let from = 0; from < bytes.byteLength; from += size) yield bytes.subarray(from, from + size);
}

async function rowsIn({ db }: Store): Promise<readonly number[]> {
  const count = async (table: string) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
    return rows[0]?.n ?? -1;
  };
  return [await count('blobs'), await count('blob_chunks'), await count('blob_refs')];
}

const text = 'text/plain';

describeStores((open) => {
  describe.each(['the database', 'a folder'])('in %s', (where) => {
    const opened = async (
      options: BlobOptions = {},
    ): Promise<{ store: Store; blobs: BlobStore; folder: string | null }> => {
      const store = await open();
      const folder = where === 'a folder' ? newFolder() : null;
      return { store, blobs: openBlobs(store, { folder, ...options }), folder };
    };

    it.each([0, 1, 1_000, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 17])('returns %i bytes', async (size) => {
      const { blobs } = await opened();
      const bytes = randomBytes(size);
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      for (const content of [bytes, inParts(bytes, 70_001)]) {
        expect(await blobs.put(ours, content, 'image/png')).toEqual({ digest, bytes: size, mediaType: 'image/png' });
        const read = await blobs.get(ours, digest);
        expect(read).toMatchObject({ digest, bytes: size, mediaType: 'image/png' });
        expect((await all(read?.content)).equals(bytes)).toBe(true);
      }
    });

    it('stores equal contents once', async () => {
      const { store, blobs, folder } = await opened();
      const bytes = randomBytes(pieceBytes + 5);
      const contents = [bytes, inParts(bytes, 1_000), bytes, inParts(bytes, 50_000)];
      await Promise.all(contents.map((content, index) => blobs.put(index % 2 === 0 ? ours : theirs, content, text)));
      expect(await rowsIn(store)).toEqual([1, folder === null ? 2 : 0, 2]);
      if (folder !== null) expect(filesIn(folder)).toHaveLength(1);
    });

    it('B1: only a chain that has stored the content can read it', async () => {
      const { blobs } = await opened();
      const { digest } = await blobs.put(ours, Buffer.from('a secret of ours'), text);
      expect(await blobs.get(theirs, digest)).toBeNull();
      expect(await blobs.has({ ...ours, namespace: 'other' }, digest)).toBe(false);
      await blobs.put(theirs, Buffer.from('a secret of ours'), text);
      expect(await blobs.has(theirs, digest)).toBe(true);
    });

    it('B2: deletes a content with the last chain that has it', async () => {
      const { store, blobs, folder } = await opened();
      const { digest } = await blobs.put(ours, randomBytes(2 * pieceBytes), text);
      const shared = await blobs.put(ours, Buffer.from('shared'), text);
      await blobs.put(theirs, Buffer.from('shared'), text);
      expect(await blobs.delete(ours)).toBe(1);
      expect(await blobs.has(ours, digest)).toBe(false);
      expect(await blobs.has(ours, shared.digest)).toBe(false);
      expect((await all((await blobs.get(theirs, shared.digest))?.content)).toString()).toBe('shared');
      expect(await blobs.delete(theirs)).toBe(1);
      expect(await rowsIn(store)).toEqual([0, 0, 0]);
      if (folder !== null) expect(filesIn(folder)).toEqual([]);
    });

    it('B2: deletes more contents than one transaction can', async () => {
      const { store, blobs } = await opened();
      for (let n = 0; n < 120; n++) await blobs.put(ours, Buffer.from(`content ${n}`), text);
      expect(await blobs.delete(ours)).toBe(120);
      expect(await rowsIn(store)).toEqual([0, 0, 0]);
    });

    it('B3: stops at the first byte over the limit, and stores nothing', async () => {
      const { store, blobs, folder } = await opened({ maxBytes: 1_000 });
      let given = 0;
      async function* endless(): BlobContent {
        for (;;) {
          given++;
          yield Buffer.alloc(300);
        }
      }
      await expect(blobs.put(ours, endless(), text)).rejects.toMatchObject({ code: 'store_too_large' });
      expect(given).toBe(4);
      await expect(blobs.put(ours, Buffer.alloc(1_001), text)).rejects.toMatchObject({ code: 'store_too_large' });
      await blobs.put(ours, Buffer.alloc(1_000), text);
      expect((await rowsIn(store))[0]).toBe(1);
      if (folder !== null) expect(filesIn(folder)).toHaveLength(1);
    });

    it('stores nothing of a failed stream, and throws its error', async () => {
      const { store, blobs, folder } = await opened();
      async function* failing(): BlobContent {
        yield randomBytes(pieceBytes + 1);
        throw new Error('the source is gone');
      }
      await expect(blobs.put(ours, failing(), text)).rejects.toThrow('the source is gone');
      expect(await rowsIn(store)).toEqual([0, 0, 0]);
      if (folder !== null) expect(filesIn(folder)).toEqual([]);
    });

    it('removes the unfinished contents of dead writers', async () => {
      let now = Date.now();
      const { store, blobs, folder } = await opened({ now: () => now });
      const stored = await blobs.put(ours, randomBytes(pieceBytes + 1), text);
      await store.db
        .insertInto('blobs')
        .values({ id: 'half', digest: null, bytes: 0, chunks: null, created_at: now })
        .execute();
      const orphan = folder === null ? null : join(folder, 'unfinished', randomUUID());
      if (orphan !== null) writeFileSync(orphan, 'half of it');
      await blobs.sweep();
      expect((await rowsIn(store))[0]).toBe(2);
      if (folder !== null) expect(filesIn(folder)).toHaveLength(2);
      now += 24 * 60 * 60_000;
      await blobs.sweep();
      expect((await rowsIn(store))[0]).toBe(1);
      if (folder !== null) expect(filesIn(folder)).toHaveLength(1);
      expect((await all((await blobs.get(ours, stored.digest))?.content)).byteLength).toBe(pieceBytes + 1);
    });

    it('throws when a stored content was altered', async () => {
      const { store, blobs, folder } = await opened();
      const { digest } = await blobs.put(ours, Buffer.from('as it was'), text);
      if (folder === null)
        await store.db
          .updateTable('blob_chunks')
          .set({ content: Buffer.from('altered') })
          .execute();
      else writeFileSync(filesIn(folder)[0] ?? '', 'altered');
      await expect(all((await blobs.get(ours, digest))?.content)).rejects.toMatchObject({ code: 'store_corrupt' });
      if (folder === null) await store.db.deleteFrom('blob_chunks').execute();
      else rmSync(filesIn(folder)[0] ?? '');
      await expect(all((await blobs.get(ours, digest))?.content)).rejects.toMatchObject({ code: 'store_missing' });
    });
  });

  it('reads a content from its place, even when new contents are written elsewhere', async () => {
    const store = await open();
    const folder = newFolder();
    const old = await openBlobs(store).put(ours, Buffer.from('old'), text);
    const files = openBlobs(store, { folder });
    const fresh = await files.put(ours, Buffer.from('new'), text);
    expect((await all((await files.get(ours, old.digest))?.content)).toString()).toBe('old');
    await expect(openBlobs(store).get(ours, fresh.digest)).rejects.toThrow(
      matchError('store_missing', 'Set LONGHAND_BLOBS'),
    );
  });

  it('is configured by the environment', async () => {
    const store = await open();
    expect(openConfiguredBlobs(store, {}).location).toBe(store.location);
    expect(openConfiguredBlobs(store, { LONGHAND_BLOBS: '/some/folder' }).location).toBe('/some/folder');
    await expect(
      openConfiguredBlobs(store, { LONGHAND_BLOB_BYTES: '2' }).put(ours, Buffer.from('abc'), text),
    ).rejects.toThrow(matchError('store_too_large'));
    expect(() => openConfiguredBlobs(store, { LONGHAND_BLOB_BYTES: '64 MB' })).toThrow(
      matchError('invalid_environment', '"64 MB"'),
    );
  });
}, alsoOnPostgres);

describeStores((open) => {
  it.each([
    ['the database', false],
    ['a folder', true],
  ])('B2: a content stored during a concurrent deletion exists: in %s', async (_, inFolder) => {
    const folder = inFolder ? newFolder() : null;
    const stores = await Promise.all([open(), open(), open()]);
    const contents = [randomBytes(pieceBytes + 1), randomBytes(100)];
    const keeper = async (blobs: BlobStore, owner: BlobOwner) => {
      for (let round = 0; round < budget(5, 12); round++) {
        for (const content of contents) {
          const { digest } = await blobs.put(owner, content, text);
          expect((await all((await blobs.get(owner, digest))?.content)).equals(content)).toBe(true);
        }
        await blobs.delete(owner);
      }
    };
    const owners = ['a', 'b', 'c'].map((chainId) => ({ namespace: 'default', chainId }));
    await Promise.all(owners.map((owner, index) => keeper(openBlobs(stores[index]!, { folder }), owner)));
    expect(await rowsIn(stores[0]!)).toEqual([0, 0, 0]);
    if (folder !== null) expect(filesIn(folder)).toEqual([]);
  });
}, sharedInEveryForm);

it('a sweep removes only files of the same store', async () => {
  const [folder, far] = [newFolder(), 40 * 24 * 60 * 60_000];
  const [one, two] = [await openStore('memory:'), await openStore('memory:')];
  const blobs = openBlobs(one, { folder, now: () => Date.now() + far });
  const stored = await blobs.put(ours, Buffer.from('mine'), text);
  mkdirSync(join(folder, 'photos'));
  const photo = join(folder, 'photos', 'x.jpg');
  writeFileSync(photo, 'a picture');
  writeFileSync(join(folder, stored.digest.slice(7, 9), 'notes.txt'), 'notes');
  await blobs.sweep();
  expect(filesIn(folder)).toHaveLength(3);
  const others = openBlobs(two, { folder, now: () => Date.now() + far });
  await expect(others.sweep()).rejects.toThrow(matchError('store_not_writable', 'has the contents of another store'));
  await expect(others.put(ours, Buffer.from('theirs'), text)).rejects.toThrow(
    matchError('store_not_writable', 'has the contents of another store'),
  );
  expect(filesIn(folder)).toHaveLength(3);
  expect((await all((await blobs.get(ours, stored.digest))?.content)).toString()).toBe('mine');
  await one.close();
  await two.close();
});

it('F3: the owner of a folder is never a part of an id, which another writer would take for another store', async () => {
  const store = await openStore('memory:');
  const owners = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const folder = newFolder();
    const watcher = watch(folder, () => {
      const path = join(folder, 'store-id');
      if (existsSync(path)) owners.add(readFileSync(path, 'utf8'));
    });
    await openBlobs(store, { folder }).put(ours, Buffer.from(`${round}`), text);
    watcher.close();
  }
  expect(owners.size).toBe(1);
  await store.close();
});

it('deletes contents up to a time, and keeps those of a later chain with the same id', async () => {
  const store = await openStore('memory:');
  let now = 1_000;
  const blobs = openBlobs(store, { now: () => now });
  const old = await blobs.put(ours, Buffer.from('old'), text);
  const both = await blobs.put(ours, Buffer.from('both'), text);
  now = 2_000;
  const fresh = await blobs.put(ours, Buffer.from('fresh'), text);
  await blobs.put(ours, Buffer.from('both'), text);
  expect(await blobs.delete(ours, 1_500)).toBe(1);
  const there = async ({ digest }: { readonly digest: string }) => blobs.has(ours, digest);
  expect([await there(old), await there(both), await there(fresh)]).toEqual([false, true, true]);
  await store.close();
});

it('creates files that only their owner can read', async () => {
  const store = await openStore('memory:');
  const folder = join(newFolder(), 'made');
  await openBlobs(store, { folder }).put(ours, Buffer.from('x'), text);
  for (const file of filesIn(folder)) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await store.close();
});
