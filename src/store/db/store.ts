/** What outlives Temporal's retention: one database, for all parts alike. */

import type { Kysely, Transaction } from 'kysely';
import type { StoreKind } from './store-kind.js';
import type { Tables } from './tables.js';

export interface Store {
  readonly kind: StoreKind;
  /** Where it lies, for people: without the password. */
  readonly place: string;
  /** For reading. What writes goes through `write`. */
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` in one transaction that may write from its beginning on: all of it holds, or nothing.
   *
   * Contract: `work` uses `tx` alone, for SQLite has one connection and `db` would wait for it for ever; it may be run
   * again from its start, when it met another transaction, so it has no effect outside of `tx`.
   *
   * @throws {StoreError} and what `work` throws; then nothing was written
   */
  readonly write: <T>(work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>;
  /** May be called twice. */
  readonly close: () => Promise<void>;
}
