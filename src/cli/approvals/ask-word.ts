/**
 * Asks somebody at the terminal what they decide of a request. Who leaves (Ctrl-C, Esc) has said nothing, and all is as
 * it was.
 */

import type { Json } from '../../core/lib/json.js';
import { plainJson } from '../../core/lib/plain.js';
import { choicesIn } from '../../core/model/ask.js';
import { jsonIn } from '../flags/json-in.js';
import { isCancel, select, text } from '../terminal/prompts.js';
import { restored } from './edited.js';
import type { SeenRequest } from './seen-request.js';
import type { NamedSpeaker } from './speaker.js';
import type { Word } from './word.js';

export interface Decided {
  readonly word: Word;
  readonly speaker: NamedSpeaker;
}

export interface AskOptions {
  readonly speaker: NamedSpeaker;
  /** What is proposed first. */
  readonly first?: Choice | undefined;
  /** Ends the asking when somebody else has decided. */
  readonly signal?: AbortSignal | undefined;
}

export type Choice = Word['what'] | 'edit' | 'always' | 'leave';

/** @returns null for who leaves it as it is */
export async function askWord(seen: SeenRequest, options: AskOptions): Promise<Decided | null> {
  try {
    const choice = await chosen(seen, options);
    if (choice === 'leave') return null;
    const word = await wordFor(choice, seen, options);
    const speaker = await speaking(seen, choice, options);
    return { word, speaker };
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

const choices: { readonly [kind in SeenRequest['request']['kind']]: readonly Choice[] } = {
  approval: ['approve', 'edit', 'always', 'deny', 'answer', 'leave'],
  outcome: ['happened', 'not_happened', 'give_up', 'leave'],
  question: ['answer', 'deny', 'leave'],
};

async function chosen({ request, level }: SeenRequest, { first, signal }: AskOptions): Promise<Choice> {
  const label = (choice: Choice) => {
    if (request.kind === 'approval' && choice === 'answer') return "Answer in the tool's stead";
    return request.kind === 'question' && choice === 'deny' ? 'Do not answer' : labels[choice];
  };
  // What cannot be seen whole cannot be edited.
  const offered = choices[request.kind].filter((choice) => choice !== 'edit' || level === 'full');
  const initialValue = first !== undefined && offered.includes(first) ? first : offered[0];
  return orLeave(
    await select<Choice>({
      message: 'What do you decide?',
      options: offered.map((value) => ({ value, label: label(value) })),
      ...(initialValue === undefined ? {} : { initialValue }),
      ...until(signal),
    }),
  );
}

async function wordFor(choice: Exclude<Choice, 'leave'>, seen: SeenRequest, options: AskOptions): Promise<Word> {
  switch (choice) {
    case 'approve':
    case 'deny':
    case 'not_happened':
    case 'give_up':
      return { what: choice };
    case 'always':
      return { what: 'approve', always: true };
    case 'edit':
      return { what: 'approve', input: await edited(seen, options) };
    case 'answer':
      return { what: 'answer', answer: await answered(seen, options) };
    case 'happened': {
      const observation = await said('What came of it?', options, 'that it happened, and no more');
      return { what: 'happened', ...(observation === '' ? {} : { observation }) };
    }
  }
}

async function edited({ input, request }: SeenRequest, { signal }: AskOptions): Promise<Json> {
  const read = (written: string | undefined): Json | string => {
    const value = jsonIn(written ?? '');
    if (value === undefined) return 'This is not JSON.';
    const whole = restored(value, input, request.input);
    return whole === null ? 'Leave [redacted:…] as it is, or write the whole value anew.' : { whole };
  };
  const written = orLeave(
    await text({
      message: 'Its arguments',
      initialValue: plainJson(JSON.stringify(input)),
      validate: (now) => {
        const value = read(now);
        return typeof value === 'string' ? value : undefined;
      },
      ...until(signal),
    }),
  );
  return (read(written) as { readonly whole: Json }).whole;
}

const own = Symbol('own words');

async function answered({ request, input }: SeenRequest, options: AskOptions): Promise<string> {
  const offered = request.kind === 'question' ? choicesIn(input) : [];
  if (offered.length > 0) {
    const picked = orLeave(
      await select<string | typeof own>({
        message: 'Your answer',
        options: [...offered.map((value) => ({ value, label: value })), { value: own, label: 'In your own words' }],
        ...until(options.signal),
      }),
    );
    if (typeof picked === 'string') return picked;
  }
  const message = request.kind === 'question' ? 'Your answer' : 'What the model is told instead of a result';
  return orLeave(
    await text({
      message,
      validate: (now) => ((now ?? '').trim() === '' ? 'Say something, or leave with Esc.' : undefined),
      ...until(options.signal),
    }),
  );
}

/** Where it is for certain roles, and why, of a denial: the model is told. */
async function speaking({ request }: SeenRequest, choice: Choice, options: AskOptions): Promise<NamedSpeaker> {
  const { speaker, signal } = options;
  const entitled = request.roles.length === 0 || request.roles.some((role) => speaker.roles.includes(role));
  const role = entitled ? [] : [await roleOf(request.roles, signal)];
  const roles = [...speaker.roles, ...role];
  if (choice !== 'deny' || speaker.reason !== undefined) return { ...speaker, roles };
  const reason = await said('Why? The model is told.', options, 'no reason');
  return { ...speaker, roles, ...(reason === '' ? {} : { reason }) };
}

async function roleOf(wanted: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  const [only, ...others] = wanted;
  const alone = others.length === 0;
  const role = orLeave(
    await select<string | null>({
      message: alone ? `This is for ${only} to decide. Are you?` : 'As what do you decide?',
      options: [
        ...wanted.map((value) => ({ value, label: alone ? `Yes, as ${value}` : value })),
        { value: null, label: alone ? 'No: leave it as it is' : 'As none of these: leave it as it is' },
      ],
      ...until(signal),
    }),
  );
  if (role === null) throw new Left();
  return role;
}

async function said(message: string, { signal }: AskOptions, placeholder: string): Promise<string> {
  return orLeave(await text({ message, placeholder, defaultValue: '', ...until(signal) })).trim();
}

function until(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}

/** @throws Left */
function orLeave<T>(answer: T | symbol): Exclude<T, symbol> | (T & typeof own) {
  if (isCancel(answer)) throw new Left();
  return answer as Exclude<T, symbol>;
}
