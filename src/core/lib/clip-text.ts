/**
 * Clips a text: the beginning (about two thirds), a mark that says how much is missing, and the end. The beginning says
 * what it is, and the end is where logs have their error and reports their sum. Both are cut where a reader would cut.
 */

import { charBytes, textBytes, type Writing } from './byte-size.js';
import { fullMark, shortMark } from './clip-mark.js';

/** The ends of lines, of sentences, of words: the first kind that is near enough is where the cut is made. */
const boundaries: readonly RegExp[] = [/\n/g, /[.!?]\s|[。！？]/g, /\s/g];

/** The part of a piece that may be given up for a better place to cut it. */
const givenUp = 1 / 3;

/** A text of at most `room` bytes, as it is written there. */
export function clipText(text: string, room: number, writing: Writing): string {
  if (textBytes(text, writing, room) <= room) return text;
  const whole = textBytes(text, 'plain');
  // The longest that the mark may get: as if everything were left out.
  const longest = textBytes(`\n${fullMark(whole, whole, 'bytes')}\n`, writing);
  const short = longest * 2 > room;
  const left = room - (short ? textBytes(shortMark, writing) : longest);
  if (left < 0) return '';
  const tail = tailOf(text, Math.floor(left / 3), writing);
  const head = headOf(text, left - textBytes(tail, writing), writing);
  if (short) return `${head}${shortMark}${tail}`;
  const missing = whole - textBytes(head, 'plain') - textBytes(tail, 'plain');
  // On a line of its own among lines, between spaces otherwise.
  const around = text.includes('\n') ? '\n' : ' ';
  const before = head.endsWith(around) ? '' : around;
  return `${head}${before}${fullMark(missing, whole, 'bytes')}${around}${tail}`;
}

function headOf(text: string, room: number, writing: Writing): string {
  let end = 0;
  for (let bytes = 0; end < text.length; ) {
    const code = text.codePointAt(end)!;
    bytes += charBytes(code, writing);
    if (bytes > room) break;
    end += code > 0xffff ? 2 : 1;
  }
  const from = end - Math.floor(end * givenUp);
  return text.slice(0, cut(text, from, end, 'last') ?? end);
}

function tailOf(text: string, room: number, writing: Writing): string {
  let start = text.length;
  for (let bytes = 0; start > 0; ) {
    const code = codePointBefore(text, start);
    bytes += charBytes(code, writing);
    if (bytes > room) break;
    start -= code > 0xffff ? 2 : 1;
  }
  // From one character earlier, since the piece may already begin with a line.
  const to = start + Math.floor((text.length - start) * givenUp);
  return text.slice(cut(text, Math.max(0, start - 1), to, 'first') ?? start);
}

/** Where the best boundary in a part of the text ends. */
function cut(text: string, from: number, to: number, which: 'first' | 'last'): number | null {
  const part = text.slice(from, to);
  for (const boundary of boundaries) {
    let found: number | null = null;
    for (const match of part.matchAll(boundary)) {
      found = from + match.index + match[0].length;
      if (which === 'first') break;
    }
    if (found !== null) return found;
  }
  return null;
}

function codePointBefore(text: string, end: number): number {
  const pair = end > 1 ? text.codePointAt(end - 2)! : 0;
  return pair > 0xffff ? pair : text.charCodeAt(end - 1);
}
