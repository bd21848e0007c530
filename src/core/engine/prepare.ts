/** Applies the agent's preparation. */

import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  type FailureDetails,
  getStrategyName,
  type OriginRef,
  type StopReason,
} from '../model/index.js';
import { applyPendingCommands } from './approvals/advance-command.js';
import { addHypothesis, prepareInTree } from './delegation/sub-chain-start.js';
import { beginPlan } from './plan/advance-plan.js';
import { waitForStore } from './provider-failure.js';
import { type Advance, andThen, applyRules, emit, unchanged } from './state/advance.js';
import { boundFirstRequest } from './state/budget.js';
import { endFlight } from './state/flight.js';
import { computeAdoptedContext } from './state/fork.js';
import { resetBounds } from './state/request-bound.js';
import { hasPrices } from './state/route.js';
import { stopChain } from './state/stop.js';

export function applyPrepared(state: ChainState, snapshot: AgentSnapshot | null): Advance {
  const { agent, input } = state;
  if (snapshot === null || agent !== null || input === null) return unchanged(state);
  // The chain stopped in the turn of its start: nothing is to be summarized.
  if (state.stop !== null && state.flight.kind !== 'preparing') return applyPendingCommands(state);
  return applyRules(state, [(next) => setAgent(next, snapshot), beginPlan, addHypothesis, applyPendingCommands]);
}

/** Applies a failed preparation. Where the chain ends, pending commands are rejected with notices. */
export function applyPrepareFailure(state: ChainState, failure: FailureDetails): Advance {
  if (state.agent !== null) return unchanged(state);
  if (failure.type === 'StoreUnavailable' && state.stop === null) return waitForStore(state, failure);
  const { message } = failure;
  return applyRules(endFlight(state), [
    (next) => stopChain(next, 'failure', { code: 'not_prepared', message }),
    applyPendingCommands,
  ]);
}

function setAgent(state: ChainState, snapshot: AgentSnapshot): Advance {
  const { input, origin } = state;
  if (input === null) return unchanged(state);
  const { agent, problem } = prepareInTree(input, snapshot);
  const context = computeFirstContext(state, agent);
  const prepared: ChainState = changeState(resetBounds(endFlight(state), agent, context), {
    agent,
    charged: { tokens: 0, usd: hasPrices(agent) ? 0 : null },
    attempt: 1,
    failing: null,
    tried: [],
  });
  const entry = emit(prepared, { type: 'agent-prepared', at: state.now, agent });
  const reason = origin === null ? problem : (findStrategyMismatch(origin, agent) ?? problem);
  return reason === null ? entry : andThen(entry, (next) => stopChain(next, 'failure', reason));
}

function findStrategyMismatch({ chainId, strategy: was }: OriginRef, agent: AgentSnapshot): StopReason | null {
  const now = getStrategyName(agent.strategy);
  return was === now ? null : { code: 'other_strategy', origin: chainId, was, agent: agent.name, now };
}

function computeFirstContext(state: ChainState, agent: AgentSnapshot): ChainState['context'] {
  const { origin, context } = state;
  if (origin !== null) return computeAdoptedContext(state, origin, agent);
  return { tokens: 0, newBytes: boundFirstRequest(state, agent) + context.newBytes };
}
