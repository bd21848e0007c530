/** Durations as users write them: milliseconds, or a text such as `'90s'`. */

import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import type { ValueCheck } from '../../core/lib/check-value.js';

export type { Duration } from '@temporalio/common/lib/time.js';

export const durationCheck: ValueCheck = (value, at) =>
  parseMilliseconds(value) >= 1 ? null : `${at} must be milliseconds (at least 1) or a text such as '90s'`;

/** Returns whole milliseconds: times are whole too. */
export function toMilliseconds(value: Duration): number {
  return Math.round(msToNumber(value));
}

/** NaN if the value is not a valid duration. */
function parseMilliseconds(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') return Number.NaN;
  try {
    const found = msToNumber(value as Duration);
    return Number.isFinite(found) ? found : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
