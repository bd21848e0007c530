/**
 * How a chain changes: one fact in, the next state out, with the entries that readers get. The workflow and every reader
 * advance by this function, so they agree (L1). It never throws, whatever it is given.
 *
 * All rules of a turn are here, in their order. None of them calls another.
 */

import { stopAtBreakpoints } from '../approvals/hold.js';
import { beginQueued, enlistChildren } from '../delegation/begin-queued.js';
import { appointJudges, completeDelegations } from '../delegation/complete-delegation.js';
import { digest, type Sha256 } from '../lib/digest.js';
import { canonical } from '../lib/json.js';
import type { Fact } from '../model/fact.js';
import type { State } from '../model/state.js';
import { advancePlan } from '../plan/advance-plan.js';
import { type Advance, applyRules, emit, type Rule } from '../state/advance.js';
import { settleDue } from '../state/asks-due.js';
import { clockWaiting, endedCalls, idle } from '../state/flight.js';
import { countIdle, isIdle, reusableAfter } from '../state/repeats.js';
import { stalled } from '../state/stop.js';
import { applyFact } from './apply-fact.js';
import { enforceLimits } from './enforce.js';
import { noteUnreported } from './take-reply.js';

export function advance(before: State, fact: Fact, hashing?: Hashing): Advance {
  return applyRules(countFact(before, fact, hashing), [
    // What time alone has decided by now, and what follows from that, comes before the fact.
    ...expireRequests,
    (state) => applyFact(state, fact),
    // Sub-chains of the calls that may run. A judge is appointed once the answers are there, and begun like the others.
    enlistChildren,
    beginQueued,
    appointJudges,
    beginQueued,
    completeDelegations,
    ...completeStep,
    (state) => noteUnreported(state, before),
    // What comes next: whether the model may be called once more, whether a person wants to look first.
    enforceLimits,
    stopAtBreakpoints,
    clockWaiting,
  ]);
}

/**
 * A step is complete when its calls have ended: what it leaves for later steps, and whether it brought anything new. Each of
 * these rules does nothing while a call of the step is open, or where there is no step.
 */
const completeStep: readonly Rule[] = [countProgress, advancePlan, endStep];

/** The requests to people that are due are settled; with the last one, the step may be complete. */
export const expireRequests: readonly Rule[] = [settleDue, ...completeStep];

function countFact(state: State, fact: Fact, hashing: Hashing | undefined): State {
  return { ...state, now: fact.at, facts: state.facts + 1, head: nextHead(state.head, fact, hashing) };
}

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

/**
 * How the head goes on from fact to fact. For a reader who is told the head of a chain that has ended, hashing its facts would
 * take as long as all else; what it was forked off is hashed all the same, because a fork holds it to its digest.
 */
export type Hashing = Sha256 | { readonly onlyOrigins: Sha256 };

/** The head over a chain's facts: equal heads mean equal facts in equal order. It stays where facts are not hashed. */
export function nextHead(head: string, fact: Fact, hashing: Hashing = digest): string {
  return typeof hashing === 'function' ? hashing(head + canonical(fact)) : head;
}
