/**
 * How a chain changes: one fact in, the next state out, with the entries that readers get. The workflow and every reader
 * advance by this function, so they agree (L1). It never throws, whatever it is given.
 *
 * All rules of a turn are here, in their order. None of them calls another.
 */

import { stopAtBreakpoints } from '../approvals/hold.js';
import { beginQueued, enlistChildren } from '../delegation/begin-queued.js';
import { appointJudges, completeDelegations } from '../delegation/complete-delegation.js';
import type { Fact } from '../model/fact.js';
import type { State } from '../model/state.js';
import { type Advance, applyRules, type Rule } from '../state/advance.js';
import { settleDue } from '../state/asks-due.js';
import { clockWaiting } from '../state/working-time.js';
import { applyFact } from './apply-fact.js';
import { completeStep } from './complete-step.js';
import { enforceLimits } from './enforce.js';
import { type Hashing, nextHead } from './head.js';
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

/** The requests to people that are due are settled; with the last one, the step may be complete. */
export const expireRequests: readonly Rule[] = [settleDue, ...completeStep];

function countFact(state: State, fact: Fact, hashing: Hashing | undefined): State {
  return { ...state, now: fact.at, facts: state.facts + 1, head: nextHead(state.head, fact, hashing) };
}
