/** Durations as users write them: milliseconds, or a text such as `'90s'`. */

import parseMs, { type StringValue } from 'ms';
import { check, LonghandError } from '../core/lib/index.js';

/** Milliseconds, or a text such as `'90s'` or `'2 hours'`. */
export type Duration = number | string;

const expected = "milliseconds (at least 1) or a text such as '90s'";

export const checkDuration = check.define<Duration>((value) => parseMilliseconds(value) >= 1, `must be ${expected}`);

/** Returns whole milliseconds: times are whole too. */
export function toMilliseconds(value: Duration): number {
  return Math.round(typeof value === 'number' ? value : parseMs(value as StringValue));
}

/**
 * Converts the duration of an option to whole milliseconds.
 *
 * @throws {LonghandError} `invalid_options`
 */
export function parseDuration(value: Duration, option: string): number {
  if (checkDuration(value, option) === null) return toMilliseconds(value);
  const valueText = typeof value === 'string' ? `'${value}'` : String(value);
  throw new LonghandError('invalid_options', `Invalid option \`${option}\` ${valueText}: expected ${expected}.`);
}

/** NaN if the value is not a valid duration. */
function parseMilliseconds(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') return Number.NaN;
  try {
    const ms = typeof value === 'number' ? value : parseMs(value as StringValue);
    return Number.isFinite(ms) ? ms : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
