/** The tables of the ledger: budgets, amounts spent in the current window, reservations, and the rates of endpoints. */

import type { CreateTableBuilder, Transaction } from 'kysely';

/** Dollars are counted in millionths. */
interface CounterColumns {
  calls: number;
  tokens: number;
  usd: number;
}

/** The window of a counter. */
interface CounterKeyColumns {
  scope: string;
  window_kind: string;
  start: number;
}

export interface LedgerTables {
  /** Empty names: all together. */
  ledger_budgets: {
    namespace: string;
    tenant: string;
    agent: string;
    model: string;
    window_kind: string;
    /** The budget as JSON. */
    budget: string;
    /** `worker`: of a worker's options, which change it. `person`: only a person changes it. */
    source: string;
    set_by: string | null;
    set_at: number;
  };
  /** Spent and reserved, in the window that began at `start`; raises and alerts of this window. */
  ledger_counters: CounterKeyColumns &
    CounterColumns & { raised_calls: number; raised_tokens: number; raised_usd: number; is_alerted: number };
  /** Amounts that a counter includes for calls without a result yet. */
  ledger_reservations: { id: string; expires_at: number } & CounterKeyColumns & CounterColumns;
  /** Planned starts of calls (`RateLog`), as JSON; after a provider's own limit, no call starts before `not_before`. */
  ledger_rates: { endpoint: string; log: string; not_before: number };
}

const key = ['scope', 'window_kind'] as const;

export async function createLedgerTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('ledger_budgets')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('window_kind', 'text', (column) => column.notNull())
    .addColumn('budget', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('set_by', 'text')
    .addColumn('set_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_budgets_key', ['namespace', 'tenant', 'agent', 'model', 'window_kind'])
    .execute();
  await addAmounts(addKey(schema.createTable('ledger_counters')), ['', 'raised_'])
    .addColumn('is_alerted', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('ledger_counters_key', [...key])
    .execute();
  await addAmounts(addKey(schema.createTable('ledger_reservations')), [''])
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_reservations_key', ['id', ...key])
    .execute();
  await schema.createIndex('ledger_reservations_expires_at').on('ledger_reservations').column('expires_at').execute();
  await schema
    .createTable('ledger_rates')
    .addColumn('endpoint', 'text', (column) => column.primaryKey())
    .addColumn('log', 'text', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .execute();
}

type Table = CreateTableBuilder<string, string>;

function addKey(table: CreateTableBuilder<string>): Table {
  return table
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('window_kind', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull());
}

function addAmounts(table: Table, prefixes: readonly string[]): Table {
  return prefixes
    .flatMap((prefix) => ['calls', 'tokens', 'usd'].map((amount) => `${prefix}${amount}`))
    .reduce<Table>((next, name) => next.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)), table);
}
