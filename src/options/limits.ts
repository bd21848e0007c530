/** Limits as users write them. Chains store them as `PartialLimits`, with times in milliseconds. */

import { check } from '../core/lib/index.js';
import { getLimitOption, limitEntries, type PartialLimits } from '../core/model/index.js';
import { checkDuration, type Duration, toMilliseconds } from './duration.js';

/** Limits to set; absent ones keep their defaults. */
export interface LimitOptions extends Omit<PartialLimits, 'timeMs' | 'time' | 'waitMs' | 'wait'> {
  /** Wall time from the chain's start: milliseconds or `'10m'`, at most 30 days. */
  readonly time?: Duration | undefined;
  /** Time that calls may wait by the tool `wait()`, over all: milliseconds or `'2d'`, at most 365 days. Default 7 days. */
  readonly wait?: Duration | undefined;
}

const optionChecks = limitEntries.map(([name, { check: checkStored, max }]) => {
  const checkOption: check.ValueCheck = (value, at) => {
    if (max === undefined) return checkStored(value, at);
    const isLong = () => toMilliseconds(value as Duration) > max.ms;
    return checkDuration(value, at) ?? (isLong() ? `${at} must be ${max.text} at most` : null);
  };
  return [getLimitOption(name), checkOption] as const;
});

export const limitOptionNames = optionChecks.map(([name]) => name);

export const checkLimitOptions: check.ValueCheck = check.members<LimitOptions>(
  Object.fromEntries(optionChecks) as check.MemberChecks<LimitOptions>,
);

/** Finds the option of a limit by a name after `--limit`; undefined for an unknown name. */
export function findLimitOption(
  name: string,
): { readonly option: keyof LimitOptions; readonly isTime: boolean } | undefined {
  const row = limitEntries.find(([, { names }]) => names.includes(name));
  return row === undefined ? undefined : { option: getLimitOption(row[0]), isTime: row[1].unit === 'ms' };
}

/** Converts valid limits to their stored form. */
export function toStoredLimits(limits: LimitOptions): PartialLimits {
  const stored = limitEntries.flatMap(([name, { unit }]) => {
    const value = limits[getLimitOption(name)];
    if (value === undefined) return [];
    return [[name, unit === 'ms' ? toMilliseconds(value as Duration) : value] as const];
  });
  return Object.fromEntries(stored);
}

/** Converts stored limits to options: the inverse of `toStoredLimits`. */
export function fromStoredLimits(limits: PartialLimits): LimitOptions {
  const options = limitEntries.flatMap(([name]) =>
    limits[name] === undefined ? [] : [[getLimitOption(name), limits[name]] as const],
  );
  return Object.fromEntries(options);
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
