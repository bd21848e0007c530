/** Asks a person at the terminal for a decision. Ctrl-C and Esc leave the request as it is. */

import type { Json } from '../../core/lib/json.js';
import { toPlainJson } from '../../core/lib/plain-text.js';
import { listChoices } from '../../core/model/request.js';
import { isCancel, select, text } from '../terminal/prompts.js';
import { type Decision, type NamedSpeaker, parseJson } from './decision.js';
import { type RequestView, restoreInput } from './request-view.js';

export interface PromptOptions {
  readonly speaker: NamedSpeaker;
  /** The choice that is selected at first. */
  readonly first?: Choice | undefined;
  /** Ends the prompt when another person has decided. */
  readonly signal?: AbortSignal | undefined;
}

export type Choice = Decision['kind'] | 'edit' | 'always' | 'leave';

/** Returns the decision and who made it; null if the person leaves the request as it is. */
export async function promptDecision(
  seen: RequestView,
  options: PromptOptions,
): Promise<{ readonly decision: Decision; readonly speaker: NamedSpeaker } | null> {
  try {
    const choice = await promptChoice(seen, options);
    if (choice === 'leave') return null;
    const decision = await decisionFor(choice, seen, options);
    return { decision, speaker: await promptSpeaker(seen, choice, options) };
  } catch (error) {
    if (error instanceof Left) return null;
    throw error;
  }
}

class Left extends Error {}

const labels: { readonly [choice in Choice]: string } = {
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

const choices: { readonly [kind in RequestView['request']['kind']]: readonly Choice[] } = {
  approval: ['approve', 'edit', 'always', 'deny', 'answer', 'leave'],
  outcome: ['happened', 'not_happened', 'give_up', 'leave'],
  question: ['answer', 'deny', 'leave'],
};

async function promptChoice({ request, level }: RequestView, { first, signal }: PromptOptions): Promise<Choice> {
  const label = (choice: Choice) => {
    if (request.kind === 'approval' && choice === 'answer') return "Answer in the tool's stead";
    return request.kind === 'question' && choice === 'deny' ? 'Do not answer' : labels[choice];
  };
  // Arguments can only be edited by a person who sees them whole.
  const offered = choices[request.kind].filter((choice) => choice !== 'edit' || level === 'full');
  const initialValue = first !== undefined && offered.includes(first) ? first : offered[0];
  return orLeave(
    await select<Choice>({
      message: 'What do you decide?',
      options: offered.map((value) => ({ value, label: label(value) })),
      ...(initialValue === undefined ? {} : { initialValue }),
      ...endingOn(signal),
    }),
  );
}

async function decisionFor(
  choice: Exclude<Choice, 'leave'>,
  seen: RequestView,
  options: PromptOptions,
): Promise<Decision> {
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
  const written = orLeave(
    await text({
      message: 'Its arguments',
      initialValue: toPlainJson(JSON.stringify(input)),
      validate: (now) => {
        const value = read(now);
        return typeof value === 'string' ? value : undefined;
      },
      ...endingOn(signal),
    }),
  );
  return (read(written) as { readonly whole: Json }).whole;
}

const ownWords = Symbol('own words');

async function promptAnswer({ request, input }: RequestView, options: PromptOptions): Promise<string> {
  const offered = request.kind === 'question' ? listChoices(input) : [];
  if (offered.length > 0) {
    const picked = orLeave(
      await select<string | typeof ownWords>({
        message: 'Your answer',
        options: [
          ...offered.map((value) => ({ value, label: value })),
          { value: ownWords, label: 'In your own words' },
        ],
        ...endingOn(options.signal),
      }),
    );
    if (typeof picked === 'string') return picked;
  }
  const message = request.kind === 'question' ? 'Your answer' : 'What the model is told instead of a result';
  return orLeave(
    await text({
      message,
      validate: (now) => ((now ?? '').trim() === '' ? 'Say something, or leave with Esc.' : undefined),
      ...endingOn(options.signal),
    }),
  );
}

/** Asks for a role where only certain roles may decide, and for the reason of a denial, which the model is told. */
async function promptSpeaker({ request }: RequestView, choice: Choice, options: PromptOptions): Promise<NamedSpeaker> {
  const { speaker, signal } = options;
  const entitled = request.roles.length === 0 || request.roles.some((role) => speaker.roles.includes(role));
  const role = entitled ? [] : [await promptRole(request.roles, signal)];
  const roles = [...speaker.roles, ...role];
  if (choice !== 'deny' || speaker.reason !== undefined) return { ...speaker, roles };
  const reason = await promptLine('Why? The model is told.', options, 'no reason');
  return { ...speaker, roles, ...(reason === '' ? {} : { reason }) };
}

async function promptRole(wanted: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  const [only, ...others] = wanted;
  const alone = others.length === 0;
  const role = orLeave(
    await select<string | null>({
      message: alone ? `This is for ${only} to decide. Are you?` : 'As what do you decide?',
      options: [
        ...wanted.map((value) => ({ value, label: alone ? `Yes, as ${value}` : value })),
        { value: null, label: alone ? 'No: leave it as it is' : 'As none of these: leave it as it is' },
      ],
      ...endingOn(signal),
    }),
  );
  if (role === null) throw new Left();
  return role;
}

async function promptLine(message: string, { signal }: PromptOptions, placeholder: string): Promise<string> {
  return orLeave(await text({ message, placeholder, defaultValue: '', ...endingOn(signal) })).trim();
}

function endingOn(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}

/** @throws Left */
function orLeave<T>(answer: T | symbol): Exclude<T, symbol> | (T & typeof ownWords) {
  if (isCancel(answer)) throw new Left();
  return answer as Exclude<T, symbol>;
}
