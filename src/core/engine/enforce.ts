/** L7: what a chain may still do, asked each time before the model would be called, and what that may cost. */

import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { State } from '../model/state.js';
import { type Outcome, type StopReason, sentenceOf } from '../model/stop-reason.js';
import type { Reservation } from '../model/usage.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { reserve } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { workedMs } from '../state/flight.js';
import { ownSteps } from '../state/forked.js';
import { budgetReached, maxSteps } from '../state/reasons.js';
import { giveUpClosing, stopWith } from '../state/stop.js';

/** L6: between steps, the most that the next call may cost is reserved here, and nowhere else: `decide` reads it. */
export function enforceLimits(before: State): Advance {
  const { agent, flight } = before;
  const state: State = before.reserved === null ? before : { ...before, reserved: null };
  if (agent === null || flight.kind !== 'idle') return emit(state);
  if (state.stop !== null) return emit(reserveClosing(state, agent));
  const next = limitReached(state, agent);
  if ('reservation' in next) return emit({ ...state, reserved: next.reservation });
  const stopped = andThen(emit(state, notice(state, 'limit', sentenceOf(next.reason))), (noticed) =>
    stopWith(noticed, next.outcome, next.reason, { closing: true }),
  );
  return andThen(stopped, (ending) => emit(reserveClosing(ending, agent)));
}

interface Reached {
  readonly outcome: Outcome;
  readonly reason: StopReason;
}

/** What another step may cost; else the limit that is reached, and why. */
function limitReached(state: State, agent: AgentSnapshot): { readonly reservation: Reservation } | Reached {
  if (ownSteps(state) >= agent.limits.steps) return { outcome: 'max_iterations', reason: maxSteps(agent, state.plan) };
  if (state.history.events >= defaults.historyEvents || state.history.bytes >= defaults.historyBytes) {
    const { events, bytes } = state.history;
    return { outcome: 'max_iterations', reason: { code: 'history_limit', events, bytes } };
  }
  // The deadline's timer starts only once the agent is prepared, and that may have taken long.
  if (workedMs(state) >= agent.limits.timeMs) {
    return { outcome: 'timeout', reason: { code: 'time_limit', timeMs: agent.limits.timeMs, during: null } };
  }
  const budget = reserve(state, agent, 'step');
  if (budget.ok) return budget;
  const outcome = budget.limit === 'tokens' ? 'token_budget' : 'cost_budget';
  return { outcome, reason: budgetReached(state, agent, budget) };
}

/** Whether the chain may take one more step, as it stands within a rule. */
export function mayTakeStep(state: State, agent: AgentSnapshot): boolean {
  return 'reservation' in limitReached(state, agent);
}

/** L6 holds for the last call too: what cannot be paid for is not asked. */
function reserveClosing(state: State, agent: AgentSnapshot): State {
  if (!state.stop?.closing) return state;
  const budget = reserve(state, agent, 'closing');
  return budget.ok ? { ...state, reserved: budget.reservation } : giveUpClosing(state);
}
