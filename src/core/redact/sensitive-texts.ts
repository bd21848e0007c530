/**
 * Reads the texts at the sensitive paths of a value, to mask them everywhere else. A tool's result may be a text that is
 * JSON; paths lead into it too.
 *
 * 1. In clipped JSON, paths apply to the part that is still valid. In the rest every value is sensitive: its path is
 *    unknown.
 * 2. Linear in the value, however deep a model has made it.
 */

import { findOwn, type Json, toValueText } from '../lib/index.js';
import { type FieldPath, toPathParts } from './policy.js';

/** The mark of a sensitive value that has no numbered mark. */
export const fieldMark = '[redacted:field]';

/** Shorter texts would match within ordinary words and numbers. */
export const shortestSensitive = 6;

// Read once: within a workflow each access to a global passes the sandbox.
const { parse } = JSON;
const { values } = Object;

/** Returns the texts and numbers at these paths, as texts. A clipped text also counts in its remaining parts. */
export function findSensitiveTexts(content: Json, paths: readonly FieldPath[]): readonly string[] {
  return listTextsAtPaths(content, paths).filter((leaf) => leaf.length >= shortestSensitive);
}

/** Whether a text or a number at these paths is too short to be masked in a text, into which no path leads. */
export function hasShortSensitiveText(content: Json, paths: readonly FieldPath[]): boolean {
  return listTextsAtPaths(content, paths).some((leaf) => leaf !== '' && leaf.length < shortestSensitive);
}

function listTextsAtPaths(content: Json, paths: readonly FieldPath[]): readonly string[] {
  if (paths.length === 0) return [];
  const inside = toPathTarget(content);
  const { value, rest } = inside.kind === 'cut' ? parseClippedJson(inside.text) : { value: inside.value, rest: '' };
  const atPaths = paths.flatMap((path) => listLeaves(listMembers(value, toPathParts(path))));
  return [...atPaths, ...rest.split(clipMark).flatMap(listPieceValues)]
    .flatMap((leaf) => [leaf, ...(leaf.includes('…') ? leaf.split(clipMark) : [])])
    .map((leaf) => leaf.trim());
}

/** The value that paths apply to: the value itself, or the content of a JSON text. No path leads into clipped JSON. */
export type PathTarget =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'cut'; readonly text: string };

export function toPathTarget(content: Json): PathTarget {
  if (typeof content !== 'string' || !/^\s*[{[]/.test(content)) return { kind: 'value', value: content };
  if (summaryMark.test(content)) return { kind: 'cut', text: content };
  const looksLikeJson = /^\s*(?:\{\s*"|\[\s*[[{"])/.test(content);
  // The rest of a clipped text may by chance be JSON of another shape.
  const clipped = looksLikeJson && /\[… [\d,]{1,20} of [\d,]{1,20} bytes left out …\]/.test(content);
  const value = clipped ? undefined : tryParseJson(content);
  if (value !== undefined) return { kind: 'value', value };
  return looksLikeJson ? { kind: 'cut', text: content } : { kind: 'value', value: content };
}

function tryParseJson(text: string): Json | undefined {
  try {
    return parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The mark before the summary of a result, which may have been JSON. */
const summaryMark = /^\[… summary of [\d,]{1,20} bytes by /;

/** The marks that `clipObservation` writes. */
const clipMark = /\[… [\d,]{1,20} of [\d,]{1,20} (?:bytes|items|keys) left out …\]|…/;

/** Parses clipped JSON up to its last complete member; returns that value and the remaining text. */
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

/** Returns the texts, without members' names, and the numbers of a piece of JSON, which may begin and end anywhere. */
function listPieceValues(piece: string): readonly string[] {
  const between = splitAtQuotes(piece);
  return between.flatMap((part, at) => {
    if (!/[^\s\d,.:eE+{}[\]-]/.test(part.replace(/true|false|null/g, ''))) return part.match(/[\d.eE+-]+/g) ?? [];
    if (/^\s*:/.test(between[at + 1] ?? '')) return [];
    const read = tryParseJson(`"${part}"`);
    return typeof read === 'string' ? read : part;
  });
}

/** Without a regular expression: one that repeats alternatives fails on long texts. */
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
  let members: readonly Json[] = [value];
  for (const part of path) {
    members = members.flatMap((parent) => {
      if (typeof parent !== 'object' || parent === null) return [];
      if (part === '*') return values<Json>(parent);
      const member = findOwn(parent as { readonly [key: string]: Json }, part);
      return member === undefined ? [] : [member];
    });
  }
  return members;
}

/** Without recursion: a model decides how deep a value is. */
function listLeaves(roots: readonly Json[]): readonly string[] {
  const ahead = [...roots];
  const leaves: string[] = [];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'object' && next !== null) for (const child of values<Json>(next)) ahead.push(child);
    else if (typeof next === 'string' || typeof next === 'number') leaves.push(toValueText(next));
  }
  return leaves;
}
