/** Parses limits such as `--limit steps=5 --limit time=30s` (L7). */

import { limitEntries } from '../../core/model/index.js';
import { checkLimitOptions, findLimitOption, type LimitOptions, toMilliseconds } from '../../options/index.js';
import { UsageError } from './usage-error.js';

const examples = limitEntries
  .map(([, { example }]) => example)
  .join(', ')
  .replace(/, (?=[^,]+$)/, ' or ');

/** @throws {UsageError} with the invalid limit */
export function parseLimits(texts: readonly string[]): LimitOptions {
  return Object.fromEntries(texts.map(parseLimit));
}

function parseLimit(text: string): [keyof LimitOptions, number] {
  const [name = '', value = '', ...more] = text.split('=');
  const limit = findLimitOption(name);
  const number = limit === undefined || more.length > 0 ? Number.NaN : parseLimitValue(value, limit.isTime);
  if (limit === undefined || Number.isNaN(number)) throw new UsageError(`Invalid limit ${text}. Write ${examples}.`);
  const problem = checkLimitOptions({ [limit.option]: number }, 'limits');
  if (problem !== null) throw new UsageError(`Invalid limit ${text}: ${problem}.`);
  return [limit.option, number];
}

function parseLimitValue(value: string, isTime: boolean): number {
  if (isTime) return parseMilliseconds(value);
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** Parses a duration. A number without a unit is ambiguous and rejected. */
function parseMilliseconds(value: string): number {
  if (/^[\d.\s]*$/.test(value)) return Number.NaN;
  try {
    return toMilliseconds(value);
  } catch {
    return Number.NaN;
  }
}
