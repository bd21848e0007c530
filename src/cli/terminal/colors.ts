/**
 * Colours for a terminal, and text that is safe to write to one.
 *
 * X3 Styling writes a mark, random for each process, in place of each ESC, so that no value can contain it. On output all
 * escape sequences of values are removed (X1), then the marks become ESC again.
 */

import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { toPlainText } from '../../core/lib/index.js';

export type Colors = ReturnType<typeof pc.createColors>;

const mark = `\ue000${randomBytes(12).toString('hex')}`;

/** Removes all escape sequences except those of `markedColors`. */
export function cleanText(text: string): string {
  return toPlainText(text).replaceAll(mark, '\u001b');
}

/** Colours whose sequences `cleanText` preserves. */
const markedColors: Colors = addMarks(pc.createColors(true));

function addMarks(colors: Colors): Colors {
  const paint = (format: (text: string) => string) => (text: string | number | null | undefined) =>
    format(cleanText(String(text))).replaceAll('\u001b', mark);
  return Object.fromEntries(
    Object.entries(colors).map(([name, format]) => [name, typeof format === 'function' ? paint(format) : format]),
  ) as unknown as Colors;
}

/** Returns the colours of a terminal, or functions that change nothing. */
export function getColors({ color }: { readonly color: boolean }): Colors {
  return color ? markedColors : pc.createColors(false);
}

export interface ColorOptions {
  readonly stream: { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** False after `--no-color`. */
  readonly wanted?: boolean;
}

/**
 * Whether to colour output to a stream: at a terminal, not in a pipe or a file. `NO_COLOR` and `--no-color` take precedence;
 * `FORCE_COLOR` colours a pipe as well.
 */
export function shouldUseColor({ stream, env, wanted = true }: ColorOptions): boolean {
  if (!wanted || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
