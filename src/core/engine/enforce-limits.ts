/** L7: checks the limits before each model call, and reserves its cost. */

import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  defaults,
  type ReachedLimit,
  type Reservation,
} from '../model/index.js';
import { type Advance, andThen, emit } from './state/advance.js';
import { reserve } from './state/budget.js';
import { computeWorkedMs, dropAside } from './state/flight.js';
import { countOwnSteps } from './state/fork.js';
import { askAboutHeldStep } from './state/held-step.js';
import { askAtLimit, closeQuestion, stopAtLimit } from './state/limit-question.js';
import { toBudgetReason, toMaxStepsReason } from './state/notice-text.js';
import { skipClosing } from './state/stop.js';

/** L6: the reservation of the next call is made here and nowhere else; `decide` reads it. */
export function enforceLimits(before: ChainState): Advance {
  const { agent, flight } = before;
  const state: ChainState = before.reservation === null ? before : changeState(before, { reservation: null });
  if (agent === null || flight.kind !== 'idle') return emit(state);
  if (state.stop !== null) return emit(reserveClosing(state, agent));
  if (state.held !== undefined) return reserveVerdict(state, agent);
  const question = state.paused?.question;
  // A call that a budget refused is made again once a person resumes the chain.
  if (question?.reason.code === 'budget') return emit(state);
  const plain = dropAside(state);
  const next = reserveStep(plain, agent);
  if ('reservation' in next) {
    const reserved = reserveAside(state, agent) ?? changeState(plain, next);
    return question === undefined ? emit(reserved) : closeQuestion(reserved);
  }
  const asked = askAtLimit(state, next);
  return asked ?? andThen(stopAtLimit(state, next), (ending) => emit(reserveClosing(ending, agent)));
}

/** Null without an aside, and for one that the budget cannot pay for: the step comes first. */
function reserveAside(state: ChainState, agent: AgentSnapshot): ChainState | null {
  if (state.aside === undefined) return null;
  const budget = reserve(state, agent, state.aside);
  return budget.ok ? changeState(state, { reservation: budget.reservation }) : null;
}

/** The step itself was within its limits. Without an aside, the chain waits for a person. */
function reserveVerdict(state: ChainState, agent: AgentSnapshot): Advance {
  if (state.aside === undefined) return emit(state);
  const budget = reserve(state, agent, state.aside);
  if (budget.ok) return emit(changeState(state, { reservation: budget.reservation }));
  return askAboutHeldStep(dropAside(state), 'The budget cannot pay for the model that decides about the step.');
}

/** Returns the reservation of another step, or the limit that is reached. */
function reserveStep(state: ChainState, agent: AgentSnapshot): { readonly reservation: Reservation } | ReachedLimit {
  if (countOwnSteps(state) >= agent.limits.steps)
    return { outcome: 'max_iterations', reason: toMaxStepsReason(agent, state.plan) };
  if (state.history.events >= defaults.historyEvents || state.history.bytes >= defaults.historyBytes) {
    const { events, bytes } = state.history;
    return { outcome: 'max_iterations', reason: { code: 'history_limit', events, bytes } };
  }
  // The timer of the time limit starts only after the preparation, which may have taken long.
  if (computeWorkedMs(state) >= agent.limits.timeMs) {
    return { outcome: 'timeout', reason: { code: 'time_limit', timeMs: agent.limits.timeMs, during: null } };
  }
  const budget = reserve(state, agent, 'step');
  if (budget.ok) return budget;
  const outcome = budget.limit === 'tokens' ? 'token_budget' : 'cost_budget';
  return { outcome, reason: toBudgetReason(state, agent, budget) };
}

/** Returns whether the limits allow one more step. */
export function canTakeStep(state: ChainState, agent: AgentSnapshot): boolean {
  return 'reservation' in reserveStep(state, agent);
}

/** L6 also holds for the last call: without budget it is skipped. */
function reserveClosing(state: ChainState, agent: AgentSnapshot): ChainState {
  if (!state.stop?.closing) return state;
  const budget = reserve(state, agent, 'closing');
  return budget.ok ? changeState(state, { reservation: budget.reservation }) : skipClosing(state);
}
