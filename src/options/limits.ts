/** Limits as users write them. Chains store them as `PartialLimits`, with times in milliseconds. */

import * as check from '../core/lib/check.js';
import { limitChecks, maxTimeMs, maxWaitMs, type PartialLimits } from '../core/model/limits.js';
import { checkDuration, type Duration, toMilliseconds } from './duration.js';

/** Limits to set; absent ones keep their defaults. */
export interface LimitOptions extends Omit<PartialLimits, 'timeMs' | 'time' | 'waitMs' | 'wait'> {
  /** Wall time from the chain's start: milliseconds or `'10m'`, at most 30 days. */
  readonly time?: Duration | undefined;
  /** Time that calls may wait by the tool `wait()`, over all: milliseconds or `'2d'`, at most 365 days. Default 7 days. */
  readonly wait?: Duration | undefined;
}

const checkTime: check.ValueCheck = (value, at) =>
  checkDuration(value, at) ?? (toMilliseconds(value as Duration) > maxTimeMs ? `${at} must be 30 days at most` : null);

const checkWait: check.ValueCheck = (value, at) =>
  checkDuration(value, at) ?? (toMilliseconds(value as Duration) > maxWaitMs ? `${at} must be 365 days at most` : null);

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
  wait: checkWait,
} satisfies { readonly [limit in keyof Required<LimitOptions>]: check.ValueCheck };

export const checkLimitOptions: check.ValueCheck = check.members<LimitOptions>(limitOptionChecks);

/** Converts valid limits to their stored form. */
export function toStoredLimits({ time, wait, ...limits }: LimitOptions): PartialLimits {
  return {
    ...limits,
    ...(time === undefined ? {} : { timeMs: toMilliseconds(time) }),
    ...(wait === undefined ? {} : { waitMs: toMilliseconds(wait) }),
  };
}

/** Converts stored limits to options: the inverse of `toStoredLimits`. */
export function fromStoredLimits({ timeMs, waitMs, ...limits }: PartialLimits): LimitOptions {
  // A limit that options write in another form is converted above.
  limits satisfies { readonly [name in keyof typeof limits]: name extends keyof LimitOptions ? unknown : never };
  return {
    ...limits,
    ...(timeMs === undefined ? {} : { time: timeMs }),
    ...(waitMs === undefined ? {} : { wait: waitMs }),
  };
}

/**
 * Validates limits and converts them to their stored form.
 *
 * @param createError receives what is wrong, as a sentence
 */
export function parseLimitOptions(limits: LimitOptions, createError: (sentence: string) => Error): PartialLimits {
  const problem = checkLimitOptions(limits, 'limits');
  if (problem !== null) throw createError(`${problem}.`);
  return toStoredLimits(limits);
}
