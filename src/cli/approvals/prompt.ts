/**
 * Prompts a person at the terminal for a decision. Ctrl-C and Esc leave the request open, and so does Enter alone: each list
 * begins with the choice that decides nothing.
 */

import { readAnswer } from '../../core/engine/index.js';
import { isObject, type Json, parseJson, toCanonicalJson, toPlainJson } from '../../core/lib/index.js';
import { listChoices } from '../../core/model/index.js';
import { type RequestView, restoreInput } from '../../core/view/index.js';
import { isCancel, promptSelect, promptText } from '../terminal/prompts.js';
import type { IdentifiedSender, PersonDecision } from './decision.js';

export interface PromptOptions {
  readonly sender: IdentifiedSender;
  /** Ends the prompt when another person has decided. */
  readonly signal?: AbortSignal | undefined;
}

export type DecisionChoice = PersonDecision['kind'] | 'edit' | 'always' | 'leave';

/** Returns the decision and its sender; null if the person leaves the request open. */
export async function promptDecision(
  view: RequestView,
  options: PromptOptions,
): Promise<{ readonly decision: PersonDecision; readonly sender: IdentifiedSender } | null> {
  try {
    const choice = await promptChoice(view, options);
    if (choice === 'leave') return null;
    const decision = await promptDecisionDetails(choice, view, options);
    return { decision, sender: await promptSender(view, choice, options) };
  } catch (error) {
    if (error instanceof PromptCancelledError) return null;
    throw error;
  }
}

class PromptCancelledError extends Error {}

const choiceLabels: { readonly [choice in DecisionChoice]: string } = {
  approve: 'Approve',
  edit: 'Approve with other arguments',
  always: 'Approve, and all later calls of this tool in this chain',
  deny: 'Deny',
  answer: 'Answer',
  happened: 'It happened',
  not_happened: 'It did not happen: execute it again',
  give_up: 'The outcome stays unknown: end the chain',
  leave: 'Decide later',
};

const choicesByKind: { readonly [kind in RequestView['request']['kind']]: readonly DecisionChoice[] } = {
  approval: ['leave', 'approve', 'deny', 'edit', 'always', 'answer'],
  outcome: ['leave', 'happened', 'not_happened', 'give_up'],
  question: ['leave', 'answer', 'deny'],
};

/** Returns the choices in their order. The first is preselected: it decides nothing. */
export function listDecisionChoices({
  request,
  level,
}: Pick<RequestView, 'request' | 'level'>): readonly DecisionChoice[] {
  // Only a viewer who sees all arguments can edit them.
  return choicesByKind[request.kind].filter((choice) => choice !== 'edit' || level === 'full');
}

async function promptChoice(view: RequestView, { signal }: PromptOptions): Promise<DecisionChoice> {
  const { request } = view;
  const label = (choice: DecisionChoice) => {
    if (request.kind === 'approval' && choice === 'answer') return 'Answer instead of the tool';
    return request.kind === 'question' && choice === 'deny' ? 'Do not answer' : choiceLabels[choice];
  };
  return requireAnswer(
    await promptSelect<DecisionChoice>({
      message: 'What do you decide?',
      options: listDecisionChoices(view).map((value) => ({ value, label: label(value) })),
      ...toSignalOption(signal),
    }),
  );
}

async function promptDecisionDetails(
  choice: Exclude<DecisionChoice, 'leave'>,
  view: RequestView,
  options: PromptOptions,
): Promise<PersonDecision> {
  switch (choice) {
    case 'approve':
    case 'deny':
    case 'not_happened':
    case 'give_up':
      return { kind: choice };
    case 'always':
      return { kind: 'approve', always: true };
    case 'edit':
      return { kind: 'approve', input: await promptInput(view, options) };
    case 'answer':
      return { kind: 'answer', answer: await promptAnswer(view, options) };
    case 'happened': {
      const observation = await promptLine('What was the result?', options, 'unknown, but it happened');
      return { kind: 'happened', ...(observation === '' ? {} : { observation }) };
    }
  }
}

async function promptInput({ input, request }: RequestView, { signal }: PromptOptions): Promise<Json> {
  const read = (text: string | undefined): Json | string => {
    const value = parseJson(text ?? '');
    if (value === undefined) return 'This is not JSON.';
    const whole = restoreInput(value, input, request.input);
    if (whole === null) return 'Leave [redacted:…] as it is, or write the full value.';
    return toCanonicalJson(whole) === toCanonicalJson(request.input)
      ? 'They are unchanged. Change them, or leave with Esc.'
      : { whole };
  };
  const text = requireAnswer(
    await promptText({
      message: 'Its arguments',
      initialValue: toPlainJson(JSON.stringify(input)),
      validate: (now) => {
        const value = read(now);
        return typeof value === 'string' ? value : undefined;
      },
      ...toSignalOption(signal),
    }),
  );
  return (read(text) as { readonly whole: Json }).whole;
}

const customAnswer = Symbol('own words');

async function promptAnswer({ request, input }: RequestView, options: PromptOptions): Promise<string> {
  const offered = request.kind === 'question' ? listChoices(input) : [];
  if (offered.length > 0) {
    const picked = requireAnswer(
      await promptSelect<string | typeof customAnswer | null>({
        message: 'Your answer',
        options: [
          { value: null, label: choiceLabels.leave },
          ...offered.map((value) => ({ value, label: value })),
          { value: customAnswer, label: 'In your own words' },
        ],
        ...toSignalOption(options.signal),
      }),
    );
    if (picked === null) throw new PromptCancelledError();
    if (typeof picked === 'string') return picked;
  }
  const message = request.kind === 'question' ? 'Your answer' : 'The result that the model sees';
  return requireAnswer(
    await promptText({
      message,
      validate: (now) => findAnswerProblem(request, (now ?? '').trim()),
      ...toSignalOption(options.signal),
    }),
  );
}

function findAnswerProblem({ kind, input }: RequestView['request'], text: string): string | undefined {
  if (text === '') return 'Write an answer, or leave with Esc.';
  const schema = kind === 'question' && isObject(input) && isObject(input.schema) ? input.schema : undefined;
  const read = readAnswer(schema === undefined ? {} : { schema }, text);
  return 'value' in read ? undefined : `${read.problem} Write JSON with these fields.`;
}

/** Prompts for a role if only some may decide, and for the reason of a denial, which the model sees. */
async function promptSender(
  { request }: RequestView,
  choice: DecisionChoice,
  options: PromptOptions,
): Promise<IdentifiedSender> {
  const { sender, signal } = options;
  const entitled = request.roles.length === 0 || request.roles.some((role) => sender.roles.includes(role));
  const role = entitled ? [] : [await promptRole(request.roles, signal)];
  const roles = [...sender.roles, ...role];
  if (choice !== 'deny' || sender.reason !== undefined) return { ...sender, roles };
  const reason = await promptLine('Why? The model sees the reason.', options, 'no reason');
  return { ...sender, roles, ...(reason === '' ? {} : { reason }) };
}

async function promptRole(accepted: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  const [only, ...others] = accepted;
  const alone = others.length === 0;
  const role = requireAnswer(
    await promptSelect<string | null>({
      message: alone ? `Only the role ${only} may decide this. Do you have it?` : 'Which role do you have?',
      options: [
        { value: null, label: alone ? 'No: decide later' : 'None of these: decide later' },
        ...accepted.map((value) => ({ value, label: alone ? `Yes, as ${value}` : value })),
      ],
      ...toSignalOption(signal),
    }),
  );
  if (role === null) throw new PromptCancelledError();
  return role;
}

async function promptLine(message: string, { signal }: PromptOptions, placeholder: string): Promise<string> {
  return requireAnswer(await promptText({ message, placeholder, defaultValue: '', ...toSignalOption(signal) })).trim();
}

function toSignalOption(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}

/** @throws PromptCancelledError */
function requireAnswer<T>(answer: T | symbol): Exclude<T, symbol> | (T & typeof customAnswer) {
  if (isCancel(answer)) throw new PromptCancelledError();
  return answer as Exclude<T, symbol>;
}
