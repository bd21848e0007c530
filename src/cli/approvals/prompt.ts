/** Asks a person at the terminal for a decision. Ctrl-C and Esc leave the request as it is. */

import type { Json } from '../../core/lib/json.js';
import { toPlainJson } from '../../core/lib/plain-text.js';
import { listChoices } from '../../core/model/request.js';
import { isCancel, promptSelect, promptText } from '../terminal/prompts.js';
import { type IdentifiedSender, type PersonDecision, parseJson } from './decision.js';
import { type RequestView, restoreInput } from './request-view.js';

export interface PromptOptions {
  readonly sender: IdentifiedSender;
  /** The choice that is selected at first. */
  readonly initialChoice?: DecisionChoice | undefined;
  /** Ends the prompt when another person has decided. */
  readonly signal?: AbortSignal | undefined;
}

export type DecisionChoice = PersonDecision['kind'] | 'edit' | 'always' | 'leave';

/** Returns the decision and who made it; null if the person leaves the request as it is. */
export async function promptDecision(
  seen: RequestView,
  options: PromptOptions,
): Promise<{ readonly decision: PersonDecision; readonly speaker: IdentifiedSender } | null> {
  try {
    const choice = await promptChoice(seen, options);
    if (choice === 'leave') return null;
    const decision = await promptDecisionDetails(choice, seen, options);
    return { decision, speaker: await promptSender(seen, choice, options) };
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
  not_happened: 'It did not happen: run it again',
  give_up: 'Nobody can tell: end the chain',
  leave: 'Leave it as it is',
};

const choicesByKind: { readonly [kind in RequestView['request']['kind']]: readonly DecisionChoice[] } = {
  approval: ['approve', 'edit', 'always', 'deny', 'answer', 'leave'],
  outcome: ['happened', 'not_happened', 'give_up', 'leave'],
  question: ['answer', 'deny', 'leave'],
};

async function promptChoice(
  { request, level }: RequestView,
  { initialChoice, signal }: PromptOptions,
): Promise<DecisionChoice> {
  const label = (choice: DecisionChoice) => {
    if (request.kind === 'approval' && choice === 'answer') return "Answer in the tool's stead";
    return request.kind === 'question' && choice === 'deny' ? 'Do not answer' : choiceLabels[choice];
  };
  // Arguments can only be edited by a person who sees them whole.
  const offered = choicesByKind[request.kind].filter((choice) => choice !== 'edit' || level === 'full');
  const initialValue = initialChoice !== undefined && offered.includes(initialChoice) ? initialChoice : offered[0];
  return requireAnswer(
    await promptSelect<DecisionChoice>({
      message: 'What do you decide?',
      options: offered.map((value) => ({ value, label: label(value) })),
      ...(initialValue === undefined ? {} : { initialValue }),
      ...toSignalOption(signal),
    }),
  );
}

async function promptDecisionDetails(
  choice: Exclude<DecisionChoice, 'leave'>,
  seen: RequestView,
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
      return { kind: 'approve', input: await promptInput(seen, options) };
    case 'answer':
      return { kind: 'answer', answer: await promptAnswer(seen, options) };
    case 'happened': {
      const observation = await promptLine('What came of it?', options, 'that it happened, and no more');
      return { kind: 'happened', ...(observation === '' ? {} : { observation }) };
    }
  }
}

async function promptInput({ input, request }: RequestView, { signal }: PromptOptions): Promise<Json> {
  const read = (written: string | undefined): Json | string => {
    const value = parseJson(written ?? '');
    if (value === undefined) return 'This is not JSON.';
    const whole = restoreInput(value, input, request.input);
    return whole === null ? 'Leave [redacted:…] as it is, or write the whole value.' : { whole };
  };
  const written = requireAnswer(
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
  return (read(written) as { readonly whole: Json }).whole;
}

const customAnswer = Symbol('own words');

async function promptAnswer({ request, input }: RequestView, options: PromptOptions): Promise<string> {
  const offered = request.kind === 'question' ? listChoices(input) : [];
  if (offered.length > 0) {
    const picked = requireAnswer(
      await promptSelect<string | typeof customAnswer>({
        message: 'Your answer',
        options: [
          ...offered.map((value) => ({ value, label: value })),
          { value: customAnswer, label: 'In your own words' },
        ],
        ...toSignalOption(options.signal),
      }),
    );
    if (typeof picked === 'string') return picked;
  }
  const message = request.kind === 'question' ? 'Your answer' : 'What the model is told instead of a result';
  return requireAnswer(
    await promptText({
      message,
      validate: (now) => ((now ?? '').trim() === '' ? 'Say something, or leave with Esc.' : undefined),
      ...toSignalOption(options.signal),
    }),
  );
}

/** Asks for a role where only certain roles may decide, and for the reason of a denial, which the model is told. */
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
  const reason = await promptLine('Why? The model is told.', options, 'no reason');
  return { ...sender, roles, ...(reason === '' ? {} : { reason }) };
}

async function promptRole(wanted: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  const [only, ...others] = wanted;
  const alone = others.length === 0;
  const role = requireAnswer(
    await promptSelect<string | null>({
      message: alone ? `This is for ${only} to decide. Are you?` : 'As what do you decide?',
      options: [
        ...wanted.map((value) => ({ value, label: alone ? `Yes, as ${value}` : value })),
        { value: null, label: alone ? 'No: leave it as it is' : 'As none of these: leave it as it is' },
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

/** @throws Left */
function requireAnswer<T>(answer: T | symbol): Exclude<T, symbol> | (T & typeof customAnswer) {
  if (isCancel(answer)) throw new PromptCancelledError();
  return answer as Exclude<T, symbol>;
}
