/** L7: what a chain may still do, asked each time before the model would be called. */

import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { Outcome, State } from '../model/state.js';
import { reserve } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { ownSteps } from '../state/forked.js';
import * as reasons from '../state/reasons.js';
import { type Advance, giveUpClosing, stopWith } from '../state/stop.js';
import { workedMs } from '../state/working-time.js';

export function enforceLimits(state: State): Advance {
  const { agent, flight } = state;
  if (agent === null || flight.kind !== 'idle') return { state, entries: [] };
  if (state.stop !== null) return { state: giveUpUnpayableClosing(state, agent), entries: [] };
  const reached = limitReached(state, agent);
  if (reached === null) return { state, entries: [] };
  const stopped = stopWith(state, reached.outcome, reached.reason, { closing: true });
  return {
    state: giveUpUnpayableClosing(stopped.state, agent),
    entries: [notice(state, 'limit', reached.reason), ...stopped.entries],
  };
}

/** Whether another step is not to be taken, and why. */
export function limitReached(state: State, agent: AgentSnapshot): { outcome: Outcome; reason: string } | null {
  if (ownSteps(state) >= agent.limits.steps)
    return { outcome: 'max_iterations', reason: reasons.maxSteps(agent, state.plan) };
  if (state.history.events >= defaults.historyEvents || state.history.bytes >= defaults.historyBytes) {
    return { outcome: 'max_iterations', reason: reasons.historyLimit(state) };
  }
  // The deadline's timer starts only once the agent is prepared, and that may have taken long.
  if (workedMs(state) >= agent.limits.timeMs) {
    return { outcome: 'timeout', reason: reasons.timeLimit(agent, null) };
  }
  const budget = reserve(state, agent, 'step');
  if (budget.ok) return null;
  return budget.limit === 'tokens'
    ? { outcome: 'token_budget', reason: reasons.tokenBudget(state, agent, budget) }
    : { outcome: 'cost_budget', reason: reasons.costBudget(state, agent, budget) };
}

/** L6 holds for the last call too: what cannot be paid for is not asked. */
function giveUpUnpayableClosing(state: State, agent: AgentSnapshot): State {
  if (!state.stop?.closing || reserve(state, agent, 'closing').ok) return state;
  return giveUpClosing(state);
}
