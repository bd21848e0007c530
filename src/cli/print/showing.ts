/** What a command that runs a chain shows of it, whichever way. */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { Terminal } from '../terminal/terminal.js';

export interface Showing extends Pick<Terminal, 'write' | 'say'> {
  readonly see: (event: ChainEvent) => void;
  /** Instead, of an event that somebody is about to be asked about at the terminal: they are shown all of it there. */
  readonly ask: (event: ChainEvent) => void;
  readonly close: () => void;
}
