/** The bytes of contents: the interface of a place that holds them, and the database as such a place. A folder is another. */

import type { Transaction } from 'kysely';
import { StoreError } from '../db/errors.js';
import type { Store, Tables } from '../db/store.js';

export type BlobContent = AsyncIterable<Uint8Array>;

/** A place that holds bytes of contents, apart from what is known of them. */
export interface BlobBackend {
  /** For people. */
  readonly location: string;
  /**
   * Resolves when the bytes are on the disk, with the number of their pieces in the database; null where they are none.
   * Contract: `digestOf` may be asked once all pieces have passed.
   */
  readonly write: (id: string, pieces: BlobContent, digestOf: () => string) => Promise<number | null>;
  /** Writes one that is small with the rest of a transaction, where they lie in the same database. */
  readonly writeInTransaction?: (tx: Transaction<Tables>, id: string, content: Uint8Array) => Promise<void>;
  /** Contract: throws `StoreError` for what is not there. */
  readonly read: (id: string, digest: string) => BlobContent;
  /** Once no row tells of it any more. */
  readonly remove: (id: string, digest: string | null) => Promise<void>;
  /** Removes what no row tells of and is older than `before`, in milliseconds since 1970. */
  readonly sweep: (before: number) => Promise<void>;
}

/** Bytes in the database: one backup has all. Their pieces go with the content's row. */
export function createDatabaseBackend(store: Store): BlobBackend {
  return {
    location: store.location,
    write: async (id, pieces) => {
      let number = 0;
      // One transaction for each: nobody else waits for a slow reader.
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
        `The content is no longer in the store ${location}: it was deleted while it was read.`,
      );
    }
    yield chunk.content;
  }
}
