/**
 * What stands at the sensitive places of a value, so that it can be kept out of everything else that is said. Tools give
 * back texts that are JSON too: members of theirs are members like any other.
 *
 * 1. Where a text was JSON and is cut, what is whole of it is read by the paths. Of the rest every value counts: nobody
 *    knows any more where it stood.
 * 2. Linear in the value, however deep a model has made it.
 */

import { findOwn, type Json, toValueText } from '../lib/json.js';
import { type FieldPath, toPathParts } from './policy.js';

/** What stands for a sensitive value that has no mark of its own. */
export const fieldMark = '[redacted:field]';

/** Shorter ones would be found inside of innocent words and numbers. */
export const shortestSensitive = 6;

// Taken once: inside a workflow each look at a global goes through the sandbox.
const { parse } = JSON;
const { values } = Object;

/** The texts and numbers at these places, as texts. What was clipped counts in the parts that are left of it. */
export function findSensitiveTexts(held: Json, paths: readonly FieldPath[]): readonly string[] {
  if (paths.length === 0) return [];
  const inside = toPathTarget(held);
  const { value, rest } = inside.kind === 'cut' ? parseClippedJson(inside.text) : { value: inside.value, rest: '' };
  const atPaths = paths.flatMap((path) => listLeaves(listMembers(value, toPathParts(path))));
  return [...atPaths, ...rest.split(clipMark).flatMap(listPieceValues)]
    .flatMap((leaf) => [leaf, ...(leaf.includes('…') ? leaf.split(clipMark) : [])])
    .map((leaf) => leaf.trim())
    .filter((leaf) => leaf.length >= shortestSensitive);
}

/** What paths lead into: the value itself, or what a text says that is JSON. Into one that was JSON and is cut none do. */
export type PathTarget =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'cut'; readonly text: string };

export function toPathTarget(held: Json): PathTarget {
  if (typeof held !== 'string' || !/^\s*[{[]/.test(held)) return { kind: 'value', value: held };
  const looksLikeJson = /^\s*(?:\{\s*"|\[\s*[[{"])/.test(held);
  // What is left of a clipped text may by chance be JSON of another shape.
  const clipped = looksLikeJson && /\[… [\d,]{1,20} of [\d,]{1,20} bytes left out …\]/.test(held);
  const value = clipped ? undefined : tryParseJson(held);
  if (value !== undefined) return { kind: 'value', value };
  return looksLikeJson ? { kind: 'cut', text: held } : { kind: 'value', value: held };
}

function tryParseJson(text: string): Json | undefined {
  try {
    return parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** As `clip` writes them. */
const clipMark = /\[… [\d,]{1,20} of [\d,]{1,20} (?:bytes|items|keys) left out …\]|…/;

/** A text that was JSON: its beginning up to the last member that is whole, closed, and what follows. */
function parseClippedJson(text: string): { readonly value: Json; readonly rest: string } {
  const clipped = text.search(clipMark);
  const end = clipped < 0 ? text.length : clipped;
  const closers: string[] = [];
  let whole = 0;
  let quoted = false;
  for (let at = 0; at < end; at++) {
    const mark = text.charAt(at);
    if (quoted) {
      if (mark === '\\') at++;
      else if (mark === '"') quoted = false;
    } else if (mark === '"') quoted = true;
    else if (mark === ',') whole = at;
    else if ('{[}]'.includes(mark)) {
      if (mark === '{') closers.push('}');
      else if (mark === '[') closers.push(']');
      else closers.pop();
      whole = at + 1;
    }
  }
  const value = tryParseJson(text.slice(0, whole) + closers.reverse().join(''));
  return value === undefined ? { value: null, rest: text } : { value, rest: text.slice(whole) };
}

/** Of a piece of JSON that may begin and end anywhere: its texts, but for the names of members, and its numbers. */
function listPieceValues(piece: string): readonly string[] {
  const between = splitAtQuotes(piece);
  return between.flatMap((part, at) => {
    if (!/[^\s\d,.:eE+{}[\]-]/.test(part.replace(/true|false|null/g, ''))) return part.match(/[\d.eE+-]+/g) ?? [];
    if (/^\s*:/.test(between[at + 1] ?? '')) return [];
    const read = tryParseJson(`"${part}"`);
    return typeof read === 'string' ? read : part;
  });
}

/** Not by a regular expression: those that repeat a choice fail on long texts. */
function splitAtQuotes(piece: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < piece.length; at++) {
    const mark = piece.charAt(at);
    if (mark === '\\') at++;
    else if (mark === '"') {
      parts.push(piece.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, piece.slice(from)];
}

function listMembers(value: Json, path: readonly string[]): readonly Json[] {
  let found: readonly Json[] = [value];
  for (const part of path) {
    found = found.flatMap((each) => {
      if (typeof each !== 'object' || each === null) return [];
      if (part === '*') return values<Json>(each);
      const member = findOwn(each as { readonly [key: string]: Json }, part);
      return member === undefined ? [] : [member];
    });
  }
  return found;
}

/** Not by recursion: how deep a value is, a model decides. */
function listLeaves(of: readonly Json[]): readonly string[] {
  const ahead = [...of];
  const leaves: string[] = [];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'object' && next !== null) for (const each of values<Json>(next)) ahead.push(each);
    else if (typeof next === 'string' || typeof next === 'number') leaves.push(toValueText(next));
  }
  return leaves;
}
