/** The first call of a sub-chain's model, as the activity finds it that prepares the agent: by the chain's own rules. */

import type { Action } from '../model/action.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import type { ChainState } from '../model/state.js';
import { recordEntries } from '../state/entry.js';
import { takeTurn } from './turn.js';

type ModelCallAction = Extract<Action, { type: 'callModel' }>;

function isStepCall(action: Action): action is ModelCallAction {
  return action.type === 'callModel' && action.purpose === 'step';
}

/** The chain as it will be with its agent, and the call that it will then decide on; null for none. */
export function decideFirstCall(
  chain: Chain,
  agent: AgentSnapshot,
): { readonly chain: Chain; readonly call: ModelCallAction | null } {
  const { state } = chain;
  // The call that is under way is this one.
  const before: ChainState = { ...state, flight: { kind: 'preparing' }, modelCalls: 0 };
  const turn = takeTurn(before, state.history, [{ type: 'prepared', at: state.now, agent }]);
  // What cannot pay for a step sums up by itself, with a reservation of its own.
  const call = turn.actions.find(isStepCall) ?? null;
  return { chain: recordEntries(chain, turn.state, turn.entries), call };
}
