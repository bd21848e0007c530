/** A step is complete when its calls have ended: what it leaves for later steps, and whether it brought anything new. */

import type { State } from '../model/state.js';
import { advancePlan } from '../plan/advance-plan.js';
import { type Advance, emit, type Rule } from '../state/advance.js';
import { endedCalls, idle } from '../state/flight.js';
import { reusableAfter } from '../state/reuse.js';
import { countIdle, isIdle } from '../state/stall.js';
import { stalled } from '../state/stop.js';

/** Each of these rules does nothing while a call of the step is open, or where there is no step. */
export const completeStep: readonly Rule[] = [countProgress, advancePlan, endStep];

function countProgress(before: State): Advance {
  const { agent } = before;
  const calls = endedCalls(before);
  if (agent === null || calls === null) return emit(before);
  const state: State = { ...before, reusable: reusableAfter(before, calls), idle: countIdle(before.idle) };
  if (state.stop !== null || !isIdle(state, agent.limits.stallThreshold)) return emit(state);
  return stalled(state, { code: 'no_progress', steps: state.idle.steps });
}

function endStep(state: State): Advance {
  return emit(endedCalls(state) === null ? state : idle(state));
}
