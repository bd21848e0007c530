/** Repeats measurements, and takes the middle of what they gave. */

import { performance } from 'node:perf_hooks';

export interface Repeats {
  /** Runs that are not counted, so that code is compiled and connections are open. */
  readonly warmUp: number;
  /** Best odd, so that one run is the middle. */
  readonly times: number;
}

/**
 * Measures several contestants in turns, so that other load on the machine falls on all of them alike.
 *
 * @param measure gets the number of the turn, warm-up included
 * @returns the counted results of each contestant
 */
export async function takeTurns<N, T>(
  contestants: readonly N[],
  { warmUp, times }: Repeats,
  measure: (contestant: N, turn: number) => Promise<T>,
  onResult: (contestant: N, result: T) => void = () => {},
): Promise<ReadonlyMap<N, readonly T[]>> {
  const results = new Map(contestants.map((contestant): [N, T[]] => [contestant, []]));
  for (let turn = 0; turn < warmUp + times; turn += 1) {
    // The order alternates, so that no contestant always finds the server as the other left it.
    for (const contestant of turn % 2 === 0 ? contestants : contestants.toReversed()) {
      const result = await measure(contestant, turn);
      if (turn < warmUp) continue;
      results.get(contestant)?.push(result);
      onResult(contestant, result);
    }
  }
  return results;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Milliseconds that this process spent on something. */
export interface Time {
  readonly ms: number;
  /** User and system time, over all threads. */
  readonly cpuMs: number;
}

export async function timeWork(work: () => Promise<unknown>): Promise<Time> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
}

/** Rounded to tenths. */
export function medianTime(times: readonly Time[]): Time {
  return { ms: round(median(times.map(({ ms }) => ms)), 1), cpuMs: round(median(times.map(({ cpuMs }) => cpuMs)), 1) };
}

/**
 * Combines measurements of one kind column by column, so that one disturbed run spoils none.
 *
 * Numbers become their median, booleans hold if all of them do; the rest is that of the first row.
 */
export function medianRow<R extends object>(rows: readonly R[], digits = 3): R {
  const [first] = rows;
  if (first === undefined) throw new Error('There are no rows to take the median of.');
  const middle = ([column, value]: [string, unknown]) => {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[column]);
    if (typeof value === 'number') return [column, round(median(values as number[]), digits)];
    return [column, typeof value === 'boolean' ? values.every(Boolean) : value];
  };
  return Object.fromEntries(Object.entries(first).map(middle)) as R;
}

/** NaN for no numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? upper)) / 2;
}

/** NaN for no numbers. @param share from 0 to 1 */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
