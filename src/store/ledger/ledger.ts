/**
 * What tenants, agents and models may spend in a minute, an hour, a day or a month, counted for many processes at once.
 *
 * G1 What was spent and what is reserved together never exceed a limit, whoever reserves at the same moment; unless more
 *    was used than had been reserved, which is counted all the same.
 * G2 A reservation that nobody settles is charged whole: its process died, and what it did is not known. The counter holds
 *    it from the beginning, so to forget the reservation is all that it takes.
 * G3 Windows go by the database's clock: machines that share a limit need not agree on the time. A clock that is set back
 *    opens no window again (`currentStart`).
 */

import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { toCanonicalJson } from '../../core/lib/json.js';
import { lockExclusive, type Store, type Tables } from '../db/store.js';

/** The windows that limits are for, by the calendar in UTC. */
export type LedgerWindow = 'minute' | 'hour' | 'day' | 'month';

const windowLengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Times are milliseconds since 1970. */
export function computeWindowStart(window: LedgerWindow, at: number): number {
  if (window !== 'month') return at - (((at % windowLengths[window]) + windowLengths[window]) % windowLengths[window]);
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** The moment when the next one begins. */
export function computeWindowEnd(window: LedgerWindow, start: number): number {
  if (window !== 'month') return start + windowLengths[window];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/**
 * The window to count in, for a counter whose window began at `known`.
 *
 * A clock that is set back opens no window a second time. Where a window lies further ahead than the next, its clock was
 * wrong, and nobody is to wait for it: what was counted in it counts in the one that is now.
 */
export function computeCurrentStart(window: LedgerWindow, known: number, now: number): number {
  const start = computeWindowStart(window, now);
  return known > start && known <= computeWindowEnd(window, start) ? known : start;
}

/** Who spends. What is left out is everybody: `{ namespace, tenant }` is a tenant with all its agents and models. */
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

export type CounterName = keyof LedgerAmounts;

export interface ReserveRequest {
  readonly scope: LedgerScope;
  readonly window: LedgerWindow;
  /** The most that it may take. */
  readonly amounts: LedgerAmounts;
  /** In one window; what is left out has none. */
  readonly limits: LedgerAmounts;
  /** Milliseconds after which it is charged whole, if nobody has settled it. Default 15 minutes. */
  readonly ttlMs?: number;
}

export type ReserveResult =
  | { readonly kind: 'reserved'; readonly id: string }
  /** `left` of that limit, until it is whole again at `resetsAt`. */
  | { readonly kind: 'refused'; readonly limit: CounterName; readonly left: number; readonly resetsAt: number };

export interface Ledger {
  readonly reserve: (request: ReserveRequest) => Promise<ReserveResult>;
  /** `expired`: it has been charged whole, or was settled before; then nothing is changed. */
  readonly settle: (id: string, used: LedgerAmounts) => Promise<'settled' | 'expired'>;
  /** Nothing of it was used. */
  readonly release: (id: string) => Promise<'settled' | 'expired'>;
  /** Spent and reserved in the window that now is. */
  readonly getTotals: (
    scope: LedgerScope,
    window: LedgerWindow,
  ) => Promise<Required<LedgerAmounts> & { readonly resetsAt: number }>;
}

const counterNames = ['calls', 'tokens', 'usd'] as const satisfies readonly CounterName[];

const defaultTtlMs = 15 * 60_000;

/** Milliseconds between two looks for reservations that have expired. */
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
      const held = await tx.selectFrom('ledger_reservations').selectAll().where('id', '=', id).executeTakeFirst();
      if (held === undefined) return 'expired';
      await lockExclusive(tx, store, toLockName(held.scope, held.window_kind));
      // Another may have settled it, or it may have been forgotten, while this one waited.
      const gone = await tx.deleteFrom('ledger_reservations').where('id', '=', id).returning('id').execute();
      if (gone.length === 0 || held.expires_at <= (await clock(tx))) return 'expired';
      const { calls, tokens, usd } = toCounterValues(used);
      await tx
        .updateTable('ledger_counters')
        .set((eb) => ({
          calls: eb('calls', '+', calls - held.calls),
          tokens: eb('tokens', '+', tokens - held.tokens),
          usd: eb('usd', '+', usd - held.usd),
        }))
        .where('scope', '=', held.scope)
        .where('window_kind', '=', held.window_kind)
        // It was reserved in a window that is over: there is nothing left to give back.
        .where('start', '=', held.start)
        .execute();
      return 'settled';
    });
  };

  return {
    reserve: async ({ scope, window, amounts, limits, ttlMs = defaultTtlMs }) => {
      const wanted = toCounterValues(amounts);
      const most = toCounterValues(limits);
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
          (each) => limits[each] !== undefined && before[each] + wanted[each] > most[each],
        );
        if (limit !== undefined) {
          // Also then: the window of a wrong clock must end with the one that is now.
          await count(before);
          const left = fromCounterValue(limit, Math.max(0, most[limit] - before[limit]));
          return { at, reserved: { kind: 'refused', limit, left, resetsAt: computeWindowEnd(window, start) } };
        }
        await count(addValues(before, wanted));
        const id = randomUUID();
        await tx
          .insertInto('ledger_reservations')
          .values({ id, ...row, ...wanted, expires_at: at + ttlMs })
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

/** A window that has begun since starts from nothing; one that only lies elsewhere goes on with what it has. */
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

async function readDatabaseClock(db: Kysely<Tables>, { kind }: Store): Promise<number> {
  // Whoever shares a file shares its machine's clock.
  if (kind === 'sqlite') return Date.now();
  const { rows } = await sql<{ at: number }>`select floor(extract(epoch from clock_timestamp()) * 1000) as at`.execute(
    db,
  );
  return rows[0]?.at ?? Date.now();
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

function fromCounterValue(counter: CounterName, value: number): number {
  return counter === 'usd' ? value / 1e6 : value;
}

function addValues(a: CounterValues, b: CounterValues): CounterValues {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}
