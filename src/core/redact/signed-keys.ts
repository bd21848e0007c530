/** Finds keys and tokens with an inner structure: private keys in PEM, JSON Web Tokens. */

import { blank, type Finder, type Finding, findMatchEnd, findMatches, getWordStart } from './finding.js';

/** SSH2's have four dashes and a space. */
const begin = /(?:-----BEGIN |---- BEGIN )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?(?:-----| ----)/g;
const end = /(?:-----END |---- END )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?(?:-----| ----)/y;
const anyEnd = /-----END |---- END /g;
/** Longer than any key; an end further away belongs to another key. */
const longest = 32_768;

/** PuTTY's: so many rows. */
const putty = /(?<=Private-Lines: \d{1,3}\r?\n)[A-Za-z0-9+/=]{4,80}(?:\r?\n[A-Za-z0-9+/=]{4,80}){0,99}/g;

/**
 * One piece of a key without an end: a line's header or a row of base64, with the line break that may be escaped. What has a
 * colon behind its quote is the name of the next member, and not the next string of a list.
 */
const gap = /(?:\s|\\[nr]|[>|#"'+,]){0,20}/y;
const header = /(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,120}/y;
const row = /[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/]|\\{0,4}["'`]\s{0,4}:)/y;
const lastRow = /(?:[A-Za-z0-9+/]{1,64}={1,2}|=[A-Za-z0-9+/]{4})(?!\\{0,4}["'`]\s{0,4}:)/y;
/** What was cut off may end with a row of any length. It has its line for itself, and is not a word unless the text ends too. */
const cutRow =
  /(?:[A-Za-z0-9+/]{1,15}(?=\s{0,4}$)|(?=[A-Za-z]{0,14}[\d+/]|[A-Za-z]{0,13}[a-z][A-Z])[A-Za-z0-9+/]{2,15}(?=[ \t]{0,8}(?:[\r\n]|["'`](?!\s{0,4}:)|\\{1,4}(?:[nr]|"(?!\s{0,4}:)))))/y;

/** Private keys in PEM: the whole block, or the rest of the text where its end is missing. */
export const findPrivateKeys: Finder = (text) => {
  const findings: Finding[] = [];
  let nextEnd = -1;
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const start = match.index;
    const body = begin.lastIndex;
    // Searched once, not once for each beginning.
    if (nextEnd < body) nextEnd = findEndMark(text, body);
    const closed = nextEnd - body <= longest ? findClosedBlockEnd(text, body, nextEnd) : null;
    const stop = closed ?? findOpenBlockEnd(text, body);
    if (stop === null) continue;
    findings.push({ start, end: stop, kind: 'private-key' });
    begin.lastIndex = stop;
  }
  return text.includes('Private-Lines: ') ? [...findings, ...findMatches(text, putty, 'private-key')] : findings;
};

function findEndMark(text: string, from: number): number {
  anyEnd.lastIndex = from;
  return anyEnd.exec(text)?.index ?? text.length + longest + 1;
}

function findClosedBlockEnd(text: string, from: number, at: number): number | null {
  end.lastIndex = at;
  if (!end.test(text)) return null;
  const stop = end.lastIndex;
  const body = text.slice(from, at);
  // Two marks in a sentence are no key; nor is there one left where its body is blanked out.
  if (/---- ?BEGIN /.test(body) || body.includes(blank) || !isKeyBody(body)) return null;
  return stop;
}

/** Two constants that contain the marks have code between them. */
function isKeyBody(text: string): boolean {
  return /[A-Za-z0-9+/]{16}/.test(text) || (/\n.|\\n./.test(text) && !/=\s?\w?["']/.test(text));
}

function findOpenBlockEnd(text: string, from: number): number | null {
  let stop: number | null = null;
  for (let at = from; ; ) {
    const next = findMatchEnd(text, gap, at) ?? at;
    const piece: number | null =
      findMatchEnd(text, header, next) ??
      findMatchEnd(text, row, next) ??
      findMatchEnd(text, lastRow, next) ??
      findCutRowEnd(text, next, stop);
    if (piece === null) return stop;
    at = piece;
    stop = piece;
  }
}

/** Only after a row, and apart from it. */
function findCutRowEnd(text: string, at: number, stop: number | null): number | null {
  return stop === null || at === stop ? null : findMatchEnd(text, cutRow, at);
}

const part = /[A-Za-z0-9_-]+/y;

/** JSON Web Tokens: three or five parts of base64 of which the first is a JSON object. */
export const findJwts: Finder = (text) => {
  const findings: Finding[] = [];
  // A token does not begin with a part that was read as a second or third one.
  for (let at = text.indexOf('eyJ'); at >= 0; at = text.indexOf('eyJ', at)) {
    const first = findPartEnd(text, at);
    const stop = isTokenStart(text, at) && first - at >= 10 ? findTokenEnd(text, first) : null;
    if (stop !== null) findings.push({ start: at, end: stop, kind: 'jwt' });
    at = stop ?? first;
  }
  return findings;
};

function isTokenStart(text: string, at: number): boolean {
  let start = at;
  while (start > at - 2 && /[A-Za-z0-9_-]/.test(text[start - 1] ?? '')) start -= 1;
  return start === at || getWordStart(text, start) === at;
}

function findTokenEnd(text: string, first: number): number | null {
  if (text[first] !== '.') return null;
  const second = findPartEnd(text, first + 1);
  if (second - first < 9) return null;
  // Without its signature it is still a token, if its second part is JSON too.
  if (text[second] !== '.') return text.startsWith('eyJ', first + 1) ? second : null;
  let stop = findPartEnd(text, second + 1);
  for (let more = 0; more < 2 && text[stop] === '.' && findPartEnd(text, stop + 1) > stop + 1; more++) {
    // The two further parts of an encrypted one are long; a word after a full stop is not.
    if (findPartEnd(text, stop + 1) - stop < 16) break;
    stop = findPartEnd(text, stop + 1);
  }
  return stop;
}

function findPartEnd(text: string, at: number): number {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : at;
}
