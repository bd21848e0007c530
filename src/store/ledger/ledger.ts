/**
 * Admits the calls of many processes at the same time: to the budgets that apply to them, and to the rates of their endpoints.
 *
 * G1 Spent and reserved amounts together never exceed a budget, however many reserve at the same time. Only a call that uses more
 *    than its reservation can exceed it; the excess is counted.
 * G2 A reservation that is not settled is charged in full: its process died, and its usage is unknown. The counter includes
 *    it from the start, so deleting the reservation is enough.
 * G3 Windows follow the database's clock, so that machines with a shared budget need not agree on the time. A clock that is
 *    set back does not reopen a window (`computeCurrentStart`).
 * G4 A call is reserved in all its budgets and at all its rates in one transaction, or in none. Reserving twice with one id is
 *    reserving once.
 */

import { budgetCounters } from '../../core/model/index.js';
import type { Store, StoreTransaction, Tables } from '../db/store.js';
import {
  type AppliedBudget,
  addValues,
  type Budget,
  type CounterValues,
  fromCounterValue,
  type LedgerAmounts,
  type LedgerCounter,
  type Spender,
  selectBudgets,
  subtractValues,
  toCounterValues,
} from './budget.js';
import {
  type CounterRow,
  type CurrentCounter,
  lockCounters,
  readCounters,
  returnUnused,
  selectBudgetRows,
  sumOpenReservations,
  writeCounters,
} from './counters.js';
import { maxQueueMs } from './rate-log.js';
import { isRateRow, planStart, type RatedEndpoint, returnStart, toRateScope } from './rate-rows.js';
import { computeWindowEnd } from './window.js';

/** A call before it is made. */
export interface SpendingCall extends Spender {
  /** Unique for each attempt. */
  readonly id: string;
  /** The most that the call may use. */
  readonly amounts: LedgerAmounts;
  /** Whether its model has a price: else no budget in dollars admits it. */
  readonly isPriced: boolean;
  /** Milliseconds after which an unsettled reservation is charged in full. */
  readonly ttlMs: number;
  /** Empty without a rate. */
  readonly rates: readonly RatedEndpoint[];
  /** The same in each attempt of a chain at one call: a queued call keeps its start. */
  readonly ticket: string;
  /** Longest wait of a reserved call for its start, in milliseconds; a call that starts later is queued. */
  readonly maxWaitMs: number;
  /** Whether the call comes back with its ticket: only then it gets a start. */
  readonly mayQueue: boolean;
}

/** A budget, and how much of it is used. */
interface SpentBudget {
  /** With the names of its spender instead of `*`. */
  readonly budget: Budget;
  readonly counter: LedgerCounter;
  /** Spent, without the reservations of calls under way. */
  readonly spent: number;
  /** With raises. */
  readonly limit: number;
  /** End of the window, in milliseconds since 1970. */
  readonly resetsAt: number;
}

interface Rejection extends SpentBudget {
  readonly isHeld: boolean;
}

/** A budget of which the part `alertAt` is used, for the first time in its window. */
export interface BudgetAlert extends SpentBudget {}

export type Admission =
  /** The call may start after this time, in milliseconds. */
  | { readonly kind: 'reserved'; readonly startsInMs: number }
  /** Nothing is reserved. The call keeps its start if it comes back with its ticket by then. */
  | { readonly kind: 'queued'; readonly startsInMs: number; readonly endpoint: string }
  /** Nothing is reserved: the budget is in dollars, and the model has no price. */
  | { readonly kind: 'unpriced'; readonly budget: Budget }
  /** Nothing is reserved. `isHeld`: the budget is enough once the calls under way are settled for less than their reservations. */
  | ({ readonly kind: 'rejected'; readonly resetsInMs: number; readonly isHeld: boolean } & SpentBudget);

export interface ReserveResult {
  readonly admission: Admission;
  readonly alerts: readonly BudgetAlert[];
}

/** What a call used. `isSent`: whether a request reached its endpoint, which counts towards a rate. */
interface Settlement {
  readonly used: LedgerAmounts;
  readonly isSent: boolean;
  /** Milliseconds until the endpoint takes calls again, as it stated; null for none. */
  readonly retryAfterMs: number | null;
}

export interface Ledger {
  /** @throws {StoreError} */
  readonly reserve: (call: SpendingCall) => Promise<ReserveResult>;
  /**
   * `expired`: it was charged in full or settled before; nothing changes.
   *
   * @throws {StoreError}
   */
  readonly settle: (call: Pick<SpendingCall, 'id' | 'rates'>, settlement: Settlement) => Promise<'settled' | 'expired'>;
}

/** Part of a limit at which an alert is emitted. */
export const defaultAlertAt = 0.8;

/** Time between two deletions of expired reservations, in milliseconds. */
const pruneIntervalMs = 60_000;

/** @param now for tests; default: the database's clock (G3) */
export function createLedger(store: Store, now?: () => number): Ledger {
  let pruneAt = Number.NEGATIVE_INFINITY;

  const prune = async (at: number) => {
    if (at < pruneAt && at > pruneAt - 2 * pruneIntervalMs) return;
    pruneAt = at + pruneIntervalMs;
    await store.write((tx) => tx.deleteFrom('ledger_reservations').where('expires_at', '<=', at).execute());
  };

  return {
    reserve: async (call) => {
      const done = await store.write(async (tx) => {
        const applied = selectBudgets(await selectBudgetRows(tx, call), call);
        const keys = [...applied.map(({ counter }) => counter), ...call.rates.map(toRateScope)];
        const lockedAt = await lockCounters(tx, store, keys);
        const at = now?.() ?? lockedAt;
        return { at, result: await reserveCall(tx, call, applied, at) };
      });
      // The call is reserved, however this ends.
      void prune(done.at).catch(() => {});
      return done.result;
    },
    settle: ({ id, rates }, settlement) =>
      store.write(async (tx) => {
        // The process that deletes the rows settles them.
        const rows = await tx.deleteFrom('ledger_reservations').where('id', '=', id).returningAll().execute();
        if (rows.length === 0) return 'expired';
        const keys = rows.map(({ scope, window_kind: window }) => ({ scope, window }));
        const lockedAt = await lockCounters(tx, store, keys);
        const at = now?.() ?? lockedAt;
        // Charged in full, also where it expired while this process waited for the locks.
        if (rows.some(({ expires_at }) => expires_at <= at)) return 'expired';
        await settleRows(tx, rows, rates, settlement, at);
        return 'settled';
      }),
  };
}

async function reserveCall(
  tx: StoreTransaction,
  call: SpendingCall,
  applied: readonly AppliedBudget[],
  at: number,
): Promise<ReserveResult> {
  const { id } = call;
  const ticket = `ticket:${call.ticket}`;
  const known = await tx.selectFrom('ledger_reservations').selectAll().where('id', 'in', [id, ticket]).execute();
  // The answer to the first reservation was lost.
  if (known.some((row) => row.id === id)) return { admission: { kind: 'reserved', startsInMs: 0 }, alerts: [] };
  const inDollars = applied.find(({ budget }) => budget.usd !== undefined);
  if (inDollars !== undefined && !call.isPriced)
    return { admission: { kind: 'unpriced', budget: inDollars.budget }, alerts: [] };
  const amounts = toCounterValues(call.amounts);
  const keys = applied.map(({ counter }) => counter);
  const counters = await readCounters(tx, keys, at);
  const spends = applied.map(({ budget }, index) => new Spend(budget, counters[index] as CurrentCounter, amounts));
  for (const spend of spends.filter((each) => each.isPressed())) await spend.readOpen(tx, at);
  const alerts = spends.flatMap((spend) => spend.findAlert() ?? []);
  const rejected = chooseRejection(spends.flatMap((spend) => spend.findRejection() ?? []));
  if (rejected !== null) {
    await writeCounters(
      tx,
      spends.flatMap((spend) => spend.toRow({ reserves: false }) ?? []),
    );
    const resetsInMs = Math.max(1, rejected.resetsAt - at);
    return { admission: { kind: 'rejected', resetsInMs, ...rejected }, alerts };
  }
  const plan = call.rates.length === 0 ? null : await planStart(tx, { ...call, amounts, ticket, tickets: known }, at);
  const reserves = plan?.kind !== 'queued';
  const rows = spends.flatMap((spend) => spend.toRow({ reserves }) ?? []);
  await writeCounters(tx, rows);
  if (plan?.kind === 'queued') return { admission: plan, alerts };
  const starts = call.rates.map((rated) => ({ ...toRateScope(rated), start: plan?.start ?? at }));
  const reserved = [
    ...rows.map(({ scope, window_kind, start }) => ({ scope, window_kind, start })),
    ...starts.map(({ scope, window, start }) => ({ scope, window_kind: window, start })),
  ].map((row) => ({ id, ...row, ...amounts, expires_at: at + call.ttlMs }));
  if (reserved.length > 0) await tx.insertInto('ledger_reservations').values(reserved).execute();
  return { admission: { kind: 'reserved', startsInMs: plan?.startsInMs ?? 0 }, alerts };
}

async function settleRows(
  tx: StoreTransaction,
  rows: readonly Tables['ledger_reservations'][],
  rates: readonly RatedEndpoint[],
  { used, isSent, retryAfterMs }: Settlement,
  at: number,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  // The same in each row.
  const unused = subtractValues(first, toCounterValues(used));
  await returnUnused(
    tx,
    rows.filter((row) => !isRateRow(row)),
    unused,
  );
  for (const { scope, start } of rows.filter(isRateRow)) {
    const rated = rates.find(({ endpoint }) => endpoint === scope);
    // A call that was sent returns only tokens, which count where the rate limits them.
    const returns = !isSent || rated?.rate.tokens !== undefined || retryAfterMs !== null;
    if (rated === undefined || !returns) continue;
    const notBefore = retryAfterMs === null ? 0 : at + Math.min(retryAfterMs, maxQueueMs);
    await returnStart(tx, rated, start, { tokens: unused.tokens, calls: isSent ? 0 : 1, notBefore });
  }
}

/** What a call does to one budget. */
class Spend {
  /** Reserved for calls under way; read only where it matters. */
  private open: CounterValues = { calls: 0, tokens: 0, usd: 0 };

  constructor(
    private readonly budget: Budget,
    private readonly counter: CurrentCounter,
    private readonly amounts: CounterValues,
  ) {}

  /** Whether an alert or a rejection is possible. */
  isPressed(): boolean {
    return this.findAlert() !== null || this.findExceeded(this.counter.row) !== undefined;
  }

  async readOpen(tx: StoreTransaction, at: number): Promise<void> {
    this.open = await sumOpenReservations(tx, this.counter.row, at);
  }

  findAlert(): BudgetAlert | null {
    const { alertAt = defaultAlertAt } = this.budget;
    if (this.counter.row.is_alerted === 1) return null;
    const spent = this.getSpent();
    const alerted = budgetCounters.find((name) => spent[name] >= alertAt * this.getLimit(name));
    return alerted === undefined ? null : this.describe(alerted);
  }

  findRejection(): Rejection | null {
    const exceeded = this.findExceeded(this.counter.row);
    if (exceeded === undefined) return null;
    const isHeld = this.findExceeded(this.getSpent()) === undefined;
    return { ...this.describe(exceeded), isHeld };
  }

  private findExceeded(spent: CounterValues): LedgerCounter | undefined {
    return budgetCounters.find((name) => spent[name] + this.amounts[name] > this.getLimit(name));
  }

  private getSpent(): CounterValues {
    return subtractValues(this.counter.row, this.open);
  }

  /** Returns the row to write; null if it stays. A counter moves from the window of a wrong clock to the current one. */
  toRow({ reserves }: { readonly reserves: boolean }): CounterRow | null {
    const { row, isMoved } = this.counter;
    const isAlerting = this.findAlert() !== null;
    if (!reserves && !isMoved && !isAlerting) return null;
    return { ...row, ...(reserves ? addValues(row, this.amounts) : {}), is_alerted: isAlerting ? 1 : row.is_alerted };
  }

  private getLimit(name: LedgerCounter): number {
    const limit = this.budget[name];
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    return toCounterValues({ [name]: limit })[name] + this.counter.row[`raised_${name}`];
  }

  private describe(counter: LedgerCounter): SpentBudget {
    const { budget } = this;
    const { row } = this.counter;
    return {
      ...{ budget, counter },
      spent: fromCounterValue(counter, this.getSpent()[counter]),
      limit: fromCounterValue(counter, this.getLimit(counter)),
      resetsAt: computeWindowEnd(budget.per, row.start),
    };
  }
}

/** Of several budgets that reject a call, the one that ends the chain decides, then one that asks; then the one that resets last. */
function chooseRejection(rejections: readonly Rejection[]): Rejection | null {
  const rank = ({ budget, isHeld }: Rejection) =>
    isHeld ? -1 : { wait: 0, fallback: 1, ask: 2, end: 3 }[budget.onLimit ?? 'wait'];
  const [first] = [...rejections].sort((a, b) => rank(b) - rank(a) || b.resetsAt - a.resetsAt);
  return first ?? null;
}
