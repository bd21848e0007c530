/**
 * Building blocks of checks for values that no compiler checked: from files, tenants' settings or plain JavaScript. An
 * unknown member is a problem too: its author meant something by it.
 */

import { findOwn, isObject } from './json.js';
import { findNearest } from './nearest.js';

// Read once: inside a workflow each access to a global passes the sandbox.
const { isFinite: isFiniteNumber, isSafeInteger } = Number;

/** Returns the problem as a sentence without its full stop, or null; `at` is the path of the value. */
export type ValueCheck = (value: unknown, at: string) => string | null;
export type MemberChecks<T> = { readonly [member in keyof Required<T>]: ValueCheck };

export const checkText: ValueCheck = (value, at) => (typeof value === 'string' ? null : `${at} must be a text`);
export const checkNonEmptyText: ValueCheck = (value, at) =>
  typeof value === 'string' && value.trim() !== '' ? null : `${at} must be a text that is not empty`;
export const checkBoolean: ValueCheck = (value, at) =>
  typeof value === 'boolean' ? null : `${at} must be true or false`;
export const checkObject: ValueCheck = (value, at) => (isObject(value) ? null : `${at || 'it'} must be an object`);

/** Accepts all values, of members that are checked in another place. */
export const checkElsewhere: ValueCheck = () => null;

/** Returns whether a value is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return isSafeInteger(value) && (value as number) >= 0;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Returns whether a value is a finite number from 0. */
export function isAmount(value: unknown): value is number {
  return isFiniteNumber(value) && (value as number) >= 0;
}

export function checkIntegerFrom(least: number): ValueCheck {
  return (value, at) =>
    isSafeInteger(value) && (value as number) >= least ? null : `${at} must be a whole number from ${least}`;
}

export function checkIntegerWithin(least: number, most: number): ValueCheck {
  return (value, at) =>
    checkIntegerFrom(least)(value, at) ?? ((value as number) <= most ? null : `${at} must be ${most} at most`);
}

/**
 * Checks an object with these members; each may be absent.
 *
 * @param elsewhere names of members of other objects that are often written here by mistake
 */
export function checkMembers<T>(checks: MemberChecks<T>, elsewhere: readonly string[] = []): ValueCheck {
  const names = Object.keys(checks);
  return (value, at) => {
    if (!isObject(value)) return checkObject(value, at);
    for (const [member, memberValue] of Object.entries<unknown>(value)) {
      const check = findOwn<ValueCheck>(checks, member);
      const where = at === '' ? member : `${at}.${member}`;
      if (check === undefined) {
        const nearest = findNearest(member, [...names, ...elsewhere]);
        return `${where} is unknown; ${nearest === null ? `expected ${names.join(', ')}` : `you may mean ${nearest}`}`;
      }
      const wrong = memberValue === undefined ? null : check(memberValue, where);
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
