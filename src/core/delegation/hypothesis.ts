/** What a branch is told before it goes on: which of several ways it is to try. */

import type { PersonMessage } from '../model/chain.js';
import { parentOf } from '../model/lineage.js';
import type { State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { addBytes } from '../state/budget.js';
import { messageBytes } from '../state/spoken-bytes.js';

export function takeHypothesis(state: State): Advance {
  const hypothesis = state.input?.lineage?.branch?.hypothesis;
  if (hypothesis === undefined || state.stop !== null) return emit(state);
  const message: PersonMessage = {
    text: `You are one of several branches that go on from here, each with an idea of its own. Try this one, and answer with what it comes to: ${hypothesis}`,
    by: parentOf(state)?.agent ?? null,
    afterStep: state.steps,
    at: state.now,
  };
  return emit(addBytes(state, messageBytes(message)), { type: 'message', at: state.now, message });
}
