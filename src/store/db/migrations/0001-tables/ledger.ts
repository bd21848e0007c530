/** The tables of the ledger: amounts spent in the current window, and reservations. */

import type { Transaction } from 'kysely';

/** Dollars are counted in millionths. */
interface CounterColumns {
  calls: number;
  tokens: number;
  usd: number;
}

export interface LedgerTables {
  /** Spent and reserved, in the window that began at `start`. */
  ledger_counters: { scope: string; window_kind: string; start: number } & CounterColumns;
  /** Amounts that a counter includes for calls without a result yet. */
  ledger_reservations: {
    id: string;
    scope: string;
    window_kind: string;
    start: number;
    expires_at: number;
  } & CounterColumns;
}

export async function createLedgerTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('ledger_counters')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('window_kind', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('usd', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_counters_key', ['scope', 'window_kind'])
    .execute();
  await schema
    .createTable('ledger_reservations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('window_kind', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('usd', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('ledger_reservations_expires_at').on('ledger_reservations').column('expires_at').execute();
}
