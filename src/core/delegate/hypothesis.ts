/** What a branch is told before it goes on: which of several ways it is to try. */

import { addBytes } from '../budget.js';
import type { PersonMessage } from '../chain.js';
import { messageBytes } from '../spoken-bytes.js';
import type { State } from '../state.js';
import type { Advance } from '../stop.js';
import { parentOf } from './lineage.js';

export function takeHypothesis(state: State): Advance {
  const hypothesis = state.input?.lineage?.branch?.hypothesis;
  if (hypothesis === undefined || state.stop !== null) return { state, entries: [] };
  const message: PersonMessage = {
    text: `You are one of several branches that go on from here, each with an idea of its own. Try this one, and answer with what it comes to: ${hypothesis}`,
    by: parentOf(state)?.agent ?? null,
    afterStep: state.steps,
    at: state.now,
  };
  return { state: addBytes(state, messageBytes(message)), entries: [{ type: 'message', at: state.now, message }] };
}
