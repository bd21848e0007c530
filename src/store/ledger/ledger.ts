/**
 * Counts what tenants, agents and models spend in a minute, an hour, a day or a month, for many processes at the same time.
 *
 * G1 Spent and reserved amounts together never exceed a limit, however many reserve at the same time. Only a call that uses more than
 *    its reservation can exceed it; the excess is counted.
 * G2 A reservation that is not settled is charged in full: its process died, and its usage is unknown. The counter includes
 *    it from the start, so deleting the reservation is enough.
 * G3 Windows follow the database's clock, so that machines with a shared limit need not agree on the time. A clock that is
 *    set back does not reopen a window (`computeCurrentStart`).
 */

import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { toCanonicalJson } from '../../core/lib/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { readDatabaseClock } from '../db/clock.js';
import { lockExclusive, type Store, type Tables } from '../db/store.js';

/** The calendar windows of limits, in UTC. */
export type LedgerWindow = 'minute' | 'hour' | 'day' | 'month';

const windowLengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Times are milliseconds since 1970. */
export function computeWindowStart(window: LedgerWindow, at: number): number {
  if (window !== 'month') return at - (((at % windowLengths[window]) + windowLengths[window]) % windowLengths[window]);
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** Returns the start of the next window. */
export function computeWindowEnd(window: LedgerWindow, start: number): number {
  if (window !== 'month') return start + windowLengths[window];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/**
 * Returns the start of the window to count in, for a counter whose window began at `known`.
 *
 * A clock that is set back does not reopen a window. A window beyond the next one comes from a wrong clock and must not
 * block anyone: its amounts count in the current window.
 */
export function computeCurrentStart(window: LedgerWindow, known: number, now: number): number {
  const start = computeWindowStart(window, now);
  return known > start && known <= computeWindowEnd(window, start) ? known : start;
}

/** The spender. An omitted member is a wildcard: `{ namespace, tenant }` is a tenant with all its agents and models. */
export interface LedgerScope {
  readonly namespace: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly model?: string;
}

export interface LedgerAmounts {
  readonly calls?: number;
  readonly tokens?: number;
  /** US dollars; counted in millionths. */
  readonly usd?: number;
}

export type LedgerCounter = keyof LedgerAmounts;

export interface ReserveRequest {
  readonly scope: LedgerScope;
  readonly window: LedgerWindow;
  /** The most that the call may use. */
  readonly amounts: LedgerAmounts;
  /** Limits per window; an omitted amount is unlimited. */
  readonly limits: LedgerAmounts;
  /** Time after which an unsettled reservation is charged in full: milliseconds or `'90s'`. Default 15 minutes. */
  readonly ttl?: Duration;
}

export type ReserveResult =
  | { readonly kind: 'reserved'; readonly id: string }
  /** `left`: the rest of that limit until the window ends at `resetsAt`. */
  | { readonly kind: 'rejected'; readonly limit: LedgerCounter; readonly left: number; readonly resetsAt: number };

export interface Ledger {
  readonly reserve: (request: ReserveRequest) => Promise<ReserveResult>;
  /** `expired`: it was charged in full or settled before; nothing changes. */
  readonly settle: (id: string, used: LedgerAmounts) => Promise<'settled' | 'expired'>;
  /** Settles a reservation of which nothing was used. */
  readonly release: (id: string) => Promise<'settled' | 'expired'>;
  /** Returns the amounts spent and reserved in the current window. */
  readonly getTotals: (
    scope: LedgerScope,
    window: LedgerWindow,
  ) => Promise<Required<LedgerAmounts> & { readonly resetsAt: number }>;
}

const counterNames = ['calls', 'tokens', 'usd'] as const satisfies readonly LedgerCounter[];

const defaultTtlMs = 15 * 60_000;

/** Time between two deletions of expired reservations. */
const pruneIntervalMs = 60_000;

/** @param now for tests; default: the database's clock (G3) */
export function createLedger(store: Store, now?: () => number): Ledger {
  const clock = (db: Kysely<Tables>) => (now === undefined ? readDatabaseClock(db, store) : Promise.resolve(now()));
  let pruneAt = Number.NEGATIVE_INFINITY;

  const prune = async (at: number) => {
    if (at < pruneAt && at > pruneAt - 2 * pruneIntervalMs) return;
    pruneAt = at + pruneIntervalMs;
    await store.write((tx) => tx.deleteFrom('ledger_reservations').where('expires_at', '<=', at).execute());
  };

  const settle = async (id: string, used: LedgerAmounts) => {
    return store.write(async (tx) => {
      const reservation = await tx
        .selectFrom('ledger_reservations')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (reservation === undefined) return 'expired';
      await lockExclusive(tx, store, toLockName(reservation.scope, reservation.window_kind));
      // Another process may have settled it, or it may have expired, while this one waited for the lock.
      const gone = await tx.deleteFrom('ledger_reservations').where('id', '=', id).returning('id').execute();
      if (gone.length === 0 || reservation.expires_at <= (await clock(tx))) return 'expired';
      const { calls, tokens, usd } = toCounterValues(used);
      await tx
        .updateTable('ledger_counters')
        .set((eb) => ({
          calls: eb('calls', '+', calls - reservation.calls),
          tokens: eb('tokens', '+', tokens - reservation.tokens),
          usd: eb('usd', '+', usd - reservation.usd),
        }))
        .where('scope', '=', reservation.scope)
        .where('window_kind', '=', reservation.window_kind)
        // The window of the reservation may be over: then there is nothing to give back.
        .where('start', '=', reservation.start)
        .execute();
      return 'settled';
    });
  };

  return {
    reserve: async ({ scope, window, amounts, limits, ttl = defaultTtlMs }) => {
      const ttlMs = parseDuration(ttl, 'ttl');
      const counterValues = toCounterValues(amounts);
      const maxValues = toCounterValues(limits);
      const done = await store.write(async (tx): Promise<{ readonly at: number; readonly reserved: ReserveResult }> => {
        const name = toScopeKey(scope);
        await lockExclusive(tx, store, toLockName(name, window));
        const at = await clock(tx);
        const { start, ...before } = await readCounter(tx, name, window, at);
        const row = { scope: name, window_kind: window, start };
        const count = (now: CounterValues) =>
          tx
            .insertInto('ledger_counters')
            .values({ ...row, ...now })
            .onConflict((conflict) => conflict.columns(['scope', 'window_kind']).doUpdateSet({ start, ...now }))
            .execute();
        const limit = counterNames.find(
          (counterName) =>
            limits[counterName] !== undefined &&
            before[counterName] + counterValues[counterName] > maxValues[counterName],
        );
        if (limit !== undefined) {
          // Moves the counter from the window of a wrong clock to the current one.
          await count(before);
          const left = fromCounterValue(limit, Math.max(0, maxValues[limit] - before[limit]));
          return { at, reserved: { kind: 'rejected', limit, left, resetsAt: computeWindowEnd(window, start) } };
        }
        await count(addValues(before, counterValues));
        const id = randomUUID();
        await tx
          .insertInto('ledger_reservations')
          .values({ id, ...row, ...counterValues, expires_at: at + ttlMs })
          .execute();
        return { at, reserved: { kind: 'reserved', id } };
      });
      await prune(done.at);
      return done.reserved;
    },
    settle,
    release: (id) => settle(id, {}),
    getTotals: async (scope, window) => {
      const { start, calls, tokens, usd } = await readCounter(
        store.db,
        toScopeKey(scope),
        window,
        await clock(store.db),
      );
      return { calls, tokens, usd: fromCounterValue('usd', usd), resetsAt: computeWindowEnd(window, start) };
    },
  };
}

/** A new window starts from zero; a window that only moved keeps its amounts. */
async function readCounter(db: Kysely<Tables>, scope: string, window: LedgerWindow, at: number) {
  const known = await db
    .selectFrom('ledger_counters')
    .select(['start', ...counterNames])
    .where('scope', '=', scope)
    .where('window_kind', '=', window)
    .executeTakeFirst();
  const start = computeCurrentStart(window, known?.start ?? Number.NEGATIVE_INFINITY, at);
  if (known === undefined || start > known.start) return { start, calls: 0, tokens: 0, usd: 0 };
  return { ...known, start };
}

function toScopeKey({ namespace, tenant, agent, model }: LedgerScope): string {
  return toCanonicalJson([namespace, tenant ?? null, agent ?? null, model ?? null]);
}

function toLockName(scope: string, window: string): string {
  return `ledger:${window}:${scope}`;
}

type CounterValues = Required<LedgerAmounts>;

function toCounterValues({ calls = 0, tokens = 0, usd = 0 }: LedgerAmounts): CounterValues {
  // Rounded first: 0.29 dollars are 290,000.00000000006 millionths.
  return { calls, tokens, usd: Math.ceil(Number((usd * 1e6).toFixed(3))) };
}

function fromCounterValue(counter: LedgerCounter, value: number): number {
  return counter === 'usd' ? value / 1e6 : value;
}

function addValues(a: CounterValues, b: CounterValues): CounterValues {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}
