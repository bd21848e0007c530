/** Parses limits such as `--limit steps=5 --limit time=30s` (L7). */

import { msToNumber, type StringValue } from '@temporalio/common/lib/time.js';
import { checkLimitOptions, type LimitOptions } from '../../options/limits.js';
import { UsageError } from './usage-error.js';

const limitNames: Readonly<Record<string, keyof LimitOptions>> = {
  steps: 'steps',
  tokens: 'tokens',
  cost: 'costUsd',
  costUsd: 'costUsd',
  time: 'time',
  stall: 'stallThreshold',
  stallThreshold: 'stallThreshold',
  similarity: 'stallSimilarity',
  stallSimilarity: 'stallSimilarity',
  depth: 'depth',
  chains: 'chains',
  wait: 'wait',
};

/** @throws {UsageError} with the invalid limit */
export function parseLimits(written: readonly string[]): LimitOptions {
  return Object.fromEntries(written.map(parseLimit));
}

function parseLimit(written: string): [keyof LimitOptions, number] {
  const [name = '', value = '', ...more] = written.split('=');
  const limit = Object.hasOwn(limitNames, name) ? limitNames[name] : undefined;
  const number = limit === undefined || more.length > 0 ? Number.NaN : parseLimitValue(name, value);
  if (limit === undefined || Number.isNaN(number)) {
    throw new UsageError(
      `Invalid limit ${written}. Write steps=5, tokens=20000, cost=0.25 (US dollars), time=30s, stall=3, similarity=0.8, depth=2, chains=20 or wait=2d.`,
    );
  }
  const problem = checkLimitOptions({ [limit]: number }, 'limits');
  if (problem !== null) throw new UsageError(`Invalid limit ${written}: ${problem}.`);
  return [limit, number];
}

function parseLimitValue(name: string, value: string): number {
  if (name === 'time' || name === 'wait') return parseMilliseconds(value);
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** Parses a duration. A number without a unit is ambiguous and rejected. */
function parseMilliseconds(value: string): number {
  if (/^[\d.\s]*$/.test(value)) return Number.NaN;
  try {
    return msToNumber(value as StringValue);
  } catch {
    return Number.NaN;
  }
}
