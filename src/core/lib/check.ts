/**
 * The vocabulary of checks, for values that no compiler checked: from files, tenants' settings, plain JavaScript, other workers.
 * Imported as a whole: `import * as check from '../lib/check.js'`.
 *
 * One description of a value yields both the sentence for people, `check.text(value, 'name')`, and the guard,
 * `check.text.is(value)`, which accepts the same values. The guard runs for every fact: it builds no paths and no sentences.
 */

import { LonghandError } from './errors.js';
import { findOwn, isObject, type Json, type JsonObject } from './json.js';
import { findNearest } from './nearest.js';

// Read once: inside a workflow each access to a global passes the sandbox.
const { isFinite: isFiniteNumber, isSafeInteger } = Number;
const { isArray } = Array;
const { assign, entries, fromEntries, keys, values } = Object;

/** Returns the problem as a sentence without its full stop, or null; `at` is the path of the value. */
export type ValueCheck = (value: unknown, at: string) => string | null;

/** A check with its guard. */
export interface Check<T = unknown> {
  (value: unknown, at: string): string | null;
  readonly is: (value: unknown) => value is T;
}

export type MemberChecks<T> = { readonly [member in keyof Required<T>]: ValueCheck };

type Guard<T> = ((value: unknown) => value is T) | ((value: unknown) => boolean);
/** The sentence after the path: `must be a text`. */
type Problem<T = unknown> = string | ((value: T) => string);

/** Makes a check of a guard. */
export function define<T>(is: Guard<T>, problem: Problem): Check<T> {
  return join(is, (value, at) => `${at || 'it'} ${typeof problem === 'string' ? problem : problem(value)}`);
}

/** Makes a check of a function that finds the problem. Its guard builds the sentence too: not for hot paths. */
export function from<T>(find: ValueCheck): Check<T> {
  return assign(find, { is: (value: unknown): value is T => find(value, '') === null });
}

/** @param describe is called for values that the guard rejects */
function join<T>(is: Guard<T>, describe: ValueCheck): Check<T> {
  const check: ValueCheck = (value, at) => (is(value) ? null : describe(value, at));
  return assign(check, { is: is as (value: unknown) => value is T });
}

function toGuard(check: ValueCheck | Check): (value: unknown) => boolean {
  return 'is' in check ? check.is : (value) => check(value, '') === null;
}

export const text = define((value) => typeof value === 'string', 'must be a text');
export const nonEmptyText = define<string>(
  (value) => typeof value === 'string' && value.trim() !== '',
  'must be a text that is not empty',
);
export const texts = list(text);
export const boolean = define((value) => typeof value === 'boolean', 'must be true or false');
export const number = define((value) => typeof value === 'number', 'must be a number');
export const finite = define<number>(isFiniteNumber, 'must be a finite number');
/** A finite number from 0. */
export const amount = define<number>(
  (value) => isFiniteNumber(value) && (value as number) >= 0,
  'must be a number from 0',
);
/** Unlike an amount, it may be infinite. */
export const fromZero = refine(number, (value) => value >= 0, 'must be a number from 0');
export const integer = define<number>(isSafeInteger, 'must be a whole number');
export const count = integerFrom(0);
export const object = define(isObject, 'must be an object');
export const callable = define((value) => typeof value === 'function', 'must be a function');
export const present = define<Json>((value) => value !== undefined, 'is missing');

export const anything = define<unknown>(() => true, '');

/** Returns checks that accept all values, for members that are checked in another place. */
export function elsewhere<Name extends string>(...names: readonly Name[]): { readonly [name in Name]: Check } {
  return fromEntries(names.map((name) => [name, anything])) as { [name in Name]: Check };
}

export function integerFrom(least: number): Check<number> {
  return define((value) => isSafeInteger(value) && (value as number) >= least, `must be a whole number from ${least}`);
}

export function integerWithin(least: number, max: number): Check<number> {
  return refine(integerFrom(least), (value) => value <= max, `must be ${max} at most`);
}

export function oneOf<const Name extends string>(names: readonly Name[]): Check<Name> {
  const listed = names.join(', ').replace(/, (?=[^,]+$)/, ' or ');
  return define((value) => names.includes(value as Name), `must be ${listed}`);
}

export function pattern(expression: RegExp, problem: Problem): Check<string> {
  return define((value) => typeof value === 'string' && expression.test(value), problem);
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return join((value) => value === null || check.is(value), check);
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return join((value) => value === undefined || check.is(value), check);
}

/** Adds a condition to a check. @param problem of a value that does not meet it */
export function refine<T>(check: Check<T>, meets: (value: T) => boolean, problem: Problem<T>): Check<T> {
  const condition = define<T>((value) => meets(value as T), problem as Problem);
  return join(
    (value) => check.is(value) && meets(value),
    (value, at) => check(value, at) ?? condition(value, at),
  );
}

export function list<T>(check: ValueCheck | Check<T>, expected = 'a list'): Check<readonly T[]> {
  const is = toGuard(check);
  const array = define(isArray, `must be ${expected}`);
  return join(
    (value) => isArray(value) && value.every(is),
    (value, at) =>
      array(value, at) ?? findFirst(value as unknown[], (item, index) => check(item, joinPath(at, `${index}`))),
  );
}

/** Checks all members of an object by the same check. */
export function record<T>(check: ValueCheck | Check<T>, expected = 'an object'): Check<{ readonly [name: string]: T }> {
  const is = toGuard(check);
  const whole = define(isObject, `must be ${expected}`);
  return join(
    (value) => isObject(value) && values(value).every(is),
    (value, at) =>
      whole(value, at) ?? findFirst(entries(value as object), ([name, member]) => check(member, joinPath(at, name))),
  );
}

/** Checks these members of an object. Others are permitted: a newer version may add some. */
export function shape<T extends object>(checks: { readonly [member in keyof T]-?: Check<T[member]> }): Check<T> {
  const pairs = entries<Check>(checks);
  const names = keys(checks);
  const guards = pairs.map(([, { is }]) => is);
  return join(
    (value) => {
      if (!isObject(value)) return false;
      for (let at = 0; at < names.length; at++) if (!guards[at]!(value[names[at]!])) return false;
      return true;
    },
    (value, at) =>
      object(value, at) ?? findFirst(pairs, ([name, check]) => check((value as JsonObject)[name], joinPath(at, name))),
  );
}

/** Checks an object whose member `tag` states which of these shapes it has. */
export function variant<T>(tag: string, variants: { readonly [name: string]: Check<T> }): Check<T> {
  const checkTag = oneOf(keys(variants));
  const find = (value: JsonObject) => {
    const name = value[tag];
    return typeof name === 'string' ? findOwn<Check<T>>(variants, name) : undefined;
  };
  return join(
    (value) => isObject(value) && find(value)?.is(value) === true,
    (value, at) =>
      isObject(value) ? (find(value)?.(value, at) ?? checkTag(value[tag], joinPath(at, tag))) : object(value, at),
  );
}

/**
 * Checks an object with these members; each may be absent. An unknown member is a problem too: its author meant something by it.
 *
 * @param misplaced names of members of other objects that are often written here by mistake
 */
export function members<T>(checks: MemberChecks<T>, misplaced: readonly string[] = []): Check<Partial<T>> {
  const names = keys(checks);
  const checkMember = (name: string, value: unknown, at: string): string | null => {
    const check = findOwn<ValueCheck>(checks, name);
    if (check !== undefined) return value === undefined ? null : check(value, at);
    const nearest = findNearest(name, [...names, ...misplaced]);
    return `${at} is unknown; ${nearest === null ? `expected ${names.join(', ')}` : `you may mean ${nearest}`}`;
  };
  return from((value, at) =>
    isObject(value)
      ? findFirst(entries<unknown>(value), ([name, member]) => checkMember(name, member, joinPath(at, name)))
      : object(value, at),
  );
}

/** Returns a text, and null for any other value. */
export function toTextOrNull(value: unknown): string | null {
  return text.is(value) ? value : null;
}

/**
 * Rejects the options of a function if they have a problem.
 *
 * @param by the function
 * @throws {LonghandError} `invalid_options`
 */
export function assertNoProblem(problem: string | null, by: string): void {
  if (problem !== null) throw new LonghandError('invalid_options', `${by}: ${problem}.`);
}

/** Returns the first problem of items, or null. */
export function findFirst<T>(items: readonly T[], find: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const problem = find(item, index);
    if (problem !== null) return problem;
  }
  return null;
}

function joinPath(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
