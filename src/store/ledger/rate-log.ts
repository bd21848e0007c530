/**
 * When the calls of an endpoint may start, so that in no period they exceed its rate. Pure: the caller has the clock and the row.
 *
 * R1 Calls start in the order in which they asked. Each gets its start once, and none is asked to come back and compete.
 * R2 The period is divided into parts. A log has the planned requests and tokens of the parts that still count. A period touches one
 *    part more than it has, and a call may start late by some parts (`getMaxLateMs`), so a limit applies to that many parts more.
 * R3 A log is bounded: at most one entry for each of these parts, because no later call starts before an earlier one.
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

/** Planned calls of a part: its number since 1970, their number, and their tokens. */
type RateEntry = readonly [part: number, requests: number, tokens: number];

/** By part, the oldest first. */
export type RateLog = readonly RateEntry[];

const partsPerPeriod = 120;
const lateParts = 4;
const countedParts = partsPerPeriod + 1 + lateParts;

/** Longest queue, in milliseconds: later entries are from a clock that was wrong. */
export const maxQueueMs = 60 * 60_000;

function getPartMs({ perMs }: Rate): number {
  return perMs / partsPerPeriod;
}

/** Returns the milliseconds by which a call may start later than planned: 2 seconds for a period of a minute. */
export function getMaxLateMs(rate: Rate): number {
  return Math.ceil(lateParts * getPartMs(rate));
}

/**
 * Returns the earliest start of a call, in whole milliseconds since 1970. A call that may use more tokens than a period allows gets a
 * period of its own.
 *
 * @param notBefore after a provider's own limit
 */
export function findStart(log: RateLog, rate: Rate, tokens: number, { at, notBefore }: RateTime): number {
  const partMs = getPartMs(rate);
  const known = dropWrongEntries(log, rate, at);
  const earliest = Math.max(at, notBefore > at + maxQueueMs ? at : notBefore);
  const { requests: maxRequests = Number.POSITIVE_INFINITY, tokens: maxTokens = Number.POSITIVE_INFINITY } = rate;
  let part = Math.max(Math.floor(earliest / partMs), known.at(-1)?.[0] ?? 0);
  let counted = known.filter((entry) => entry[0] > part - countedParts);
  for (;;) {
    const [oldest] = counted;
    const sum = addEntries(counted);
    const fits = sum.requests + 1 <= maxRequests && sum.tokens + Math.min(tokens, maxTokens) <= maxTokens;
    if (oldest === undefined || fits) return Math.max(earliest, Math.ceil(part * partMs));
    part = Math.max(part, oldest[0] + countedParts);
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
  const part = Math.floor(start / getPartMs(rate));
  const kept = dropWrongEntries(log, rate, at).filter((entry) => entry[0] > part - countedParts);
  const last = kept.at(-1);
  if (last?.[0] !== part) return [...kept, [part, 1, tokens]];
  return [...kept.slice(0, -1), [part, last[1] + 1, last[2] + tokens]];
}

/** Returns the log without the part of a planned call that was not used. */
export function returnToLog(
  log: RateLog,
  rate: Rate,
  start: number,
  unused: { readonly requests: number; readonly tokens: number },
): RateLog {
  const part = Math.floor(start / getPartMs(rate));
  return log.flatMap((entry): RateLog => {
    if (entry[0] !== part) return [entry];
    const requests = Math.max(0, entry[1] - unused.requests);
    return requests === 0 ? [] : [[part, requests, Math.max(0, entry[2] - unused.tokens)]];
  });
}

function dropWrongEntries(log: RateLog, rate: Rate, at: number): RateLog {
  const latest = (at + maxQueueMs + rate.perMs) / getPartMs(rate);
  return log.filter((entry) => entry[0] <= latest);
}

function addEntries(log: RateLog): { readonly requests: number; readonly tokens: number } {
  return log.reduce((sum, entry) => ({ requests: sum.requests + entry[1], tokens: sum.tokens + entry[2] }), {
    requests: 0,
    tokens: 0,
  });
}
