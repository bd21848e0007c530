/**
 * Finds keys that are broken by line ends or invisible characters. The pieces are joined and searched again; a key is
 * masked with all that broke it.
 */

import { findApiKeys } from './api-keys.js';
import { type Finder, type Finding, getWordStart } from './finding.js';
import { findJwts } from './signed-keys.js';

const invisible = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/;
const piece = /[A-Za-z0-9_.+/~-]+={0,2}/g;
/** A line end, with its continuation marks in code, mail and quotations. */
const lineBreak = /(?:\\?|=?)(?:\r?\n|\\r\\n|\\n)[ \t]{0,16}(?:[>|#*] ?){0,3}[ \t]{0,16}/y;
const max = 6;
const longest = 600;
/** The next line begins with other text, not with the rest of the key. */
const plainWord = /^[A-Za-z]?[a-z]{0,20}[.]?$/;

export const findBrokenKeys: Finder = (text) => {
  const { seen, placeOf } = stripInvisible(text);
  if (seen.length === text.length && !/\n|\\[nr]/.test(text)) return [];
  const findings: Finding[] = [];
  const pieces = Array.from(
    seen.matchAll(piece),
    (match) => [getWordStart(seen, match.index), match.index + match[0].length] as const,
  );
  let done = 0;
  pieces.forEach(([start], first) => {
    if (start < done) return;
    const end = findKeyEnd(seen, pieces, first, (from, to) => placeOf(to - 1) - placeOf(from) !== to - 1 - from);
    if (end === null) return;
    done = end;
    findings.push({ start: placeOf(start), end: placeOf(end - 1) + 1, kind: 'broken-key' });
  });
  return findings;
};

type Piece = readonly [start: number, end: number];

/** Returns where the longest broken key that begins with a piece ends. */
function findKeyEnd(
  text: string,
  pieces: readonly Piece[],
  first: number,
  holdsInvisible: (from: number, to: number) => boolean,
) {
  const [start, firstEnd] = pieces[first] ?? [0, 0];
  const isBroken =
    holdsInvisible(start, firstEnd) || /[\\\r\n=]/.test(text[firstEnd] ?? '') || text[firstEnd - 1] === '=';
  if (!isBroken) return null;
  let joined = text.slice(start, firstEnd);
  let end = firstEnd;
  let keyEnd = holdsInvisible(start, end) && isCompleteKey(joined) ? end : null;
  for (let next = first + 1; next < Math.min(pieces.length, first + max) && joined.length < longest; next++) {
    const [from, to] = pieces[next] ?? [0, 0];
    const piece = text.slice(from, to);
    lineBreak.lastIndex = joined.endsWith('=') ? end - 1 : end;
    if (!lineBreak.test(text) || lineBreak.lastIndex !== from || plainWord.test(piece)) break;
    // In mail an equals sign continues the line.
    joined = joined.replace(/=$/, '') + piece;
    end = to;
    if (isCompleteKey(joined)) keyEnd = end;
  }
  return keyEnd;
}

function isCompleteKey(text: string): boolean {
  if (text.length < 20 || text.length > longest || !/\d/.test(text)) return false;
  return [findApiKeys, findJwts].some((finder) =>
    finder(text, { field: '', names: new Set() }).some(({ start, end }) => start === 0 && end === text.length),
  );
}

/** Returns the visible text, and the position of each of its characters in the original. */
function stripInvisible(text: string): { readonly seen: string; readonly placeOf: (at: number) => number } {
  if (!invisible.test(text)) return { seen: text, placeOf: (at) => at };
  const places: number[] = [];
  const characters: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (invisible.test(character)) continue;
    places.push(at);
    characters.push(character);
  }
  return { seen: characters.join(''), placeOf: (at) => places[at] ?? 0 };
}
