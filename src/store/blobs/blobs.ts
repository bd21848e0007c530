/**
 * Stored contents: observations and artifacts that are too large for a history. A content is identified by the digest of its
 * bytes, and stored once for all its chains.
 *
 * B1 Only a chain that has stored a content itself can read it. Knowing a digest is not enough, so a tenant learns nothing
 *    about another tenant's contents.
 * B2 A content of a chain exists, also during concurrent deletions; a content without a chain is deleted.
 * B3 A content is never held completely: it is written and read in pieces, and verified against its digest while it is read.
 */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Transaction } from 'kysely';
import { LonghandError } from '../../core/lib/errors.js';
import { defaults } from '../../core/model/defaults.js';
import { StoreError } from '../db/errors.js';
import type { Store, Tables } from '../db/store.js';
import { type BlobBackend, type BlobContent, createDatabaseBackend } from './blob-backend.js';
import {
  addBlobReference,
  type BlobInfo,
  type BlobOwner,
  deleteBlobReferences,
  referenceBatchSize,
  type UnreferencedBlob,
} from './blob-refs.js';
import { createFolderBackend } from './folder-backend.js';
import { computeDigest, pieceBytes, toPieces, verifyContent } from './pieces.js';

export interface BlobStore {
  /** For people. */
  readonly location: string;
  /** @throws {StoreError} `tooLarge`, or any error of the database; then the chain does not have the content */
  readonly put: (owner: BlobOwner, content: Uint8Array | BlobContent, mediaType: string) => Promise<BlobInfo>;
  /** Null when the chain does not have the digest (B1). Reading the content may throw a `StoreError`. */
  readonly get: (owner: BlobOwner, digest: string) => Promise<(BlobInfo & { readonly content: BlobContent }) | null>;
  readonly has: (owner: BlobOwner, digest: string) => Promise<boolean>;
  /**
   * Deletes the chain's contents, or those stored until a time. Resolves with the number of contents that no chain has now.
   *
   *
   * @param until milliseconds since 1970
   */
  readonly delete: (owner: BlobOwner, until?: number) => Promise<number>;
  /** Does the same in a caller's transaction. Call the returned function after the commit: it removes the files. */
  readonly deleteInTransaction: (tx: Transaction<Tables>, owner: BlobOwner) => Promise<() => Promise<void>>;
  /** Removes what failed writers left behind. */
  readonly sweep: () => Promise<void>;
}

export interface BlobOptions {
  /** The folder for new contents; contents in the database remain readable. Default: the database. */
  readonly folder?: string | null;
  /** The limit for one content. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** The age after which an unfinished content is considered abandoned. */
const abandonedAfterMs = 6 * 60 * 60_000;

/** Opens the stored contents that the environment configures. @throws LonghandError `invalid_environment` */
export function openConfiguredBlobs(store: Store, env: NodeJS.ProcessEnv): BlobStore {
  const most = env.LONGHAND_BLOB_BYTES ? Number(env.LONGHAND_BLOB_BYTES) : defaults.blobBytes;
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new LonghandError(
      'invalid_environment',
      `Invalid LONGHAND_BLOB_BYTES "${env.LONGHAND_BLOB_BYTES}": expected a whole number of bytes.`,
    );
  }
  return openBlobs(store, { folder: env.LONGHAND_BLOBS || null, maxBytes: most });
}

export function openBlobs(store: Store, options: BlobOptions = {}): BlobStore {
  const { folder = null, maxBytes = defaults.blobBytes, now = Date.now } = options;
  const database = createDatabaseBackend(store);
  const files = folder === null ? null : createFolderBackend(store, resolve(folder));
  const bytes = files ?? database;
  const whereIs = (chunks: number | null): BlobBackend => {
    const place = chunks === null ? files : database;
    if (place !== null) return place;
    throw new StoreError(
      'missing',
      'The content is in a folder. Set LONGHAND_BLOBS to the folder of the process that stored it.',
    );
  };
  const row = (id: string) => ({ id, digest: null, bytes: 0, chunks: null, created_at: now() });

  const putSmall = (owner: BlobOwner, blob: BlobInfo, content: Uint8Array) =>
    store.write(async (tx) => {
      if ((await addBlobReference(tx, store, owner, blob, now())) || bytes.writeInTransaction === undefined) return;
      const id = randomUUID();
      const { digest, bytes: size } = blob;
      await tx
        .insertInto('blobs')
        .values({ ...row(id), digest, bytes: size, chunks: 1 })
        .execute();
      await bytes.writeInTransaction(tx, id, content);
      await addBlobReference(tx, store, owner, blob, now());
    });

  const putPieces = async (owner: BlobOwner, content: BlobContent | Iterable<Uint8Array>, mediaType: string) => {
    const id = randomUUID();
    const { pieces, getSum } = toPieces(content, maxBytes);
    await store.write((tx) => tx.insertInto('blobs').values(row(id)).execute());
    try {
      const chunks = await bytes.write(id, pieces, () => getSum().digest);
      const blob = { ...getSum(), mediaType };
      const known = await store.write(async (tx) => {
        if (await addBlobReference(tx, store, owner, blob, now())) return true;
        await tx
          .updateTable('blobs')
          .set({ digest: blob.digest, bytes: blob.bytes, chunks })
          .where('id', '=', id)
          .execute();
        await addBlobReference(tx, store, owner, blob, now());
        return false;
      });
      if (known) await forget(id, blob.digest);
      return blob;
    } catch (error) {
      // The sweep removes what cannot be removed now.
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
    return { digest, bytes: size, mediaType, content: verifyContent(whereIs(chunks).read(id, digest), digest) };
  };

  /** If this fails, the next sweep removes the files. */
  const removeFiles = async (free: readonly UnreferencedBlob[]) => {
    for (const { id, digest, chunks } of free) if (chunks === null) await files?.remove(id, digest);
  };

  return {
    location: bytes.location,
    put: async (owner, content, mediaType) => {
      if (!(content instanceof Uint8Array)) return putPieces(owner, content, mediaType);
      const blob = { digest: computeDigest(content), bytes: content.byteLength, mediaType };
      if (content.byteLength > pieceBytes || content.byteLength > maxBytes || bytes.writeInTransaction === undefined) {
        const known = await store.write((tx) => addBlobReference(tx, store, owner, blob, now()));
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
        const { refs, free } = await store.write((tx) => deleteBlobReferences(tx, store, owner, until));
        await removeFiles(free);
        gone += free.length;
        more = refs === referenceBatchSize;
      }
      return gone;
    },
    deleteInTransaction: async (tx, owner) => {
      const gone: UnreferencedBlob[] = [];
      for (let more = true; more; ) {
        const { refs, free } = await deleteBlobReferences(tx, store, owner);
        gone.push(...free);
        more = refs === referenceBatchSize;
      }
      return () => removeFiles(gone);
    },
    sweep: async () => {
      const before = now() - abandonedAfterMs;
      await store.write((tx) =>
        tx.deleteFrom('blobs').where('digest', 'is', null).where('created_at', '<', before).execute(),
      );
      await bytes.sweep(before);
    },
  };
}
