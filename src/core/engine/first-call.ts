/** The first model call of a chain, for the preparation that counts its tokens: decided by the chain's own rules. */

import type { Action, AgentSnapshot, Chain } from '../model/index.js';
import { recordEntries } from './state/entry.js';
import { takeTurn } from './turn.js';

type ModelCallAction = Extract<Action, { type: 'callModel' }>;

function isStepCall(action: Action): action is ModelCallAction {
  return action.type === 'callModel' && action.purpose === 'step';
}

/** Returns the chain as it will be with its agent, and the model call that it then decides; null for none. */
export function decideFirstCall(
  chain: Chain,
  agent: AgentSnapshot,
): { readonly chain: Chain; readonly call: ModelCallAction | null } {
  const { state } = chain;
  const turn = takeTurn(state, state.history, [{ type: 'prepared', at: state.now, agent }]);
  // Without budget for a step the chain sums up later, with a reservation for that.
  const call = turn.actions.find(isStepCall) ?? null;
  return { chain: recordEntries(chain, turn.state, turn.entries), call };
}
