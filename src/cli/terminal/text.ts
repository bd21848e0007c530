/**
 * Text that others wrote, in the columns of a terminal. What is unsafe there, `plain` has taken out.
 *
 * X2 It is measured in columns, of which Chinese characters and emoji take two, and never cut within a character.
 */

import stringWidth from 'string-width';
import { toWellFormed } from '../../core/lib/json.js';
import { toPlainText } from '../../core/lib/plain-text.js';

/** Columns of a terminal that the text takes; escape sequences take none. Painted text is `cleaned` first. */
export function measureColumns(text: string): number {
  // A terminal shows a lone surrogate as U+FFFD; string-width counts nothing for it.
  return stringWidth(toWellFormed(text));
}

/** At most `width` columns, with `…` for what is missing. */
export function truncate(text: string, width: number): string {
  // A text that is far too long is not measured to its end.
  const start = text.length > width * maxUnitsPerColumn ? text.slice(0, width * maxUnitsPerColumn) : text;
  if (start === text && measureColumns(text) <= width) return text;
  if (width < 1) return '';
  const [first = ''] = splitByWidth(start, width - 1);
  return measureColumns(first) < width ? `${first}…` : '…';
}

/**
 * Breaks at spaces, and within a word only where one is longer than a line.
 *
 * Not by wrap-ansi, which normalizes: a person who decides about a text reads it as it was written.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of toPlainText(text).trim().split(/\n+/)) {
    let line = '';
    let used = 0;
    for (const word of paragraph.split(/\s+/).flatMap((each) => splitByWidth(each, width))) {
      const more = measureColumns(word);
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

/** The text in pieces of at most `width` columns; a single character may be wider. */
function splitByWidth(text: string, width: number): readonly string[] {
  if (measureColumns(text) <= width) return [text];
  const found: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of characters.segment(text)) {
    const more = measureColumns(segment);
    if (piece !== '' && used + more > width) {
      found.push(piece);
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += more;
  }
  return [...found, piece];
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** UTF-16 units that one column may stand for: emoji of families have eleven. */
const maxUnitsPerColumn = 16;
