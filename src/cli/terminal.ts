/** Where a command writes. Results go to standard output; everything that only accompanies them to standard error. */

import { plain } from '../core/plain.js';
import { wantsColor } from './color.js';

export interface Terminal {
  readonly write: (text: string) => void;
  /** A line beside the point. It may quote what others wrote: nothing in it drives the terminal. */
  readonly say: (line: string) => void;
  readonly color: boolean;
  readonly width: number;
}

export function openTerminal(colorWanted: boolean): Terminal {
  const color = wantsColor({ stream: process.stdout, env: process.env, wanted: colorWanted });
  return {
    write: (text) => void process.stdout.write(text),
    say: (line) => void process.stderr.write(`${plain(line)}\n`),
    color,
    width: process.stdout.columns || 100,
  };
}
