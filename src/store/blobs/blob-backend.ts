/** The interface of a place that stores the bytes of contents, and the database as such a place. A folder is another. */

import type { Transaction } from 'kysely';
import { StoreError } from '../db/errors.js';
import type { Store, Tables } from '../db/store.js';

export type BlobContent = AsyncIterable<Uint8Array>;

/** A place that stores the bytes of contents, without their metadata. */
export interface BlobBackend {
  /** For people. */
  readonly location: string;
  /**
   * Writes a content and resolves when it is on the disk. Returns the number of its chunks in the database; null for a
   * place outside of it. Contract: `digestOf` may be called after the last piece.
   */
  readonly write: (id: string, pieces: BlobContent, digestOf: () => string) => Promise<number | null>;
  /** Writes a small content in a caller's transaction, when it is stored in the same database. */
  readonly writeInTransaction?: (tx: Transaction<Tables>, id: string, content: Uint8Array) => Promise<void>;
  /** Contract: throws `StoreError` when the content is missing. */
  readonly read: (id: string, digest: string) => BlobContent;
  /** Called when no row refers to the content any more. */
  readonly remove: (id: string, digest: string | null) => Promise<void>;
  /** Removes files that no row refers to and that are older than `before`, in milliseconds since 1970. */
  readonly sweep: (before: number) => Promise<void>;
}

/** Stores bytes in the database, so that one backup has everything. The chunks are deleted with the content's row. */
export function createDatabaseBackend(store: Store): BlobBackend {
  return {
    location: store.location,
    write: async (id, pieces) => {
      let number = 0;
      // One transaction for each piece: other writers do not wait for a slow source.
      for await (const content of pieces) {
        const piece = { blob: id, number: number++, content };
        await store.write((tx) => tx.insertInto('blob_chunks').values(piece).execute());
      }
      return number;
    },
    writeInTransaction: async (tx, blob, content) => {
      await tx.insertInto('blob_chunks').values({ blob, number: 0, content }).execute();
    },
    read: (id) => readChunks(store, id),
    remove: async () => {},
    sweep: async () => {},
  };
}

async function* readChunks({ db, location }: Store, id: string): BlobContent {
  const chunks = db.selectFrom('blob_chunks').select('content').where('blob', '=', id);
  const { chunks: count } =
    (await db.selectFrom('blobs').select('chunks').where('id', '=', id).executeTakeFirst()) ?? {};
  for (let number = 0; number < (count ?? 1); number++) {
    const chunk = await chunks.where('number', '=', number).executeTakeFirst();
    if (chunk === undefined) {
      throw new StoreError(
        'missing',
        `The content is no longer in the store ${location}: it was deleted during the read.`,
      );
    }
    yield chunk.content;
  }
}
