/**
 * Clips texts and JSON to a size, with a mark for the omitted part.
 *
 * A text keeps its beginning (about two thirds) and its end, where logs have their error and reports their sum. Both are cut
 * at lines, sentences or words. JSON keeps its type: arrays keep items from both ends, objects keep members in order, and
 * long members are clipped before any is omitted. So of ten long search results the model sees a part of each, and of ten
 * thousand some complete ones and their number.
 */

import { countCharBytes, countJsonBytes, countTextBytes, type TextFormat } from './byte-size.js';
import { formatCount } from './display.js';
import { isObject, type Json, type JsonObject } from './json.js';

/** Ends of lines, of sentences, of words: the cut is made at the first kind that is near enough. */
const boundaries: readonly RegExp[] = [/\n/g, /[.!?]\s|[。！？]/g, /\s/g];

/** The part of a piece that may be omitted for a better place to cut. */
const maxTrimRatio = 1 / 3;

/** Clips a text to at most `room` bytes in its format. */
export function clipText(text: string, room: number, writing: TextFormat): string {
  if (countTextBytes(text, writing, room) <= room) return text;
  const whole = countTextBytes(text, 'plain');
  // The longest possible mark: everything omitted.
  const longest = countTextBytes(`\n${formatOmission(whole, whole, 'bytes')}\n`, writing);
  const short = longest * 2 > room;
  const left = room - (short ? countTextBytes(shortMark, writing) : longest);
  if (left < 0) return '';
  const tail = takeTail(text, Math.floor(left / 3), writing);
  const head = takeHead(text, left - countTextBytes(tail, writing), writing);
  if (short) return `${head}${shortMark}${tail}`;
  const missing = whole - countTextBytes(head, 'plain') - countTextBytes(tail, 'plain');
  // A separate line between lines; between spaces otherwise.
  const separator = text.includes('\n') ? '\n' : ' ';
  const before = head.endsWith(separator) ? '' : separator;
  return `${head}${before}${formatOmission(missing, whole, 'bytes')}${separator}${tail}`;
}

function takeHead(text: string, room: number, writing: TextFormat): string {
  let end = 0;
  for (let bytes = 0; end < text.length; ) {
    const code = text.codePointAt(end)!;
    bytes += countCharBytes(code, writing);
    if (bytes > room) break;
    end += code > 0xffff ? 2 : 1;
  }
  const from = end - Math.floor(end * maxTrimRatio);
  return text.slice(0, findBoundary(text, from, end, 'last') ?? end);
}

function takeTail(text: string, room: number, writing: TextFormat): string {
  let start = text.length;
  for (let bytes = 0; start > 0; ) {
    const code = getCodePointBefore(text, start);
    bytes += countCharBytes(code, writing);
    if (bytes > room) break;
    start -= code > 0xffff ? 2 : 1;
  }
  // From one character earlier, since the piece may already begin with a line.
  const to = start + Math.floor((text.length - start) * maxTrimRatio);
  return text.slice(findBoundary(text, Math.max(0, start - 1), to, 'first') ?? start);
}

/** Returns where the best boundary in a part of the text ends. */
function findBoundary(text: string, from: number, to: number, which: 'first' | 'last'): number | null {
  const part = text.slice(from, to);
  for (const boundary of boundaries) {
    let boundaryEnd: number | null = null;
    for (const match of part.matchAll(boundary)) {
      boundaryEnd = from + match.index + match[0].length;
      if (which === 'first') break;
    }
    if (boundaryEnd !== null) return boundaryEnd;
  }
  return null;
}

function getCodePointBefore(text: string, end: number): number {
  const pair = end > 1 ? text.codePointAt(end - 2)! : 0;
  return pair > 0xffff ? pair : text.charCodeAt(end - 1);
}

/** Fewer bytes than this are too few for a part. */
const minShare = 64;
/** The share of the room that one part among many may take. */
const maxPartRatio = 1 / 8;
/** The shortest member: `"":1,`. */
const minMemberBytes = 5;
/** With less room than this a value becomes empty: deeper levels would cost time and hold nothing. */
const minRoom = 8;

/** Clips a value. Numbers, booleans and null are never clipped, even above `room`: a part of a number is wrong. */
export function clipJson(value: Json, room: number): Json {
  if (countJsonBytes(value, room) <= room) return value;
  if (typeof value === 'string') return clipText(value, room - 2, 'json');
  if (Array.isArray(value)) return room < minRoom ? [] : clipArray(value, room - 2);
  if (isObject(value)) return room < minRoom ? {} : clipObject(value, room - 2);
  return value;
}

function clipArray(items: readonly Json[], room: number): Json {
  const share = computeShare(items, room - items.length);
  if (share !== null) {
    const all = items.map((item) => clipJson(item, share));
    if (countJsonBytes(all, room + 2) <= room + 2) return all;
  }
  const [longest, mark] = chooseMark(items.length, 'items', room);
  const left = room - longest;
  const maxPart = computeMaxPart(left);
  const head = takeItems(items, Math.ceil((left * 2) / 3), maxPart);
  const tail = takeItems(items.slice(head.parts.length).reverse(), left - head.bytes, maxPart).parts.reverse();
  const marks = mark === null ? [] : [mark(items.length - head.parts.length - tail.length)];
  return [...head.parts, ...marks, ...tail];
}

/** Takes items from the start, as many as fit, each clipped to `most`; the first always fits. */
function takeItems(
  items: readonly Json[],
  room: number,
  max: number,
): { readonly parts: Json[]; readonly bytes: number } {
  const parts: Json[] = [];
  let bytes = 0;
  for (const item of items) {
    const part = clipJson(item, parts.length === 0 ? Math.min(max, room - 1) : max);
    const more = countJsonBytes(part, room) + 1;
    if (bytes + more > room) break;
    parts.push(part);
    bytes += more;
  }
  return { parts, bytes };
}

function clipObject(object: JsonObject, room: number): Json {
  const keys = Object.keys(object);
  const names = keys.reduce((sum, key) => sum + countTextBytes(key, 'json', room) + 4, 0);
  const share = computeShare(Object.values(object), room - names);
  if (share !== null) {
    const all = Object.fromEntries(keys.map((key) => [key, clipJson(object[key]!, share)]));
    if (countJsonBytes(all, room + 2) <= room + 2) return all;
  }
  let markKey = shortMark;
  while (Object.hasOwn(object, markKey)) markKey += shortMark;
  const [longest, mark] = chooseMark(keys.length, 'keys', room - countTextBytes(markKey, 'json') - 4);
  const members: (readonly [string, Json])[] = [];
  let left = mark === null ? room : room - longest - countTextBytes(markKey, 'json') - 4;
  const maxPart = computeMaxPart(left);
  for (const key of keys) {
    if (left < minMemberBytes) break;
    const name = countTextBytes(key, 'json', left) + 4;
    if (name >= left) continue;
    const value = clipJson(object[key]!, Math.min(maxPart, left - name));
    const more = name + countJsonBytes(value, left);
    if (more > left) continue;
    members.push([key, value]);
    left -= more;
  }
  if (mark !== null) members.push([markKey, mark(keys.length - members.length)]);
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(members);
}

const computeMaxPart = (room: number) => Math.min(room, Math.max(minShare, Math.floor(room * maxPartRatio)));

/** Returns the bytes for each part so that all fit, short ones leaving theirs to long ones; null if too few. */
function computeShare(parts: readonly Json[], room: number): number | null {
  if (parts.length > room) return null;
  const sizes = parts.map((part) => countJsonBytes(part, room)).sort((a, b) => a - b);
  let left = room;
  for (const [i, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - i));
    if (size > share) return share >= computeMaxPart(room) ? share : null;
    left -= size;
  }
  return room;
}

/** Returns the mark, and the most bytes it takes with quotes and comma; null if it does not fit. */
function chooseMark(
  whole: number,
  unit: 'items' | 'keys',
  room: number,
): readonly [bytes: number, mark: ((left: number) => string) | null] {
  const full = (left: number) => formatOmission(left, whole, unit);
  const bytes = (mark: string) => countTextBytes(mark, 'json') + 3;
  if (bytes(full(whole)) * 2 <= room) return [bytes(full(whole)), full];
  return bytes(shortMark) <= room ? [bytes(shortMark), () => shortMark] : [0, null];
}

/** `[… 12,345 of 20,480 bytes left out …]` */
export function formatOmission(left: number, whole: number, unit: 'bytes' | 'items' | 'keys'): string {
  return `[… ${formatCount(left)} of ${formatCount(whole)} ${unit} left out …]`;
}

/** Used where the full mark would take more room than the text around it. */
const shortMark = '…';
