/** Rows of budgets and counters. All in a transaction that holds the locks of its counters (G4). */

import { sql } from 'kysely';
import { readDatabaseClock } from '../db/clock.js';
import type { Store, StoreTransaction, Tables } from '../db/store.js';
import type { Budget, CounterKey, CounterValues, Spender } from './budget.js';
import { computeCurrentStart } from './window.js';

export interface CounterRow extends CounterValues {
  readonly scope: string;
  readonly window_kind: CounterKey['window'];
  readonly start: number;
  readonly raised_calls: number;
  readonly raised_tokens: number;
  readonly raised_usd: number;
  readonly is_alerted: number;
}

/** A counter in its current window. */
export interface CurrentCounter {
  readonly row: CounterRow;
  /** Whether the stored row is of another window. */
  readonly isMoved: boolean;
}

const unused = { calls: 0, tokens: 0, usd: 0, raised_calls: 0, raised_tokens: 0, raised_usd: 0, is_alerted: 0 };

/** Returns the stored budgets that may apply to a spender. */
export async function selectBudgetRows(
  tx: StoreTransaction,
  { namespace, tenant, agent, model }: Spender,
): Promise<readonly Budget[]> {
  const rows = await tx
    .selectFrom('ledger_budgets')
    .select('budget')
    .where('namespace', '=', namespace)
    .where('tenant', 'in', ['', '*', tenant ?? ''])
    .where('agent', 'in', ['', '*', agent])
    .where('model', 'in', ['', '*', model.id, model.name])
    .execute();
  return rows.map(({ budget }) => JSON.parse(budget) as Budget);
}

/**
 * Takes the locks of the counters in one statement, in a fixed order, and returns the time after it, by the clock of the database.
 * SQLite has one writer at a time.
 */
export async function lockCounters(
  tx: StoreTransaction,
  { kind }: Pick<Store, 'kind'>,
  keys: readonly { readonly scope: string; readonly window: string }[],
): Promise<number> {
  if (kind !== 'postgres' || keys.length === 0) return readDatabaseClock(tx, { kind });
  const names = keys.map(({ scope, window }) => `ledger:${window}:${scope}`).sort();
  const locks = sql`select name from unnest(${names}::text[]) with ordinality as names(name, place) order by place`;
  const { rows } = await sql<{
    at: number;
  }>`select pg_advisory_xact_lock(hashtextextended(name, 0)), floor(extract(epoch from clock_timestamp()) * 1000) as at from (${locks}) as locks`.execute(
    tx,
  );
  return Math.max(...rows.map(({ at }) => at));
}

/** Returns the counters in their current windows: a new window starts from zero, and one that only moved keeps its amounts. */
export async function readCounters(
  db: Pick<StoreTransaction, 'selectFrom'>,
  keys: readonly CounterKey[],
  at: number,
): Promise<readonly CurrentCounter[]> {
  if (keys.length === 0) return [];
  const scopes = [...new Set(keys.map(({ scope }) => scope))];
  const rows = await db.selectFrom('ledger_counters').selectAll().where('scope', 'in', scopes).execute();
  return keys.map((key) => {
    const known = rows.find(({ scope, window_kind }) => scope === key.scope && window_kind === key.window);
    return toCurrentCounter(key, known, at);
  });
}

export function toCurrentCounter(
  { scope, window }: CounterKey,
  known: Tables['ledger_counters'] | undefined,
  at: number,
): CurrentCounter {
  const start = computeCurrentStart(window, known?.start ?? Number.NEGATIVE_INFINITY, at);
  const key = { scope, window_kind: window, start };
  if (known === undefined || start > known.start) return { row: { ...unused, ...key }, isMoved: false };
  return { row: { ...known, ...key }, isMoved: start !== known.start };
}

export async function writeCounters(tx: StoreTransaction, rows: readonly CounterRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('ledger_counters')
    .values(rows.map((row) => ({ ...row })))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'window_kind']).doUpdateSet(({ ref }) => ({
        start: ref('excluded.start'),
        calls: ref('excluded.calls'),
        tokens: ref('excluded.tokens'),
        usd: ref('excluded.usd'),
        raised_calls: ref('excluded.raised_calls'),
        raised_tokens: ref('excluded.raised_tokens'),
        raised_usd: ref('excluded.raised_usd'),
        is_alerted: ref('excluded.is_alerted'),
      })),
    )
    .execute();
}

/** Returns what a counter includes for calls without a result yet. */
export async function sumOpenReservations(tx: StoreTransaction, row: CounterRow, at: number): Promise<CounterValues> {
  const sums = await tx
    .selectFrom('ledger_reservations')
    .select(({ fn }) => [fn.sum('calls').as('calls'), fn.sum('tokens').as('tokens'), fn.sum('usd').as('usd')])
    .where('scope', '=', row.scope)
    .where('window_kind', '=', row.window_kind)
    .where('start', '=', row.start)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return { calls: Number(sums?.calls ?? 0), tokens: Number(sums?.tokens ?? 0), usd: Number(sums?.usd ?? 0) };
}

/** Gives back the unused part of a reservation, in the windows that are not over. */
export async function returnUnused(
  tx: StoreTransaction,
  rows: readonly Pick<Tables['ledger_reservations'], 'scope' | 'window_kind' | 'start'>[],
  amounts: CounterValues,
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .updateTable('ledger_counters')
    .set((eb) => ({
      calls: eb('calls', '-', amounts.calls),
      tokens: eb('tokens', '-', amounts.tokens),
      usd: eb('usd', '-', amounts.usd),
    }))
    .where((eb) => eb.or(rows.map(({ scope, window_kind, start }) => eb.and({ scope, window_kind, start }))))
    .execute();
}
