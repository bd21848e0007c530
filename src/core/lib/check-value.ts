/**
 * Parts to build a check of from: of what comes from a file, from a tenant's settings or from plain JavaScript, where no
 * compiler has looked. A member that nobody reads is a fault like any other: its author meant something by it.
 */

import { findOwn, isObject } from './json.js';
import { findNearest } from './nearest.js';

/** What is wrong, as a sentence without its full stop, or null; `at` is where. */
export type ValueCheck = (value: unknown, at: string) => string | null;
export type MemberChecks<T> = { readonly [member in keyof Required<T>]: ValueCheck };

export const checkText: ValueCheck = (value, at) => (typeof value === 'string' ? null : `${at} must be a text`);
export const checkNonEmptyText: ValueCheck = (value, at) =>
  typeof value === 'string' && value.trim() !== '' ? null : `${at} must be a text that says something`;
export const checkBoolean: ValueCheck = (value, at) =>
  typeof value === 'boolean' ? null : `${at} must be true or false`;
export const checkObject: ValueCheck = (value, at) => (isObject(value) ? null : `${at || 'it'} must be an object`);

/** Whether a value is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function checkIntegerFrom(least: number): ValueCheck {
  return (value, at) =>
    Number.isSafeInteger(value) && (value as number) >= least ? null : `${at} must be a whole number from ${least}`;
}

export function checkIntegerWithin(least: number, most: number): ValueCheck {
  return (value, at) =>
    checkIntegerFrom(least)(value, at) ?? ((value as number) <= most ? null : `${at} must be ${most} at most`);
}

/**
 * An object of these members, each of which may be left out.
 *
 * @param elsewhere names of members that stand in another place, and are often looked for in this one
 */
export function checkMembers<T>(checks: MemberChecks<T>, elsewhere: readonly string[] = []): ValueCheck {
  const names = Object.keys(checks);
  return (value, at) => {
    if (!isObject(value)) return checkObject(value, at);
    for (const [member, held] of Object.entries<unknown>(value)) {
      const check = findOwn<ValueCheck>(checks, member);
      const where = at === '' ? member : `${at}.${member}`;
      if (check === undefined) {
        const meant = findNearest(member, [...names, ...elsewhere]);
        return `${where} means nothing; ${meant === null ? `there are ${names.join(', ')}` : `you may mean ${meant}`}`;
      }
      const wrong = held === undefined ? null : check(held, where);
      if (wrong !== null) return wrong;
    }
    return null;
  };
}

export function checkList(check: ValueCheck): ValueCheck {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} must be a list`;
    return findFirstProblem(value.map((item: unknown, index) => check(item, `${at}.${index}`)));
  };
}

export function checkOneOf(names: readonly string[], value: unknown, at: string): string | null {
  return names.some((name) => name === value)
    ? null
    : `${at} must be ${names.join(', ').replace(/, (?=[^,]+$)/, ' or ')}`;
}

export function findFirstProblem(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
