/**
 * Calendar windows, in UTC. Times are milliseconds since 1970.
 *
 * A clock that is set back does not reopen a window (`computeCurrentStart`).
 */

import type { budgetWindows } from '../../core/model/index.js';

export type LedgerWindow = (typeof budgetWindows)[number];

const windowLengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

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
