/** `longhand chain at`: a chain as it stood when a step was complete. */

import type { Recorded } from '../../client/recorded.js';
import { refold } from '../../core/refold.js';
import type { Terminal } from '../terminal.js';
import { findRecorded } from './find.js';
import { wholeNumber } from './numbers.js';
import { withServer } from './open.js';
import { treeText } from './show.js';
import { type ViewFlags, viewing } from './viewed.js';

export async function at(
  terminal: Terminal,
  named: string,
  step: string,
  flags: ViewFlags & { readonly json?: boolean },
): Promise<number> {
  const number = wholeNumber('<step>', step);
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const then = recordedAt(await findRecorded(named, connect), number);
    const chain = seen.recorded(then);
    if (flags.json) terminal.write(`${JSON.stringify(chain)}\n`);
    else terminal.write(treeText(then, chain, everything, { ...terminal, now: then.chain.state.now, named }));
    return 0;
  });
}

const everything = { kinds: null, since: null, search: null, last: null };

/**
 * The chain after the workflow task in which the last of the step's calls was settled: before the model was heard again.
 *
 * @throws Error when it has no such step
 */
export function recordedAt(recorded: Recorded, number: number): Recorded {
  const { steps } = recorded.chain;
  if (number > steps.length) {
    const there = steps.length === 0 ? 'it has none yet' : `it has steps 1 to ${steps.length}`;
    throw new Error(`The chain has no step ${number}: ${there}.`);
  }
  const { origin } = recorded.chain.state;
  if (origin !== null && number < origin.steps) {
    throw new Error(
      `Its first ${origin.steps} steps are those of ${origin.chainId}: longhand chain at ${origin.chainId} ${number}`,
    );
  }
  const complete = recorded.turns.findIndex(({ state: { steps: taken, flight } }) => {
    return taken > number || (taken === number && flight.kind !== 'calls');
  });
  // A chain that was ended from outside never got that far: then this is all there is.
  if (complete === -1 || complete === recorded.turns.length - 1) return recorded;
  const { chain, turns } = refold(recorded.turns.slice(0, complete + 1));
  return { ...recorded, chain, turns, closed: null, closedAt: null };
}
