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
import { LonghandError } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
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
  const max = env.LONGHAND_BLOB_BYTES ? Number(env.LONGHAND_BLOB_BYTES) : defaults.blobBytes;
  if (!Number.isSafeInteger(max) || max < 1) {
    throw new LonghandError(
      'invalid_environment',
      `Invalid LONGHAND_BLOB_BYTES "${env.LONGHAND_BLOB_BYTES}": expected a whole number of bytes.`,
    );
  }
  return openBlobs(store, { folder: env.LONGHAND_BLOBS || null, maxBytes: max });
}

export function openBlobs(store: Store, options: BlobOptions = {}): BlobStore {
  return new Blobs(store, options);
}

class Blobs implements BlobStore {
  readonly location: string;
  private readonly database: BlobBackend;
  private readonly files: BlobBackend | null;
  /** Where new contents are written. */
  private readonly bytes: BlobBackend;
  private readonly maxBytes: number;
  private readonly now: () => number;

  constructor(
    private readonly store: Store,
    { folder = null, maxBytes = defaults.blobBytes, now = Date.now }: BlobOptions,
  ) {
    this.database = createDatabaseBackend(store);
    this.files = folder === null ? null : createFolderBackend(store, resolve(folder));
    this.bytes = this.files ?? this.database;
    this.location = this.bytes.location;
    this.maxBytes = maxBytes;
    this.now = now;
  }

  async put(owner: BlobOwner, content: Uint8Array | BlobContent, mediaType: string): Promise<BlobInfo> {
    if (!(content instanceof Uint8Array)) return this.putPieces(owner, content, mediaType);
    const { byteLength } = content;
    const blob = { digest: computeDigest(content), bytes: byteLength, mediaType };
    if (byteLength > pieceBytes || byteLength > this.maxBytes || this.bytes.writeInTransaction === undefined) {
      const known = await this.store.write((tx) => addBlobReference(tx, this.store, owner, blob, this.now()));
      return known ? blob : this.putPieces(owner, [content], mediaType);
    }
    await this.putSmall(owner, blob, content);
    return blob;
  }

  async get(owner: BlobOwner, digest: string): ReturnType<BlobStore['get']> {
    const row = await this.store.db
      .selectFrom('blob_refs')
      .innerJoin('blobs', 'blobs.id', 'blob_refs.blob')
      .select(['blobs.id', 'blobs.bytes', 'blobs.chunks', 'blob_refs.media_type as mediaType'])
      .where('blob_refs.namespace', '=', owner.namespace)
      .where('blob_refs.chain_id', '=', owner.chainId)
      .where('blob_refs.digest', '=', digest)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { id, bytes, chunks, mediaType } = row;
    return { digest, bytes, mediaType, content: verifyContent(this.findBackend(chunks).read(id, digest), digest) };
  }

  async has(owner: BlobOwner, digest: string): Promise<boolean> {
    return (await this.get(owner, digest)) !== null;
  }

  async delete(owner: BlobOwner, until?: number): Promise<number> {
    let removed = 0;
    for (let more = true; more; ) {
      const { refs, free } = await this.store.write((tx) => deleteBlobReferences(tx, this.store, owner, until));
      await this.removeFiles(free);
      removed += free.length;
      more = refs === referenceBatchSize;
    }
    return removed;
  }

  async deleteInTransaction(tx: Transaction<Tables>, owner: BlobOwner): Promise<() => Promise<void>> {
    const removed: UnreferencedBlob[] = [];
    for (let more = true; more; ) {
      const { refs, free } = await deleteBlobReferences(tx, this.store, owner);
      removed.push(...free);
      more = refs === referenceBatchSize;
    }
    return () => this.removeFiles(removed);
  }

  async sweep(): Promise<void> {
    const before = this.now() - abandonedAfterMs;
    await this.store.write((tx) =>
      tx.deleteFrom('blobs').where('digest', 'is', null).where('created_at', '<', before).execute(),
    );
    await this.bytes.sweep(before);
  }

  private findBackend(chunks: number | null): BlobBackend {
    const backend = chunks === null ? this.files : this.database;
    if (backend !== null) return backend;
    throw new StoreError(
      'missing',
      'The content is in a folder. Set LONGHAND_BLOBS to the folder of the process that stored it.',
    );
  }

  private row(id: string) {
    return { id, digest: null, bytes: 0, chunks: null, created_at: this.now() };
  }

  private async putSmall(owner: BlobOwner, blob: BlobInfo, content: Uint8Array): Promise<void> {
    await this.store.write(async (tx) => {
      if (
        (await addBlobReference(tx, this.store, owner, blob, this.now())) ||
        this.bytes.writeInTransaction === undefined
      )
        return;
      const id = randomUUID();
      const { digest, bytes: size } = blob;
      await tx
        .insertInto('blobs')
        .values({ ...this.row(id), digest, bytes: size, chunks: 1 })
        .execute();
      await this.bytes.writeInTransaction(tx, id, content);
      await addBlobReference(tx, this.store, owner, blob, this.now());
    });
  }

  private async putPieces(
    owner: BlobOwner,
    content: BlobContent | Iterable<Uint8Array>,
    mediaType: string,
  ): Promise<BlobInfo> {
    const id = randomUUID();
    const { pieces, getSum } = toPieces(content, this.maxBytes);
    await this.store.write((tx) => tx.insertInto('blobs').values(this.row(id)).execute());
    try {
      const chunks = await this.bytes.write(id, pieces, () => getSum().digest);
      const blob = { ...getSum(), mediaType };
      const known = await this.store.write(async (tx) => {
        if (await addBlobReference(tx, this.store, owner, blob, this.now())) return true;
        await tx
          .updateTable('blobs')
          .set({ digest: blob.digest, bytes: blob.bytes, chunks })
          .where('id', '=', id)
          .execute();
        await addBlobReference(tx, this.store, owner, blob, this.now());
        return false;
      });
      if (known) await this.forget(id, blob.digest);
      return blob;
    } catch (error) {
      // The sweep removes what cannot be removed now.
      await this.forget(id, null).catch(() => undefined);
      throw error;
    }
  }

  private async forget(id: string, digest: string | null): Promise<void> {
    await this.store.write((tx) => tx.deleteFrom('blobs').where('id', '=', id).where('digest', 'is', null).execute());
    await this.bytes.remove(id, digest);
  }

  /** If this fails, the next sweep removes the files. */
  private async removeFiles(free: readonly UnreferencedBlob[]): Promise<void> {
    for (const { id, digest, chunks } of free) if (chunks === null) await this.files?.remove(id, digest);
  }
}
