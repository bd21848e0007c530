/**
 * When the calls of an endpoint may start, so that in no period they exceed its rate. Pure: the caller has the clock and the row.
 *
 * R1 Calls start in the order in which they asked. Each gets its start once, and none is asked to come back and compete.
 * R2 The period is divided into slots. A log has the planned requests and tokens of the slots that still count. A period touches one
 *    slot more than it has, and a call may start late by some slots (`getMaxLateMs`), so a limit applies to that many slots more.
 * R3 A log is bounded: at most one entry for each of these slots, because no later call starts before an earlier one.
 */

/** At least one of the limits. */
export interface Rate {
  /** Calls in a period. */
  readonly requests?: number;
  /** Input and output tokens in a period. */
  readonly tokens?: number;
  /** Length of the period, in milliseconds. */
  readonly perMs: number;
}

/** Planned calls of a slot: its number since 1970, their number, and their tokens. */
export type RateEntry = readonly [slot: number, requests: number, tokens: number];

/** By slot, the oldest first. */
export type RateLog = readonly RateEntry[];

const slotsPerPeriod = 120;
const lateSlots = 4;
const countedSlots = slotsPerPeriod + 1 + lateSlots;

/** Longest queue, in milliseconds. A log that begins later is from a clock that was wrong. */
export const maxQueueMs = 60 * 60_000;

export function getSlotMs({ perMs }: Rate): number {
  return perMs / slotsPerPeriod;
}

/** Returns the milliseconds by which a call may start later than planned: 2 seconds for a period of a minute. */
export function getMaxLateMs(rate: Rate): number {
  return Math.ceil(lateSlots * getSlotMs(rate));
}

/**
 * Returns the earliest start of a call, in whole milliseconds since 1970. A call that may use more tokens than a period allows gets a
 * period of its own.
 *
 * @param notBefore after a provider's own limit
 */
export function findStart(log: RateLog, rate: Rate, tokens: number, { at, notBefore }: RateTime): number {
  const slotMs = getSlotMs(rate);
  const known = dropWrongEntries(log, rate, at);
  const earliest = Math.max(at, notBefore > at + maxQueueMs ? at : notBefore);
  const { requests: maxRequests = Number.POSITIVE_INFINITY, tokens: maxTokens = Number.POSITIVE_INFINITY } = rate;
  let slot = Math.max(Math.floor(earliest / slotMs), known.at(-1)?.[0] ?? 0);
  let counted = known.filter((entry) => entry[0] > slot - countedSlots);
  for (;;) {
    const [oldest] = counted;
    const sum = addEntries(counted);
    const fits = sum.requests + 1 <= maxRequests && sum.tokens + Math.min(tokens, maxTokens) <= maxTokens;
    if (oldest === undefined || fits) return Math.max(earliest, Math.ceil(slot * slotMs));
    slot = Math.max(slot, oldest[0] + countedSlots);
    counted = counted.slice(1);
  }
}

interface RateTime {
  readonly at: number;
  readonly notBefore: number;
}

/** Plans a call at a start that is not before those of the log. */
export function addToLog(
  log: RateLog,
  rate: Rate,
  tokens: number,
  { start, at }: { start: number; at: number },
): RateLog {
  const slot = Math.floor(start / getSlotMs(rate));
  const kept = dropWrongEntries(log, rate, at).filter((entry) => entry[0] > slot - countedSlots);
  const last = kept.at(-1);
  if (last?.[0] !== slot) return [...kept, [slot, 1, tokens]];
  return [...kept.slice(0, -1), [slot, last[1] + 1, last[2] + tokens]];
}

/** Returns the log without the part of a planned call that was not used. */
export function returnToLog(
  log: RateLog,
  rate: Rate,
  start: number,
  unused: { readonly requests: number; readonly tokens: number },
): RateLog {
  const slot = Math.floor(start / getSlotMs(rate));
  return log.flatMap((entry): RateLog => {
    if (entry[0] !== slot) return [entry];
    const requests = Math.max(0, entry[1] - unused.requests);
    return requests === 0 ? [] : [[slot, requests, Math.max(0, entry[2] - unused.tokens)]];
  });
}

function dropWrongEntries(log: RateLog, rate: Rate, at: number): RateLog {
  const latest = (at + maxQueueMs + rate.perMs) / getSlotMs(rate);
  return log.filter((entry) => entry[0] <= latest);
}

function addEntries(log: RateLog): { readonly requests: number; readonly tokens: number } {
  return log.reduce((sum, entry) => ({ requests: sum.requests + entry[1], tokens: sum.tokens + entry[2] }), {
    requests: 0,
    tokens: 0,
  });
}
