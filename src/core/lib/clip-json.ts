/**
 * Clips JSON to JSON of the same type: arrays keep items from both ends, objects keep members in their order, and what
 * is long inside is clipped itself before anything beside it is left out. So a model that is shown ten long search
 * results sees something of each, and one that is shown ten thousand sees whole ones and how many there are.
 */

import { jsonBytes, textBytes } from './byte-size.js';
import { fullMark, shortMark } from './clip-mark.js';
import { clipText } from './clip-text.js';
import { isObject, type Json, type JsonObject } from './json.js';

/** Fewer bytes than this say too little for a part of its own. */
const leastShare = 64;
/** One part among many may take an eighth. */
const largestPart = 1 / 8;
/** The shortest member: `"":1,`. */
const shortestMember = 5;
/** Less room than this holds nothing worth going deeper for; going on would cost more the deeper it gets. */
const leastRoom = 8;

/** Numbers and the like stay whole, even where they are more than `room`: a part of a number is a lie. */
export function clipJson(value: Json, room: number): Json {
  if (jsonBytes(value, room) <= room) return value;
  if (typeof value === 'string') return clipText(value, room - 2, 'json');
  if (Array.isArray(value)) return room < leastRoom ? [] : clipArray(value, room - 2);
  if (isObject(value)) return room < leastRoom ? {} : clipObject(value, room - 2);
  return value;
}

function clipArray(items: readonly Json[], room: number): Json {
  const share = shareOf(items, room - items.length);
  if (share !== null) {
    const all = items.map((item) => clipJson(item, share));
    if (jsonBytes(all, room + 2) <= room + 2) return all;
  }
  const [longest, mark] = markFor(items.length, 'items', room);
  const left = room - longest;
  const most = largest(left);
  const head = take(items, Math.ceil((left * 2) / 3), most);
  const tail = take(items.slice(head.parts.length).reverse(), left - head.bytes, most).parts.reverse();
  const marks = mark === null ? [] : [mark(items.length - head.parts.length - tail.length)];
  return [...head.parts, ...marks, ...tail];
}

/** Items from the start, as many as fit when none is longer than `most`; the first one fits in any case. */
function take(items: readonly Json[], room: number, most: number): { readonly parts: Json[]; readonly bytes: number } {
  const parts: Json[] = [];
  let bytes = 0;
  for (const item of items) {
    const part = clipJson(item, parts.length === 0 ? Math.min(most, room - 1) : most);
    const more = jsonBytes(part, room) + 1;
    if (bytes + more > room) break;
    parts.push(part);
    bytes += more;
  }
  return { parts, bytes };
}

function clipObject(object: JsonObject, room: number): Json {
  const keys = Object.keys(object);
  const names = keys.reduce((sum, key) => sum + textBytes(key, 'json', room) + 4, 0);
  const share = shareOf(Object.values(object), room - names);
  if (share !== null) {
    const all = Object.fromEntries(keys.map((key) => [key, clipJson(object[key]!, share)]));
    if (jsonBytes(all, room + 2) <= room + 2) return all;
  }
  let markKey = shortMark;
  while (Object.hasOwn(object, markKey)) markKey += shortMark;
  const [longest, mark] = markFor(keys.length, 'keys', room - textBytes(markKey, 'json') - 4);
  const kept: (readonly [string, Json])[] = [];
  let left = mark === null ? room : room - longest - textBytes(markKey, 'json') - 4;
  const most = largest(left);
  for (const key of keys) {
    if (left < shortestMember) break;
    const name = textBytes(key, 'json', left) + 4;
    if (name >= left) continue;
    const value = clipJson(object[key]!, Math.min(most, left - name));
    const more = name + jsonBytes(value, left);
    if (more > left) continue;
    kept.push([key, value]);
    left -= more;
  }
  if (mark !== null) kept.push([markKey, mark(keys.length - kept.length)]);
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(kept);
}

const largest = (room: number) => Math.min(room, Math.max(leastShare, Math.floor(room * largestPart)));

/** The bytes that each part may take for all of them to fit, short ones leaving theirs to long ones; null if too few. */
function shareOf(parts: readonly Json[], room: number): number | null {
  if (parts.length > room) return null;
  const sizes = parts.map((part) => jsonBytes(part, room)).sort((a, b) => a - b);
  let left = room;
  for (const [i, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - i));
    if (size > share) return share >= largest(room) ? share : null;
    left -= size;
  }
  return room;
}

/** The mark and the most bytes that it takes with its quotes and comma; none where there is no room for it. */
function markFor(
  whole: number,
  unit: 'items' | 'keys',
  room: number,
): readonly [bytes: number, mark: ((left: number) => string) | null] {
  const full = (left: number) => fullMark(left, whole, unit);
  const bytes = (mark: string) => textBytes(mark, 'json') + 3;
  if (bytes(full(whole)) * 2 <= room) return [bytes(full(whole)), full];
  return bytes(shortMark) <= room ? [bytes(shortMark), () => shortMark] : [0, null];
}
