/** Values of options and arguments, as commander gathers them and as a person writes them: numbers, points in time, lists. */

import { msToNumber, type StringValue } from '@temporalio/common/lib/time.js';
import type { Command } from 'commander';
import { UsageError } from './usage-error.js';

/** Gathers an option that may be given several times. */
export function collectValues(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Rejects an empty value: it comes from a variable that is not set. @throws UsageError naming the first such option */
export function rejectEmptyOptions(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.some((value) => typeof value === 'string' && value.trim() === '')) {
      throw new UsageError(`${option.long ?? option.flags} is empty. Give it a value, or leave it out.`);
    }
  }
}

/** A whole number from 1 on. @throws UsageError naming what was given */
export function parseWholeNumber(named: string, written: string): number {
  const value = Number(written);
  if (/^\d+$/.test(written) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`${named} must be a whole number from 1 on; it is ${written}.`);
}

/** A number from 0 on. @throws UsageError naming what was given */
export function parseAmount(named: string, written: string): number {
  const value = Number(written);
  if (written.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`${named} must be a number from 0 on; it is ${written}.`);
}

/**
 * A point in time as a person gives it: `2h` ago, `2026-11-20`.
 *
 * @throws UsageError when it is neither a length of time nor a date
 */
export function parseTime(written: string, now: number): number {
  const ago = parseTimeSpan(written);
  if (ago !== null) return now - ago;
  const at = /^\d{4}-\d{2}/.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(`--since ${written} cannot be read. Write 30m, 2h, 7d, 2026-11-20 or 2026-11-20T14:00:00Z.`);
  }
  return at;
}

function parseTimeSpan(written: string): number | null {
  if (!/^\d+(\.\d+)?\s*[a-z]+$/i.test(written)) return null;
  try {
    const ms = msToNumber(written as StringValue);
    return Number.isFinite(ms) ? ms : null;
  } catch {
    return null;
  }
}

/** `40s`, `12m`, `5h`, `3d`: how long ago, in its largest unit. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
