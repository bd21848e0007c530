/**
 * The store: one database for all data that outlives Temporal's retention; its tables, transactions, locks and free space.
 *
 * The tables of each part are one interface, next to the statements that create them. Both databases store the same values:
 * times are whole milliseconds, booleans are 1 and 0, JSON is text.
 */

import { type Kysely, sql, type Transaction } from 'kysely';
import type { ArchiveTables } from './migrations/0001-tables/archive.js';
import type { AuditTables } from './migrations/0001-tables/audit.js';
import type { BlobTables } from './migrations/0001-tables/blobs.js';
import type { KeyTables } from './migrations/0001-tables/keys.js';
import type { LedgerTables } from './migrations/0001-tables/ledger.js';
import type { MemoryTables } from './migrations/0001-tables/memories.js';
import type { PlanTables } from './migrations/0001-tables/plans.js';
import type { PreferenceTables } from './migrations/0001-tables/preferences.js';
import type { ToolCacheTables } from './migrations/0001-tables/tool-cache.js';
import type { WebhookTables } from './migrations/0001-tables/webhooks.js';
import type { WorkerTables } from './migrations/0001-tables/workers.js';
import type { MigrationTables } from './migrations/index.js';
import type { StoreListener } from './postgres-listener.js';
import type { OpenStore } from './store-option.js';

export type Tables = MigrationTables &
  ArchiveTables &
  BlobTables &
  AuditTables &
  ToolCacheTables &
  LedgerTables &
  PreferenceTables &
  PlanTables &
  MemoryTables &
  KeyTables &
  WebhookTables &
  WorkerTables;

/** The transaction that `Store.write` passes to its work. */
export type StoreTransaction = Transaction<Tables>;

export interface Store extends OpenStore {
  /** For reading only; writes use `write`. */
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` in one transaction: all its writes are committed, or none.
   *
   * Contract: `work` uses only `tx`, because SQLite has one connection and `db` would wait for it for ever. It may run
   * again after a conflict with another transaction, so it must have no effect outside of `tx`.
   *
   * @throws {StoreError} and the errors of `work`; then nothing was written
   */
  readonly write: <T>(work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>;
  /** Receives notifications of the database; null for SQLite, which has none. */
  readonly listener: StoreListener | null;
}

/**
 * Takes a lock by name until the transaction ends.
 *
 * Contract: a transaction with several locks takes them in a fixed order, or a deadlock makes one of two retry.
 *
 * @param name begins with its part of the store, `blob:…`
 */
export async function lockExclusive(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  // SQLite has one writer at a time.
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** Takes a lock that several transactions may share, but not with a holder of `lockExclusive`. */
export async function lockShared(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`.execute(tx);
}

/** Pages that `shrink` frees in one transaction, of 4 KB each. */
const pagesPerTransaction = 500;

/**
 * Returns free pages of a SQLite file to the disk, in several transactions, so that others can write in between. The pragma
 * frees one page a call, because the driver does not step through it.
 *
 *
 * @throws StoreError
 */
export async function shrink(store: Store): Promise<void> {
  if (store.kind !== 'sqlite') return;
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const free = await store.write(async (tx) => {
      const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(tx);
      const freePages = rows[0]?.freelist_count ?? 0;
      for (let page = 0; page < Math.min(freePages, pagesPerTransaction); page += 1)
        await sql`pragma incremental_vacuum`.execute(tx);
      return freePages;
    });
    if (free <= pagesPerTransaction || free >= before) return;
    before = free;
  }
}
