/**
 * The store: one database for all parts, which outlives Temporal's retention. Its tables, transactions, locks and free space.
 *
 * Each part's tables are one interface, beside the statements that create them. Times are whole milliseconds, yes and no are
 * 1 and 0, JSON is text: so both databases hold the same.
 */

import { type Kysely, sql, type Transaction } from 'kysely';
import type { ArchiveTables } from './migrations/0001-tables/archive.js';
import type { AuditTables } from './migrations/0001-tables/audit.js';
import type { BlobTables } from './migrations/0001-tables/blobs.js';
import type { LedgerTables } from './migrations/0001-tables/ledger.js';
import type { ToolCacheTables } from './migrations/0001-tables/tool-cache.js';
import type { MigrationTables } from './migrations/index.js';
import type { StoreKind } from './store-dialect.js';

export type Tables = MigrationTables & ArchiveTables & BlobTables & AuditTables & ToolCacheTables & LedgerTables;

/** What `Store.write` gives to its work. */
export type StoreTransaction = Transaction<Tables>;

export interface Store {
  readonly kind: StoreKind;
  /** Where it lies, for people: without the password. */
  readonly location: string;
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

/**
 * Takes a lock by name, held until the transaction ends.
 *
 * Contract: who takes several takes them in one order, or two of them wait for each other and one is tried again.
 *
 * @param name begins with the part of the store that it belongs to, `blob:…`
 */
export async function lockExclusive(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  // In SQLite whoever writes is alone as it is.
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** A lock that many may hold at once, and nobody while another holds it by `lockUntilEnd`. */
export async function lockShared(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`.execute(tx);
}

/** Pages that `shrink` frees in one transaction, of 4 KB each. */
const pagesPerTransaction = 500;

/**
 * Returns free pages of a SQLite file to the disk: a part in each transaction, so that others write in between. Run once, the
 * pragma would free one page, because nothing asks it for more.
 *
 * @throws StoreError
 */
export async function shrink(store: Store): Promise<void> {
  if (store.kind !== 'sqlite') return;
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const free = await store.write(async (tx) => {
      const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(tx);
      const found = rows[0]?.freelist_count ?? 0;
      for (let page = 0; page < Math.min(found, pagesPerTransaction); page += 1)
        await sql`pragma incremental_vacuum`.execute(tx);
      return found;
    });
    if (free <= pagesPerTransaction || free >= before) return;
    before = free;
  }
}
