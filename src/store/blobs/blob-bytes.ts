/** The seam between what is known of contents and where their bytes lie: in the database, or in a folder. */

import type { Transaction } from 'kysely';
import type { Tables } from '../db/tables.js';

export type Content = AsyncIterable<Uint8Array>;

export interface BlobBytes {
  /** For people. */
  readonly place: string;
  /**
   * Resolves when the bytes are on the disk, with the number of their pieces in the database; null where they are none.
   * Contract: `digestOf` may be asked once all pieces have passed.
   */
  readonly write: (id: string, pieces: Content, digestOf: () => string) => Promise<number | null>;
  /** Writes one that is small with the rest of a transaction, where they lie in the same database. */
  readonly writeIn?: (tx: Transaction<Tables>, id: string, content: Uint8Array) => Promise<void>;
  /** Contract: throws `StoreError` for what is not there. */
  readonly read: (id: string, digest: string) => Content;
  /** Once no row tells of it any more. */
  readonly remove: (id: string, digest: string | null) => Promise<void>;
  /** Removes what no row tells of and is older than `before`, in milliseconds since 1970. */
  readonly sweep: (before: number) => Promise<void>;
}
