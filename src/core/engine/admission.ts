/**
 * Whether what a person says may become a fact, asked before it does. What is refused leaves no trace in the history.
 *
 * The chain as it stands is not enough: what this task has delivered already counts, though no turn has been taken with it.
 */

import { problemWithInput } from '../approvals/changed-arguments.js';
import { notPermitted, refusalOf } from '../approvals/refusal.js';
import type { Directed } from '../model/direction.js';
import type { Fact } from '../model/fact.js';
import type { State } from '../model/state.js';
import { applyRules } from '../state/advance.js';
import { callsIn } from '../state/flight.js';
import { advance, expireRequests } from './advance.js';

/** @param delivered what has come and was not taken yet, in canonical order; `now`: milliseconds since 1970 */
export function notAdmitted(state: State, delivered: readonly Fact[], said: Directed, now: number): string | null {
  const next = delivered.reduce((before, fact) => advance(before, fact).state, state);
  const refused = refusalOf(next, said, now);
  if (refused !== null) return refused;
  // What is due by now is settled before anything that is said is taken, and may end the chain.
  const { state: due } = applyRules({ ...next, now }, expireRequests);
  return refusalOf(due, said, now) ?? problemWithChange(due, said);
}

/** A cancel is only ever refused to whom the agent does not permit it. */
export function cancelNotAdmitted(state: State, said: Pick<Directed, 'by' | 'roles'>): string | null {
  return notPermitted(state, said, 'cancel');
}

/** Arguments that a person has changed must be such as the model could have asked for. */
function problemWithChange(state: State, { direction }: Directed): string | null {
  if (direction.kind !== 'decide' || direction.decision.what !== 'approve') return null;
  const { input } = direction.decision;
  const call = callsIn(state).find(({ id }) => id === direction.call);
  const tool = state.agent?.tools.find(({ name }) => name === call?.tool);
  if (input === undefined || tool === undefined) return null;
  const problem = problemWithInput(tool.inputSchema, input);
  return problem === null ? null : `The changed arguments do not fit ${tool.name}: ${problem}`;
}
