/** Private keys in PEM: the whole block, and what there is of one whose end is missing. */

import { blank, type Finder, type Finding, matches } from './finding.js';

const begin = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const end = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
/** Longer than any key; an end further away is that of another. */
const longest = 32_768;

/** PuTTY's: so many rows. */
const putty = /(?<=Private-Lines: \d{1,3}\r?\n)[A-Za-z0-9+/=]{4,80}(?:\r?\n[A-Za-z0-9+/=]{4,80}){0,99}/g;

/** One piece of a key without an end: a line's header or a row of base64, with the line break that may be escaped. */
const gap = /(?:\s|\\[nr]|[>|#"'+,]){0,20}/y;
const header = /(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,120}/y;
const row = /[A-Za-z0-9+/]{16,}={0,2}/y;
const lastRow = /[A-Za-z0-9+/]{1,64}={1,2}|=[A-Za-z0-9+/]{4}/y;

export const privateKeys: Finder = (text) => {
  const found: Finding[] = [];
  let nextEnd = -1;
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const start = match.index;
    const body = begin.lastIndex;
    // Looked for once, not once for each beginning.
    if (nextEnd < body) nextEnd = indexOr(text, '-----END ', body);
    const closed = nextEnd - body <= longest ? wholeBlock(text, body, nextEnd) : null;
    const stop = closed ?? openBlock(text, body);
    if (stop === null) continue;
    found.push({ start, end: stop, kind: 'private-key' });
    begin.lastIndex = stop;
  }
  return text.includes('Private-Lines: ') ? [...found, ...matches(text, putty, 'private-key')] : found;
};

function indexOr(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? text.length + longest + 1 : at;
}

function wholeBlock(text: string, from: number, at: number): number | null {
  end.lastIndex = at;
  if (!end.test(text)) return null;
  const stop = end.lastIndex;
  const body = text.slice(from, at);
  // Two marks in a sentence are no key; nor is there one left where its body is blanked out.
  if (body.includes('-----BEGIN ') || body.includes(blank) || !isBody(body)) return null;
  return stop;
}

/** Two constants that hold the marks have code between them. */
function isBody(text: string): boolean {
  return /[A-Za-z0-9+/]{16}/.test(text) || (/\n.|\\n./.test(text) && !/=\s?\w?["']/.test(text));
}

function openBlock(text: string, from: number): number | null {
  let stop: number | null = null;
  for (let at = from; ; ) {
    const next = skip(text, gap, at) ?? at;
    const piece = skip(text, header, next) ?? skip(text, row, next) ?? skip(text, lastRow, next);
    if (piece === null) return stop;
    at = piece;
    stop = piece;
  }
}

function skip(text: string, pattern: RegExp, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
