/**
 * Tells the escape sequences of this command's own styling from those that a value brings.
 *
 * X3 Styling writes a mark in place of each ESC, made anew in each process, so that no value can hold it. On the way to a
 * terminal everything else is cleaned (X1), then the marks become ESC again.
 */

import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { plain } from '../../core/lib/plain.js';

export type Colors = ReturnType<typeof pc.createColors>;

const mark = `\ue000${randomBytes(12).toString('hex')}`;

/** Text fit for a terminal: without any sequence but those of `markedColors`. */
export function cleaned(text: string): string {
  return plain(text).replaceAll(mark, '\u001b');
}

/** Colours whose sequences `cleaned` lets through. */
export const markedColors: Colors = marked(pc.createColors(true));

function marked(colors: Colors): Colors {
  const paint = (format: (text: string) => string) => (text: string | number | null | undefined) =>
    format(cleaned(String(text))).replaceAll('\u001b', mark);
  return Object.fromEntries(
    Object.entries(colors).map(([name, format]) => [name, typeof format === 'function' ? paint(format) : format]),
  ) as unknown as Colors;
}
