/**
 * Private parts of a reply: `<private>…</private>`, as an agent's instructions may request them. A part without an end
 * reaches to the end of its text.
 */

import { isObject, type Json } from './json.js';
import { mapJson } from './map-json.js';

/**
 * Replaces each private part of a text, or of the texts within a value, by `[private]`.
 *
 * @param characters a caller that shows no more of any text can give their number: a text without a tag among them is
 *   returned as it is, at a cost independent of its length
 */
export function maskPrivateParts<T extends Json>(value: T, characters = Number.POSITIVE_INFINITY): T {
  const isMasked = (text: string) => hasPrivatePart(text.slice(0, characters));
  return mapTexts(value, isMasked, (text) => (isMasked(text) ? replaceParts(text, '[private]') : text)) as T;
}

/** Removes the private parts, with the space before them. */
export function removePrivateParts<T extends Json>(value: T): T {
  return mapTexts(value, hasPrivatePart, (text) => (hasPrivatePart(text) ? replaceParts(text, '').trim() : text)) as T;
}

export function hasPrivatePart(text: string): boolean {
  return /<private>/i.test(text);
}

/** Scans for tags: a part may contain another one. */
function replaceParts(text: string, replacement: string): string {
  let result = '';
  let depth = 0;
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(/<\/?private>/gi)) {
    const opens = !tag.startsWith('</');
    if (depth === 0) {
      const before = text.slice(at, index);
      result += opens && replacement === '' ? before.replace(/[ \t]+$/, '') : before;
      if (opens) result += replacement;
    }
    depth = Math.max(0, depth + (opens ? 1 : -1));
    at = index + tag.length;
  }
  return depth === 0 ? result + text.slice(at) : result;
}

/** Returns the same value where no text has a private part: most have none, and views read every value. */
function mapTexts(value: Json, isMapped: (text: string) => boolean, map: (text: string) => string): Json {
  if (!isAnyText(value, isMapped)) return value;
  return mapJson(value, {
    paths: [],
    mapValue: (leaf) => (typeof leaf === 'string' ? map(leaf) : undefined),
    mapItems: (items) => items,
    mapKey: map,
    visitKeys: () => {},
    getName: (key) => key,
  });
}

function isAnyText(value: Json, check: (text: string) => boolean): boolean {
  const ahead: Json[] = [value];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') {
      if (check(next)) return true;
    } else if (isObject(next)) for (const [key, member] of Object.entries(next)) ahead.push(key, member);
    else if (Array.isArray(next)) for (const item of next) ahead.push(item);
  }
  return false;
}
