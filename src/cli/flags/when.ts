/** Points in time as a person gives them (`2h` ago, `2026-11-20`) and as they are shown. */

import { msToNumber, type StringValue } from '@temporalio/common/lib/time.js';
import { UsageError } from './usage-error.js';

export { clock } from '../../core/lib/display.js';

/** @throws UsageError when it is neither a length of time nor a date */
export function timeSince(written: string, now: number): number {
  const ago = lengthOf(written);
  if (ago !== null) return now - ago;
  const at = /^\d{4}-\d{2}/.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(`--since ${written} cannot be read. Write 30m, 2h, 7d, 2026-11-20 or 2026-11-20T14:00:00Z.`);
  }
  return at;
}

function lengthOf(written: string): number | null {
  if (!/^\d+(\.\d+)?\s*[a-z]+$/i.test(written)) return null;
  try {
    const ms = msToNumber(written as StringValue);
    return Number.isFinite(ms) ? ms : null;
  } catch {
    return null;
  }
}

/** `40s`, `12m`, `5h`, `3d`: how long ago, in its largest unit. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
