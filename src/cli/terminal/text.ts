/**
 * Text that others wrote, in the columns of a terminal. What is unsafe there, `plain` has taken out.
 *
 * X2 It is measured in columns, of which Chinese characters and emoji take two, and never cut within a character.
 */

import { showInvisible } from '../../core/lib/invisible.js';
import { asText, isObject, type Json } from '../../core/lib/json.js';
import { oneLine, plain } from '../../core/lib/plain.js';

/** What `city="Paris" days=3` says, and a value that is no object as it is. */
export function argumentsText(input: Json): string {
  if (!isObject(input)) return oneLine(showInvisible(asText(input)));
  const members = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return oneLine(showInvisible(members.join(' ')));
}

export function columns(text: string): number {
  if (isNarrow(text)) return text.length;
  let sum = 0;
  for (const { segment } of characters.segment(text)) sum += columnsOf(segment);
  return sum;
}

/** At most so many columns, with `…` for what is missing. */
export function cut(text: string, width: number): string {
  // What is far too long is not measured to its end.
  const start = text.length > width * longest ? text.slice(0, width * longest) : text;
  if (start === text && columns(text) <= width) return text;
  return width < 1 ? '' : `${upTo(start, width - 1)}…`;
}

/** Breaks at spaces, and within a word only where one is longer than a line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of plain(text).trim().split(/\n+/)) {
    let line = '';
    let used = 0;
    for (const word of paragraph.split(/\s+/).flatMap((each) => pieces(each, width))) {
      const more = columns(word);
      if (line !== '' && used + more + 1 > width) {
        lines.push(line);
        [line, used] = [word, more];
      } else {
        [line, used] = line === '' ? [word, more] : [`${line} ${word}`, used + more + 1];
      }
    }
    lines.push(line);
  }
  return lines;
}

function pieces(word: string, width: number): readonly string[] {
  if (isNarrow(word) && word.length <= width) return [word];
  const found: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of characters.segment(word)) {
    const more = columnsOf(segment);
    if (piece !== '' && used + more > width) {
      found.push(piece);
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += more;
  }
  return [...found, piece];
}

function upTo(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const { segment } of characters.segment(text)) {
    used += columnsOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** UTF-16 units that one column may stand for: emoji of families have eleven. */
const longest = 16;

function isNarrow(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

const invisible = /^[\p{M}\p{Cf}\p{Zl}\p{Zp}]+$/u;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

function columnsOf(character: string): number {
  if (invisible.test(character)) return 0;
  return emoji.test(character) || isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
}

/** East Asian characters, as Unicode's `EastAsianWidth` has them: W and F. */
function isWide(code: number): boolean {
  return wide.some(([from, to]) => code >= from && code <= to);
}

const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
