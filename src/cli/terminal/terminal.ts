/** Where a command writes. Results go to standard output; everything that only accompanies them to standard error. */

import { wantsColor } from './color.js';
import { cleaned } from './styling.js';

export interface Terminal {
  /** Writes text that may quote what others wrote: nothing in it drives the terminal (X3). */
  readonly write: (text: string) => void;
  /** Writes the output of a filter or an export: cleaned at a terminal, byte for byte into a pipe or a file. */
  readonly pass: (text: string) => void;
  /** Writes a line beside the point, cleaned alike. */
  readonly say: (line: string) => void;
  readonly color: boolean;
  readonly width: number;
}

export function openTerminal(colorWanted: boolean): Terminal {
  const color = wantsColor({ stream: process.stdout, env: process.env, wanted: colorWanted });
  return {
    write: (text) => void process.stdout.write(cleaned(text)),
    pass: (text) => void process.stdout.write(process.stdout.isTTY ? cleaned(text) : text),
    say: (line) => writeError(`${line}\n`),
    color,
    width: process.stdout.columns || 100,
  };
}

/** Writes to standard error, cleaned. */
export function writeError(text: string): void {
  process.stderr.write(cleaned(text));
}

/** Whether a person reads standard error. */
export function isErrorRead(): boolean {
  return process.stderr.isTTY === true;
}
