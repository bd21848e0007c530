/** The stretches of time that limits are for, as everybody's calendar in UTC has them. */

export type LedgerWindow = 'minute' | 'hour' | 'day' | 'month';

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Times are milliseconds since 1970. */
export function windowStart(window: LedgerWindow, at: number): number {
  if (window !== 'month') return at - (((at % lengths[window]) + lengths[window]) % lengths[window]);
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** The moment when the next one begins. */
export function windowEnd(window: LedgerWindow, start: number): number {
  if (window !== 'month') return start + lengths[window];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/**
 * The window to count in, for a counter whose window began at `known`.
 *
 * A clock that is set back opens no window a second time. Where a window lies further ahead than the next, its clock was
 * wrong, and nobody is to wait for it: what was counted in it counts in the one that is now.
 */
export function currentStart(window: LedgerWindow, known: number, now: number): number {
  const start = windowStart(window, now);
  return known > start && known <= windowEnd(window, start) ? known : start;
}
