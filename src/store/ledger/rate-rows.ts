/**
 * The starts of calls at rated endpoints, in the store. A call that starts later gets a ticket: a reservation without an amount,
 * which keeps its start until it comes back.
 */

import type { StoreTransaction, Tables } from '../db/store.js';
import type { CounterValues } from './budget.js';
import { addToLog, findStart, getMaxLateMs, maxQueueMs, type Rate, type RateLog, returnToLog } from './rate-log.js';

/** What has a rate: an endpoint of models, or an agent. */
export interface RatedEndpoint {
  /** Unique in the store. */
  readonly endpoint: string;
  readonly rate: Rate;
}

/** Of reservations, beside the windows of budgets. */
const rateKind = 'rate';

export function toRateScope({ endpoint }: RatedEndpoint): { readonly scope: string; readonly window: string } {
  return { scope: endpoint, window: rateKind };
}

export function isRateRow({ window_kind }: Pick<Tables['ledger_reservations'], 'window_kind'>): boolean {
  return window_kind === rateKind;
}

interface PlannedCall {
  readonly rates: readonly RatedEndpoint[];
  /** The id of its tickets, and those that it has. */
  readonly ticket: string;
  readonly tickets: readonly Ticket[];
  readonly amounts: CounterValues;
  readonly maxWaitMs: number;
  readonly mayQueue: boolean;
}

export type Plan =
  | { readonly kind: 'planned'; readonly startsInMs: number; readonly start: number }
  | { readonly kind: 'queued'; readonly startsInMs: number; readonly endpoint: string };

/** Plans the start of a call at all its endpoints, or returns the start that it was given before. */
export async function planStart(tx: StoreTransaction, call: PlannedCall, at: number): Promise<Plan> {
  const { rates, amounts, maxWaitMs, ticket: id, tickets } = call;
  const rows = await Promise.all(rates.map(async (rated) => ({ ...rated, ...(await readRate(tx, rated)) })));
  if (tickets.length > 0) await tx.deleteFrom('ledger_reservations').where('id', '=', id).execute();
  const latest = at + (call.mayQueue ? maxQueueMs : maxWaitMs);
  const start =
    findTicketStart(tickets, rows, amounts, at) ?? (await addStart(tx, rows, tickets, amounts, { at, latest }));
  // It asks again when the queue is shorter.
  if (start === null) return { kind: 'queued', startsInMs: latest - at, endpoint: rates[0]?.endpoint ?? '' };
  const startsInMs = Math.max(0, start - at);
  if (startsInMs <= maxWaitMs) return { kind: 'planned', startsInMs, start };
  const ticket = { ...amounts, id, window_kind: rateKind, start };
  const kept = rates.map(({ endpoint, rate }) => ({
    ...ticket,
    scope: endpoint,
    expires_at: start + getMaxLateMs(rate),
  }));
  await tx.insertInto('ledger_reservations').values(kept).execute();
  return { kind: 'queued', startsInMs, endpoint: rates[0]?.endpoint ?? '' };
}

type Ticket = Pick<Tables['ledger_reservations'], 'scope' | 'start' | 'tokens' | 'expires_at'>;

interface RatedRow extends RatedEndpoint, RateRow {}

/**
 * Returns null for a call without a ticket, one that comes too late, one that may use more than it had planned, and where an
 * endpoint has asked for a later time since.
 */
function findTicketStart(
  tickets: readonly Ticket[],
  rows: readonly RatedRow[],
  { tokens }: CounterValues,
  at: number,
): number | null {
  const isValid = rows.every(({ endpoint, notBefore }) => {
    const ticket = tickets.find(({ scope }) => scope === endpoint);
    if (ticket === undefined || ticket.expires_at <= at) return false;
    return ticket.tokens >= tokens && ticket.start >= Math.min(notBefore, at + maxQueueMs);
  });
  return isValid ? (tickets[0]?.start ?? null) : null;
}

/** Plans a start, and returns the one of a ticket that is not used. Null where none is early enough. */
async function addStart(
  tx: StoreTransaction,
  rows: readonly RatedRow[],
  tickets: readonly Ticket[],
  { tokens }: CounterValues,
  { at, latest }: { readonly at: number; readonly latest: number },
): Promise<number | null> {
  const freed = rows.map((row) => {
    const ticket = tickets.find(({ scope }) => scope === row.endpoint);
    const log =
      ticket === undefined
        ? row.log
        : returnToLog(row.log, row.rate, ticket.start, { requests: 1, tokens: ticket.tokens });
    return { ...row, log };
  });
  const start = Math.max(...freed.map(({ log, rate, notBefore }) => findStart(log, rate, tokens, { at, notBefore })));
  const isFull = start > latest;
  for (const { endpoint, rate, log, notBefore } of freed)
    await writeRate(tx, endpoint, { log: isFull ? log : addToLog(log, rate, tokens, { start, at }), notBefore });
  return isFull ? null : start;
}

/**
 * Returns the unused part of a planned call to its endpoint. `calls`: 1 for a call that was not sent. `notBefore`: no call starts before
 * this time, which the endpoint itself asked for; 0 for none.
 */
export async function returnStart(
  tx: StoreTransaction,
  rated: RatedEndpoint,
  start: number,
  { calls, tokens, notBefore }: Pick<CounterValues, 'calls' | 'tokens'> & { readonly notBefore: number },
): Promise<void> {
  const known = await readRate(tx, rated);
  const log = returnToLog(known.log, rated.rate, start, { requests: calls, tokens });
  await writeRate(tx, rated.endpoint, { log, notBefore: Math.max(known.notBefore, notBefore) });
}

interface RateRow {
  readonly log: RateLog;
  readonly notBefore: number;
}

async function readRate(tx: StoreTransaction, { endpoint }: RatedEndpoint): Promise<RateRow> {
  const row = await tx.selectFrom('ledger_rates').selectAll().where('endpoint', '=', endpoint).executeTakeFirst();
  return row === undefined
    ? { log: [], notBefore: 0 }
    : { log: JSON.parse(row.log) as RateLog, notBefore: row.not_before };
}

async function writeRate(tx: StoreTransaction, endpoint: string, { log, notBefore }: RateRow): Promise<void> {
  const row = { log: JSON.stringify(log), not_before: notBefore };
  await tx
    .insertInto('ledger_rates')
    .values({ endpoint, ...row })
    .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(row))
    .execute();
}
