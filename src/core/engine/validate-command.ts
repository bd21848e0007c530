/**
 * Whether what a person says may become a fact, asked before it does. What is refused leaves no trace in the history.
 *
 * The chain as it stands is not enough: what this task has delivered already counts, though no turn has been taken with it.
 */

import { validateArguments } from '../approvals/changed-arguments.js';
import { findRejection, validatePermission } from '../approvals/command-rejection.js';
import type { ReceivedCommand } from '../model/command.js';
import type { Fact } from '../model/fact.js';
import type { ChainState } from '../model/state.js';
import { applyRules } from '../state/advance.js';
import { listCalls } from '../state/flight.js';
import { advance, requestExpiryRules } from './advance.js';

/** @param delivered what has come and was not taken yet, in canonical order; `now`: milliseconds since 1970 */
export function validateCommand(
  state: ChainState,
  delivered: readonly Fact[],
  said: ReceivedCommand,
  now: number,
): string | null {
  const next = delivered.reduce((before, fact) => advance(before, fact).state, state);
  const refused = findRejection(next, said, now);
  if (refused !== null) return refused;
  // What is due by now is settled before anything that is said is taken, and may end the chain.
  const { state: due } = applyRules({ ...next, now }, requestExpiryRules);
  return findRejection(due, said, now) ?? validateChangedArguments(due, said);
}

/** A cancel is only ever refused to whom the agent does not permit it. */
export function validateCancel(state: ChainState, said: Pick<ReceivedCommand, 'by' | 'roles'>): string | null {
  return validatePermission(state, said, 'cancel');
}

/** Arguments that a person has changed must be such as the model could have asked for. */
function validateChangedArguments(state: ChainState, { command }: ReceivedCommand): string | null {
  if (command.kind !== 'decide' || command.decision.kind !== 'approve') return null;
  const { input } = command.decision;
  const call = listCalls(state).find(({ id }) => id === command.call);
  const tool = state.agent?.tools.find(({ name }) => name === call?.tool);
  if (input === undefined || tool === undefined) return null;
  const problem = validateArguments(tool.inputSchema, input);
  return problem === null ? null : `The changed arguments do not fit ${tool.name}: ${problem}`;
}
