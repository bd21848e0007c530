/** Times as users write them: milliseconds, or a text such as `'90s'`. */

import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import type { ValueCheck } from '../../core/lib/check-value.js';

export type { Duration } from '@temporalio/common/lib/time.js';

export const durationCheck: ValueCheck = (value, at) =>
  parseMilliseconds(value) >= 1 ? null : `${at} must be milliseconds, 1 at least, or a text such as '90s'`;

/** Whole ones: they are added to times that are. */
export function toMilliseconds(value: Duration): number {
  return Math.round(msToNumber(value));
}

/** Not a number where there are none. */
function parseMilliseconds(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') return Number.NaN;
  try {
    const found = msToNumber(value as Duration);
    return Number.isFinite(found) ? found : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
