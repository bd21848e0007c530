/**
 * Measures, cuts and wraps text in the columns of a terminal. `toPlainText` has removed unsafe sequences before.
 *
 * X2 Text is measured in columns (Chinese characters and emoji take two) and never cut within a character.
 */

import stringWidth from 'string-width';
import { toPlainText, toWellFormed } from '../../core/lib/index.js';

/** Returns the width of a text in columns. Escape sequences count as none; apply `cleanText` to painted text first. */
export function measureColumns(text: string): number {
  // A terminal shows a lone surrogate as U+FFFD; string-width counts nothing for it.
  return stringWidth(toWellFormed(text));
}

/** Cuts a text to at most `width` columns, with `…` for the rest. */
export function truncate(text: string, width: number): string {
  // Limits the measured length of very long texts.
  const start = text.length > width * maxUnitsPerColumn ? text.slice(0, width * maxUnitsPerColumn) : text;
  if (start === text && measureColumns(text) <= width) return text;
  if (width < 1) return '';
  const [first = ''] = takePieces(start, width - 1);
  return measureColumns(first) < width ? `${first}…` : '…';
}

/**
 * Wraps at spaces, and within a word only if it is longer than a line.
 *
 * Does not use wrap-ansi, which normalizes: people must decide on the exact text.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of toPlainText(text).trim().split(/\n+/)) {
    let line = '';
    let used = 0;
    for (const word of paragraph.split(/\s+/).flatMap((chunk) => splitByWidth(chunk, width))) {
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

/** Splits a text into pieces of at most `width` columns; a single character may be wider. */
export function splitByWidth(text: string, width: number): readonly string[] {
  return measureColumns(text) <= width ? [text] : [...takePieces(text, width)];
}

/** One after the other: a cut text measures its first piece only. */
function* takePieces(text: string, width: number): Generator<string, void> {
  let piece = '';
  let used = 0;
  for (const { segment } of characters.segment(text)) {
    const more = measureColumns(segment);
    if (piece !== '' && used + more > width) {
      yield piece;
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += more;
  }
  yield piece;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Maximum UTF-16 units per column: emoji of families have eleven. */
const maxUnitsPerColumn = 16;
