/**
 * How a chain changes: one fact in, the next state out, with the entries that readers get. The workflow and every reader
 * advance by this function, so they agree (L1). It never throws, whatever it is given.
 *
 * All rules of a turn are here, in their order. None of them calls another.
 */

import { pauseAtBreakpoints } from '../approvals/pause.js';
import { appointJudges, completeDelegations } from '../delegation/complete-delegation.js';
import { queueChildren, startQueuedChildren } from '../delegation/queue-children.js';
import { computeDigest, type Sha256 } from '../lib/digest.js';
import { toCanonicalJson } from '../lib/json.js';
import type { Fact } from '../model/fact.js';
import type { ChainState } from '../model/state.js';
import { advancePlan } from '../plan/advance-plan.js';
import { type Advance, applyRules, emit, type Rule } from '../state/advance.js';
import { settleDueRequests } from '../state/due-requests.js';
import { endFlight, findEndedCalls, updateWaitingTime } from '../state/flight.js';
import { closeStepNovelty, isWithoutProgress, listReusableCalls } from '../state/repeats.js';
import { stopStalled } from '../state/stop.js';
import { applyFact } from './apply-fact.js';
import { emitUnreportedUsage } from './apply-reply.js';
import { enforceLimits } from './enforce-limits.js';

export function advance(before: ChainState, fact: Fact, hashing?: Hashing): Advance {
  return applyRules(countFact(before, fact, hashing), [
    // What time alone has decided by now, and what follows from that, comes before the fact.
    ...requestExpiryRules,
    (state) => applyFact(state, fact),
    // Sub-chains of the calls that may run. A judge is appointed once the answers are there, and begun like the others.
    queueChildren,
    startQueuedChildren,
    appointJudges,
    startQueuedChildren,
    completeDelegations,
    ...stepCompletionRules,
    (state) => emitUnreportedUsage(state, before),
    // What comes next: whether the model may be called once more, whether a person wants to look first.
    enforceLimits,
    pauseAtBreakpoints,
    updateWaitingTime,
  ]);
}

/**
 * A step is complete when its calls have ended: what it leaves for later steps, and whether it brought anything new. Each of
 * these rules does nothing while a call of the step is open, or where there is no step.
 */
const stepCompletionRules: readonly Rule[] = [countProgress, advancePlan, endStep];

/** The requests to people that are due are settled; with the last one, the step may be complete. */
export const requestExpiryRules: readonly Rule[] = [settleDueRequests, ...stepCompletionRules];

function countFact(state: ChainState, fact: Fact, hashing: Hashing | undefined): ChainState {
  return { ...state, now: fact.at, facts: state.facts + 1, head: computeHead(state.head, fact, hashing) };
}

function countProgress(before: ChainState): Advance {
  const { agent } = before;
  const calls = findEndedCalls(before);
  if (agent === null || calls === null) return emit(before);
  const state: ChainState = {
    ...before,
    reusableCalls: listReusableCalls(before, calls),
    novelty: closeStepNovelty(before.novelty),
  };
  if (state.stop !== null || !isWithoutProgress(state, agent.limits.stallThreshold)) return emit(state);
  return stopStalled(state, { code: 'no_progress', steps: state.novelty.steps });
}

function endStep(state: ChainState): Advance {
  return emit(findEndedCalls(state) === null ? state : endFlight(state));
}

/**
 * How the head goes on from fact to fact. For a reader who is told the head of a chain that has ended, hashing its facts would
 * take as long as all else; what it was forked off is hashed all the same, because a fork holds it to its digest.
 */
export type Hashing = Sha256 | { readonly onlyOrigins: Sha256 };

/** The head over a chain's facts: equal heads mean equal facts in equal order. It stays where facts are not hashed. */
export function computeHead(head: string, fact: Fact, hashing: Hashing = computeDigest): string {
  return typeof hashing === 'function' ? hashing(head + toCanonicalJson(fact)) : head;
}
