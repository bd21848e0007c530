/** Limits as users write them. Chains store them as `PartialLimits`, with the time in milliseconds. */

import { checkMembers, type ValueCheck } from '../core/lib/check-value.js';
import { limitChecks, maxTimeMs, type PartialLimits } from '../core/model/limits.js';
import { checkDuration, type Duration, toMilliseconds } from './duration.js';

/** Limits to set; absent ones keep their defaults. */
export interface LimitOptions extends Omit<PartialLimits, 'timeMs' | 'time'> {
  /** Wall time from the chain's start: milliseconds or `'10m'`, at most 30 days. */
  readonly time?: Duration | undefined;
}

const checkTime: ValueCheck = (value, at) =>
  checkDuration(value, at) ?? (toMilliseconds(value as Duration) > maxTimeMs ? `${at} must be 30 days at most` : null);

const { steps, tokens, costUsd, stallThreshold, stallSimilarity, depth, chains } = limitChecks;

export const limitOptionChecks = {
  steps,
  tokens,
  costUsd,
  time: checkTime,
  stallThreshold,
  stallSimilarity,
  depth,
  chains,
} satisfies { readonly [limit in keyof Required<LimitOptions>]: ValueCheck };

export const checkLimitOptions: ValueCheck = checkMembers<LimitOptions>(limitOptionChecks);

/** Converts valid limits to their stored form. */
export function toStoredLimits({ time, ...limits }: LimitOptions): PartialLimits {
  return { ...limits, ...(time === undefined ? {} : { timeMs: toMilliseconds(time) }) };
}

/**
 * Validates limits and converts them to their stored form.
 *
 * @param createError receives what is wrong, as a sentence
 */
export function parseLimitOptions(limits: LimitOptions, createError: (sentence: string) => Error): PartialLimits {
  const wrong = checkLimitOptions(limits, 'limits');
  if (wrong !== null) throw createError(`${wrong}.`);
  return toStoredLimits(limits);
}
