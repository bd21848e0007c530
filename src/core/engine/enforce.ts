/** L7: what a chain may still do, asked each time before the model would be called. */

import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { Outcome, State } from '../model/state.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { reserve } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { ownSteps } from '../state/forked.js';
import * as reasons from '../state/reasons.js';
import { giveUpClosing, stopWith } from '../state/stop.js';
import { workedMs } from '../state/working-time.js';

export function enforceLimits(state: State): Advance {
  const { agent, flight } = state;
  if (agent === null || flight.kind !== 'idle') return emit(state);
  if (state.stop !== null) return emit(giveUpUnpayableClosing(state, agent));
  const reached = limitReached(state, agent);
  if (reached === null) return emit(state);
  const stopped = andThen(emit(state, notice(state, 'limit', reached.reason)), (noticed) =>
    stopWith(noticed, reached.outcome, reached.reason, { closing: true }),
  );
  return andThen(stopped, (ending) => emit(giveUpUnpayableClosing(ending, agent)));
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
