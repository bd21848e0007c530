/** How a chain is shown by the command that runs it: not at all, as lines one below the other, or drawn anew in its place. */

import type { Terminal } from '../terminal/terminal.js';
import { chainPrinter } from './print-chain.js';
import { openScreen } from './screen.js';
import type { Showing } from './showing.js';

export interface ShowOptions {
  /** Null for silence. */
  readonly live: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  readonly say: (line: string) => void;
  /** Whether there is something to draw: a plan, and nothing that is told as it is spoken. */
  readonly drawn: boolean;
}

const nothing = () => {};

export function showChain({ live, say, drawn }: ShowOptions): Showing {
  if (live === null) return { see: nothing, ask: nothing, close: nothing, write: nothing, say };
  const { stdout } = process;
  if (drawn && stdout.isTTY && process.env.TERM !== 'dumb') {
    return openScreen({ terminal: { ...live, say }, stream: stdout, now: Date.now });
  }
  const print = chainPrinter(live);
  return { see: (event) => live.write(print(event)), ask: nothing, close: nothing, write: live.write, say };
}
