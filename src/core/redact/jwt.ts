/** JSON Web Tokens: three or five parts of base64 of which the first is a JSON object. */

import { type Finder, type Finding, wordStart } from './finding.js';

const part = /[A-Za-z0-9_-]+/y;

export const jwts: Finder = (text) => {
  const found: Finding[] = [];
  // A part that was looked at as a second or third one is not where a token begins.
  for (let at = text.indexOf('eyJ'); at >= 0; at = text.indexOf('eyJ', at)) {
    const first = partEnd(text, at);
    const stop = begins(text, at) && first - at >= 10 ? tokenEnd(text, first) : null;
    if (stop !== null) found.push({ start: at, end: stop, kind: 'jwt' });
    at = stop ?? first;
  }
  return found;
};

function begins(text: string, at: number): boolean {
  let start = at;
  while (start > at - 2 && /[A-Za-z0-9_-]/.test(text[start - 1] ?? '')) start -= 1;
  return start === at || wordStart(text, start) === at;
}

function tokenEnd(text: string, first: number): number | null {
  if (text[first] !== '.') return null;
  const second = partEnd(text, first + 1);
  if (second - first < 9) return null;
  // Without its signature it is still a token, if its second part is JSON too.
  if (text[second] !== '.') return text.startsWith('eyJ', first + 1) ? second : null;
  let stop = partEnd(text, second + 1);
  for (let more = 0; more < 2 && text[stop] === '.' && partEnd(text, stop + 1) > stop + 1; more++) {
    // The two further parts of an encrypted one are long; a word after a full stop is not.
    if (partEnd(text, stop + 1) - stop < 16) break;
    stop = partEnd(text, stop + 1);
  }
  return stop;
}

function partEnd(text: string, at: number): number {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : at;
}
