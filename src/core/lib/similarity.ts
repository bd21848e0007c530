/**
 * Compares the arguments of calls: whether one rewords the other, or is about something else.
 *
 * S1 Every member that both have must be similar. A member that only one has is not a difference; each having one is.
 * S2 Texts are compared by their words, without case, accents, punctuation and order. An added word counts a quarter of a
 *    replaced one: `weather paris` is `weather in paris today`, but not `weather berlin`.
 * S3 Values that may number or name something must be equal: integers, words with digits, booleans. Fractions may differ by 1 %.
 */

import { isObject, type Json } from './json.js';
import { hasDigit, listWords } from './words.js';

/** The value of each member, by its path; a text as its words, in order and joined by spaces. */
type Leaves = { readonly [path: string]: string | number | boolean | null };

/** Characters of arguments that are compared. Longer ones are contents rather than a request, and similar only if equal. */
const maxLength = 600;

/** Returns arguments in the form that `compareArguments` takes, which is small enough to store; empty for long ones. */
export function toComparedText(input: Json): string {
  const text = JSON.stringify(input);
  return text.length > maxLength ? '' : text;
}

/** Returns the similarity of arguments: 1 if they are equal, 0 if they are about something else. */
export function compareArguments(one: string, other: string): number {
  if (one === '' || other === '') return 0;
  if (one === other) return 1;
  const [a, b] = [parseLeaves(one), parseLeaves(other)];
  if (a === null || b === null) return 0;
  if (Object.keys(a).length === 0 && Object.keys(b).length === 0) return 1;
  const shared = Object.keys(a).filter((path) => Object.hasOwn(b, path));
  const onlyOne = Object.keys(a).length - shared.length;
  const onlyOther = Object.keys(b).length - shared.length;
  if (shared.length === 0 || (onlyOne > 0 && onlyOther > 0)) return 0;
  return Math.min(...shared.map((path) => compareLeaves(a[path] ?? null, b[path] ?? null)));
}

/** Returns null for leaves that are long, as their paths are repeated. */
function parseLeaves(text: string): Leaves | null {
  const leaves: Leaves = Object.fromEntries(listLeaves(JSON.parse(text) as Json, ''));
  return JSON.stringify(leaves).length > maxLength ? null : leaves;
}

function listLeaves(value: Json, path: string): readonly (readonly [string, Leaves[string]])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => listLeaves(item, `${path}/${at}`));
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => listLeaves(member, `${path}/${key}`));
  return [
    [
      path,
      typeof value === 'string' ? [...new Set(listWords(value))].sort().join(' ') : (value as number | boolean | null),
    ],
  ];
}

function compareLeaves(a: Leaves[string], b: Leaves[string]): number {
  if (typeof a === 'string' && typeof b === 'string') return compareWords(a.split(' '), b.split(' '));
  if (typeof a === 'number' && typeof b === 'number' && !(Number.isInteger(a) && Number.isInteger(b)))
    return Math.abs(a - b) <= 0.01 * Math.max(Math.abs(a), Math.abs(b)) ? 1 : 0;
  return a === b ? 1 : 0;
}

/** S2. */
const addedWeight = 0.25;

function compareWords(a: readonly string[], b: readonly string[]): number {
  const onlyA = a.filter((word) => !b.some((other) => isSameWord(word, other)));
  const onlyB = b.filter((word) => !a.some((other) => isSameWord(word, other)));
  if ([...onlyA, ...onlyB].some(hasDigit)) return 0;
  const replaced = Math.min(onlyA.length, onlyB.length);
  const added = Math.max(onlyA.length, onlyB.length) - replaced;
  return Math.max(0, 1 - (replaced + addedWeight * added) / Math.max(a.length, b.length));
}

/** Equal, or forms of one word: `price` and `prices`. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && long.length - short.length <= 2 && long.startsWith(short) && !hasDigit(long);
}
