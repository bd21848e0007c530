/** L7: what a chain may still do, asked each time before the model would be called, and what that may cost. */

import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { ChainState } from '../model/state.js';
import { formatStopReason, type Outcome, type StopReason } from '../model/stop-reason.js';
import type { Reservation } from '../model/usage.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { reserve } from '../state/budget.js';
import { createNoticeEntry } from '../state/entry.js';
import { computeWorkedMs } from '../state/flight.js';
import { countOwnSteps } from '../state/fork.js';
import { toBudgetReason, toMaxStepsReason } from '../state/notice-text.js';
import { skipClosing, stopChain } from '../state/stop.js';

/** L6: between steps, the most that the next call may cost is reserved here, and nowhere else: `decide` reads it. */
export function enforceLimits(before: ChainState): Advance {
  const { agent, flight } = before;
  const state: ChainState = before.reservation === null ? before : { ...before, reservation: null };
  if (agent === null || flight.kind !== 'idle') return emit(state);
  if (state.stop !== null) return emit(reserveClosing(state, agent));
  const next = reserveStep(state, agent);
  if ('reservation' in next) return emit({ ...state, reservation: next.reservation });
  const stopped = andThen(
    emit(state, createNoticeEntry(state, 'limit_reached', formatStopReason(next.reason))),
    (noticed) => stopChain(noticed, next.outcome, next.reason, { closing: true }),
  );
  return andThen(stopped, (ending) => emit(reserveClosing(ending, agent)));
}

interface ReachedLimit {
  readonly outcome: Outcome;
  readonly reason: StopReason;
}

/** What another step may cost; else the limit that is reached, and why. */
function reserveStep(state: ChainState, agent: AgentSnapshot): { readonly reservation: Reservation } | ReachedLimit {
  if (countOwnSteps(state) >= agent.limits.steps)
    return { outcome: 'max_iterations', reason: toMaxStepsReason(agent, state.plan) };
  if (state.history.events >= defaults.historyEvents || state.history.bytes >= defaults.historyBytes) {
    const { events, bytes } = state.history;
    return { outcome: 'max_iterations', reason: { code: 'history_limit', events, bytes } };
  }
  // The deadline's timer starts only once the agent is prepared, and that may have taken long.
  if (computeWorkedMs(state) >= agent.limits.timeMs) {
    return { outcome: 'timeout', reason: { code: 'time_limit', timeMs: agent.limits.timeMs, during: null } };
  }
  const budget = reserve(state, agent, 'step');
  if (budget.ok) return budget;
  const outcome = budget.limit === 'tokens' ? 'token_budget' : 'cost_budget';
  return { outcome, reason: toBudgetReason(state, agent, budget) };
}

/** Whether the chain may take one more step, as it stands within a rule. */
export function canTakeStep(state: ChainState, agent: AgentSnapshot): boolean {
  return 'reservation' in reserveStep(state, agent);
}

/** L6 holds for the last call too: what cannot be paid for is not asked. */
function reserveClosing(state: ChainState, agent: AgentSnapshot): ChainState {
  if (!state.stop?.closing) return state;
  const budget = reserve(state, agent, 'closing');
  return budget.ok ? { ...state, reservation: budget.reservation } : skipClosing(state);
}
