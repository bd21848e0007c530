/**
 * Reads JSON as models write it: comments, trailing commas, single and typographic quotes, bare keys, Python's
 * constants, line breaks in texts, words without quotes. Missing parts are not invented: a value that ends early is an error.
 * Linear in the length of the text.
 */

import { isObject, type Json, type JsonObject } from './json.js';
import { type Cursor, formatPlace, isQuote, readQuoted, UnreadableTextError } from './loose-text.js';

export type LooseJsonResult =
  | { readonly ok: true; readonly value: Json; readonly end: number }
  /** `cut`: the text ended before the value did. */
  | { readonly ok: false; readonly index: number; readonly reason: string; readonly cut: boolean };

/** Recursive functions print and compare values, so the depth is bounded here. */
const maxDepth = 64;

const constants: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['None', null],
  ['undefined', null],
]);

/** Reads the value that starts at `from`, after white space. Ignores the text after it. */
export function readLooseJson(text: string, from = 0): LooseJsonResult {
  const cursor: Cursor = { text, index: from };
  try {
    skipBlank(cursor);
    const value = readValue(cursor, 0);
    return { ok: true, value, end: cursor.index };
  } catch (error) {
    if (error instanceof UnreadableTextError)
      return { ok: false, index: error.at, reason: error.message, cut: error.cut };
    throw error;
  }
}

/** Reads the object at the first brace; null without one, or if it is unreadable. */
export function readFirstObject(
  text: string,
  from = 0,
): { readonly start: number; readonly end: number; readonly value: JsonObject } | null {
  const start = text.indexOf('{', from);
  const read = start < 0 ? null : readLooseJson(text, start);
  return read?.ok && isObject(read.value) ? { start, end: read.end, value: read.value } : null;
}

/** Formats a failure for the model: its line and column, counted from an offset, and its reason. */
export function formatFailure(
  text: string,
  from: number,
  { index, reason }: { readonly index: number; readonly reason: string },
): string {
  return `${formatPlace(text.slice(from), index - from)}: ${reason}`;
}

/**
 * Reads the outermost values of a text that start with `bracket`, also the unreadable ones. Each of these may be read to the
 * end of the text: after work for a few lengths of the text, the search ends.
 */
export function* readLooseValues(
  text: string,
  bracket: '{' | '[',
): Generator<{ readonly start: number; readonly read: LooseJsonResult }> {
  let work = maxFailedReads * text.length;
  for (let start = text.indexOf(bracket); start >= 0 && work >= 0; ) {
    const read = readLooseJson(text, start);
    yield { start, read };
    if (!read.ok) work -= read.index - start + 1;
    start = text.indexOf(bracket, read.ok ? read.end : start + 1);
  }
}

/** Lengths of the text. */
const maxFailedReads = 4;

function readValue(cursor: Cursor, depth: number): Json {
  if (depth > maxDepth) throw new UnreadableTextError(cursor.index, `it is nested more than ${maxDepth} levels deep`);
  const first = cursor.text[cursor.index];
  if (first === undefined) throw new UnreadableTextError(cursor.index, 'it ends where a value is expected', true);
  if (first === '{') return readObject(cursor, depth);
  if (first === '[') return readArray(cursor, depth);
  if (isQuote(first)) return readQuoted(cursor, depth === 0 ? 'alone' : 'value');
  return readNumber(cursor) ?? readConstant(cursor);
}

function readObject(cursor: Cursor, depth: number): Json {
  const members: [string, Json][] = [];
  const start = cursor.index++;
  for (;;) {
    skipBlank(cursor);
    // `fromEntries` defines members, so that a key `__proto__` is an ordinary one.
    if (takeMark(cursor, '}')) return Object.fromEntries(members);
    if (cursor.index >= cursor.text.length) throw createMissingError(cursor, start, '}');
    const key = readKey(cursor);
    skipBlank(cursor);
    if (!takeMark(cursor, ':', '：')) throw createExpectedError(cursor, `":" after the key ${JSON.stringify(key)}`);
    skipBlank(cursor);
    members.push([key, readBareWords(cursor) ?? readValue(cursor, depth + 1)]);
    skipBlank(cursor);
    if (takeMark(cursor, ',', '，')) continue;
    if (cursor.index >= cursor.text.length) throw createMissingError(cursor, start, '}');
    if (cursor.text[cursor.index] !== '}') throw createExpectedError(cursor, '"," or "}"');
  }
}

function readArray(cursor: Cursor, depth: number): Json {
  const items: Json[] = [];
  const start = cursor.index++;
  for (;;) {
    skipBlank(cursor);
    if (takeMark(cursor, ']')) return items;
    if (cursor.index >= cursor.text.length) throw createMissingError(cursor, start, ']');
    items.push(readValue(cursor, depth + 1));
    skipBlank(cursor);
    if (takeMark(cursor, ',', '，')) continue;
    if (cursor.index >= cursor.text.length) throw createMissingError(cursor, start, ']');
    if (cursor.text[cursor.index] !== ']') throw createExpectedError(cursor, '"," or "]"');
  }
}

function readKey(cursor: Cursor): string {
  const first = cursor.text[cursor.index];
  if (first !== undefined && isQuote(first)) return readQuoted(cursor, 'key');
  const bare = /[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*/uy;
  bare.lastIndex = cursor.index;
  const key = bare.exec(cursor.text)?.[0];
  if (key === undefined) throw createExpectedError(cursor, 'a key in double quotes');
  cursor.index += key.length;
  return key;
}

function readNumber(cursor: Cursor): number | null {
  const pattern = /[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
  pattern.lastIndex = cursor.index;
  const numberText = pattern.exec(cursor.text)?.[0];
  if (numberText === undefined) return null;
  // As a number, `007` would lose its zeros.
  if (/^[+-]?0\d/.test(numberText))
    throw new UnreadableTextError(cursor.index, `${numberText} is not a number; put it in double quotes`);
  const value = Number(numberText.replaceAll('_', ''));
  if (!Number.isFinite(value))
    throw new UnreadableTextError(cursor.index, `${numberText.slice(0, 40)} is too large a number`);
  cursor.index += numberText.length;
  return value;
}

function readConstant(cursor: Cursor): Json {
  const pattern = /[\p{L}\p{N}_$]+/uy;
  pattern.lastIndex = cursor.index;
  const word = pattern.exec(cursor.text)?.[0];
  if (word === undefined) throw createExpectedError(cursor, 'a value');
  const value = constants.get(word);
  if (value === undefined) {
    throw new UnreadableTextError(cursor.index, `${word.slice(0, 40)} is not a value; put texts in double quotes`);
  }
  cursor.index += word.length;
  return value;
}

/** Reads words without quotes, `{city: New York}`, up to the end of a member; null for anything else. */
function readBareWords(cursor: Cursor): string | null {
  const pattern = /\p{L}[\p{L}\p{M}\p{N}_.'’ -]{0,200}(?=\s{0,20}[,}，])/uy;
  pattern.lastIndex = cursor.index;
  const words = pattern.exec(cursor.text)?.[0].trimEnd();
  if (words === undefined || constants.has(words) || nonTextPattern.test(words)) return null;
  cursor.index += words.length;
  return words;
}

/** Numbers that JSON cannot represent. */
const nonTextPattern = /^(?:nan|inf|infinity)$/i;

/** Skips white space, comments, and escaped line breaks outside of texts. */
function skipBlank(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    const here = text[cursor.index];
    const next = text[cursor.index + 1];
    if (here === undefined) return;
    if (/\s|\u200B|\uFEFF/.test(here)) cursor.index += 1;
    else if (here === '\\' && (next === 'n' || next === 't' || next === 'r')) cursor.index += 2;
    else if (here === '#' || (here === '/' && next === '/')) cursor.index = findEnd(text, '\n', cursor.index);
    else if (here === '/' && next === '*') cursor.index = findEnd(text, '*/', cursor.index + 2);
    else return;
  }
}

function findEnd(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from);
  return index < 0 ? text.length : index + mark.length;
}

function takeMark(cursor: Cursor, ...marks: readonly string[]): boolean {
  if (!marks.includes(cursor.text[cursor.index] ?? '')) return false;
  cursor.index += 1;
  return true;
}

function createExpectedError(cursor: Cursor, expected: string): UnreadableTextError {
  const code = cursor.text.codePointAt(cursor.index);
  if (code === undefined) return new UnreadableTextError(cursor.index, `it ends where ${expected} is expected`, true);
  return new UnreadableTextError(
    cursor.index,
    `expected ${expected}, found ${JSON.stringify(String.fromCodePoint(code))}`,
  );
}

function createMissingError(cursor: Cursor, start: number, bracket: string): UnreadableTextError {
  const open = cursor.text[start];
  return new UnreadableTextError(cursor.index, `it ends before the "${bracket}" that closes its "${open}"`, true);
}
