/**
 * Contents that are too large for a history: whole observations, and what tools make. Each is known by the digest of its
 * bytes, and kept once however many chains have it.
 *
 * B1 A content is read by who has it: a chain that has stored it itself. To know a digest is not enough, so a tenant
 *    learns nothing of what another has.
 * B2 A content that a chain has is there, whatever is deleted at the same moment; what no chain has is taken away.
 * B3 Nothing holds the whole: it is written and read piece by piece, and checked against its digest as it is read.
 */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Transaction } from 'kysely';
import { defaults } from '../../core/model/defaults.js';
import { StoreError } from '../db/errors.js';
import type { Store, Tables } from '../db/store.js';
import { type BlobBytes, blobsInDatabase, type Content } from './blob-bytes.js';
import { atOnce, type Blob, type BlobOwner, type Free, refer, takeAway } from './blob-refs.js';
import { blobsInFolder } from './blobs-in-folder.js';
import { checked, digestOf, pieceBytes, piecesOf } from './pieces.js';

export interface Blobs {
  /** For people. */
  readonly place: string;
  /** @throws {StoreError} `tooLarge`, and what becomes of any statement; then the chain does not have it */
  readonly put: (owner: BlobOwner, content: Uint8Array | Content, mediaType: string) => Promise<Blob>;
  /** Null where the chain has none of this digest (B1). Reading its content may throw a `StoreError`. */
  readonly get: (owner: BlobOwner, digest: string) => Promise<(Blob & { readonly content: Content }) | null>;
  readonly has: (owner: BlobOwner, digest: string) => Promise<boolean>;
  /**
   * Takes away what the chain has, or had stored by some time. Resolves with how many contents nobody had then.
   *
   * @param until milliseconds since 1970
   */
  readonly delete: (owner: BlobOwner, until?: number) => Promise<number>;
  /** The same in a transaction that does more. What comes back is to be called once that holds. */
  readonly deleteIn: (tx: Transaction<Tables>, owner: BlobOwner) => Promise<() => Promise<void>>;
  /** Takes away what writers left behind that did not come to their end. */
  readonly sweep: () => Promise<void>;
}

export interface BlobOptions {
  /** Where they are written; what lies in the database is read from there all the same. Default: the database. */
  readonly folder?: string | null;
  /** The most that one content may have. */
  readonly mostBytes?: number;
  readonly now?: () => number;
}

/** Milliseconds after which a writer that has not come to its end is taken for dead. */
const abandonedMs = 6 * 60 * 60_000;

/** @throws {RangeError} when `LONGHAND_BLOB_BYTES` is no number */
export function blobsFrom(store: Store, env: NodeJS.ProcessEnv): Blobs {
  const most = env.LONGHAND_BLOB_BYTES ? Number(env.LONGHAND_BLOB_BYTES) : defaults.blobBytes;
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new RangeError(`LONGHAND_BLOB_BYTES is ${env.LONGHAND_BLOB_BYTES}; it must be a whole number of bytes.`);
  }
  return openBlobs(store, { folder: env.LONGHAND_BLOBS || null, mostBytes: most });
}

export function openBlobs(store: Store, options: BlobOptions = {}): Blobs {
  const { folder = null, mostBytes = defaults.blobBytes, now = Date.now } = options;
  const database = blobsInDatabase(store);
  const files = folder === null ? null : blobsInFolder(store, resolve(folder));
  const bytes = files ?? database;
  const whereIs = (chunks: number | null): BlobBytes => {
    const place = chunks === null ? files : database;
    if (place !== null) return place;
    throw new StoreError(
      'missing',
      'The content lies in a folder. Name it in LONGHAND_BLOBS, as those do who stored it.',
    );
  };
  const row = (id: string) => ({ id, digest: null, bytes: 0, chunks: null, created_at: now() });

  const putSmall = (owner: BlobOwner, blob: Blob, content: Uint8Array) =>
    store.write(async (tx) => {
      if ((await refer(tx, store, owner, blob, now())) || bytes.writeIn === undefined) return;
      const id = randomUUID();
      const { digest, bytes: size } = blob;
      await tx
        .insertInto('blobs')
        .values({ ...row(id), digest, bytes: size, chunks: 1 })
        .execute();
      await bytes.writeIn(tx, id, content);
      await refer(tx, store, owner, blob, now());
    });

  const putPieces = async (owner: BlobOwner, content: Content | Iterable<Uint8Array>, mediaType: string) => {
    const id = randomUUID();
    const { pieces, sum } = piecesOf(content, mostBytes);
    await store.write((tx) => tx.insertInto('blobs').values(row(id)).execute());
    try {
      const chunks = await bytes.write(id, pieces, () => sum().digest);
      const blob = { ...sum(), mediaType };
      const known = await store.write(async (tx) => {
        if (await refer(tx, store, owner, blob, now())) return true;
        await tx
          .updateTable('blobs')
          .set({ digest: blob.digest, bytes: blob.bytes, chunks })
          .where('id', '=', id)
          .execute();
        await refer(tx, store, owner, blob, now());
        return false;
      });
      if (known) await forget(id, blob.digest);
      return blob;
    } catch (error) {
      // What cannot be taken away now the sweep takes away.
      await forget(id, null).catch(() => undefined);
      throw error;
    }
  };

  const forget = async (id: string, digest: string | null) => {
    await store.write((tx) => tx.deleteFrom('blobs').where('id', '=', id).where('digest', 'is', null).execute());
    await bytes.remove(id, digest);
  };

  const get = async (owner: BlobOwner, digest: string) => {
    const found = await store.db
      .selectFrom('blob_refs')
      .innerJoin('blobs', 'blobs.id', 'blob_refs.blob')
      .select(['blobs.id', 'blobs.bytes', 'blobs.chunks', 'blob_refs.media_type as mediaType'])
      .where('blob_refs.namespace', '=', owner.namespace)
      .where('blob_refs.chain_id', '=', owner.chainId)
      .where('blob_refs.digest', '=', digest)
      .executeTakeFirst();
    if (found === undefined) return null;
    const { id, bytes: size, chunks, mediaType } = found;
    return { digest, bytes: size, mediaType, content: checked(whereIs(chunks).read(id, digest), digest) };
  };

  /** Of those whose removal does not come to its end the next sweep takes the files away. */
  const removeFiles = async (free: readonly Free[]) => {
    for (const { id, digest, chunks } of free) if (chunks === null) await files?.remove(id, digest);
  };

  return {
    place: bytes.place,
    put: async (owner, content, mediaType) => {
      if (!(content instanceof Uint8Array)) return putPieces(owner, content, mediaType);
      const blob = { digest: digestOf(content), bytes: content.byteLength, mediaType };
      if (content.byteLength > pieceBytes || content.byteLength > mostBytes || bytes.writeIn === undefined) {
        const known = await store.write((tx) => refer(tx, store, owner, blob, now()));
        return known ? blob : putPieces(owner, [content], mediaType);
      }
      await putSmall(owner, blob, content);
      return blob;
    },
    get,
    has: async (owner, digest) => (await get(owner, digest)) !== null,
    delete: async (owner, until) => {
      let gone = 0;
      for (let more = true; more; ) {
        const { refs, free } = await store.write((tx) => takeAway(tx, store, owner, until));
        await removeFiles(free);
        gone += free.length;
        more = refs === atOnce;
      }
      return gone;
    },
    deleteIn: async (tx, owner) => {
      const gone: Free[] = [];
      for (let more = true; more; ) {
        const { refs, free } = await takeAway(tx, store, owner);
        gone.push(...free);
        more = refs === atOnce;
      }
      return () => removeFiles(gone);
    },
    sweep: async () => {
      const before = now() - abandonedMs;
      await store.write((tx) =>
        tx.deleteFrom('blobs').where('digest', 'is', null).where('created_at', '<', before).execute(),
      );
      await bytes.sweep(before);
    },
  };
}
