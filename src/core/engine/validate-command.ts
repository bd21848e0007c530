/**
 * Validates a command before it becomes a fact. A rejected command leaves no trace in the history.
 *
 * The facts that the current workflow task has delivered count, although no turn has applied them yet.
 */

import { toCanonicalJson } from '../lib/index.js';
import { type ChainState, changeState, type Fact, type ReceivedCommand, type Rejection } from '../model/index.js';
import { advance, dueRules } from './advance.js';
import { validateArguments } from './approvals/changed-arguments.js';
import { findRejection, validatePermission } from './approvals/command-rejection.js';
import { readAnswer } from './approvals/question-answer.js';
import { applyRules } from './state/advance.js';
import { listCalls } from './state/flight.js';

/**
 * @param delivered facts that no turn has applied yet, in canonical order
 * @param now milliseconds since 1970
 */
export function validateCommand(
  state: ChainState,
  delivered: readonly Fact[],
  command: ReceivedCommand,
  now: number,
): Rejection | null {
  const next = delivered.reduce((before, fact) => advance(before, fact).state, state);
  const rejection = findRejection(next, command, now);
  if (rejection !== null) return rejection;
  // Requests expire before a command applies, and that may end the chain.
  const { state: due } = applyRules(changeState(next, { now }), dueRules);
  return findRejection(due, command, now) ?? validateChangedArguments(due, command) ?? validateAnswer(due, command);
}

/** The only reason to reject a cancel is that the agent does not permit it to the sender's roles. */
export function validateCancel(state: ChainState, sender: Pick<ReceivedCommand, 'by' | 'roles'>): Rejection | null {
  return validatePermission(state, sender, 'cancel');
}

/** Changed arguments must match the tool's schema, as those of the model do. */
function validateChangedArguments(state: ChainState, { command }: ReceivedCommand): Rejection | null {
  if (command.kind !== 'decide' || command.decision.kind !== 'approve') return null;
  const { input } = command.decision;
  const call = listCalls(state).find(({ id }) => id === command.call);
  const tool = state.agent?.tools.find(({ name }) => name === call?.tool);
  if (input === undefined || tool === undefined) return null;
  const problem = validateArguments(tool.inputSchema, input);
  if (problem === null) return null;
  return {
    code: 'arguments_invalid',
    message: `The changed arguments do not match the schema of ${tool.name}: ${problem}`,
  };
}

/** The answer to the question of a running tool must match its schema. */
function validateAnswer(state: ChainState, { command }: ReceivedCommand): Rejection | null {
  if (command.kind !== 'decide' || command.decision.kind !== 'answer') return null;
  const question = listCalls(state).find(({ id }) => id === command.call)?.request?.question;
  const read = question === undefined ? null : readAnswer(question, command.decision.answer);
  if (read === null || 'value' in read) return null;
  return {
    code: 'answer_invalid',
    message: `The answer does not match the schema of the question: ${read.problem} Answer with JSON of this schema: ${toCanonicalJson(question?.schema)}`,
  };
}
