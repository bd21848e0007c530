/** `longhand approve`, `deny` and `answer`: somebody's word on a call, with flags or asked at the terminal. */

import type { ChainHandle } from '../../client/handle.js';
import type { OpenRequest } from '../../client/read/requests.js';
import type { Json } from '../../core/lib/json.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { viewing } from '../access/viewed.js';
import { jsonIn } from '../flags/json-in.js';
import { UsageError } from '../flags/usage-error.js';
import { fitPrompts, mayAsk } from '../terminal/may-ask.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Choice } from './ask-word.js';
import { marksOf, restored } from './edited.js';
import { say } from './say.js';
import { seenRequest } from './seen-request.js';
import { type SpeakerFlags, speakerOf } from './speaker.js';
import { tellReceipt } from './tell-receipt.js';
import { onlyCall, type Wanted } from './which-call.js';
import { whoWaits } from './who-waits.js';
import { nothingWaits } from './why-not.js';
import { withChain } from './with-chain.js';
import type { Word } from './word.js';

export interface DecideFlags extends SpeakerFlags {
  readonly digest?: string;
  /** As who sees what is asked about. */
  readonly as?: string;
  readonly json?: boolean;
}

export interface ApproveFlags extends DecideFlags {
  readonly input?: string;
  readonly always?: boolean;
}

export interface AnswerFlags extends DecideFlags {
  /** With what came of it, where that was said. */
  readonly happened?: string | true;
  readonly notHappened?: boolean;
  readonly giveUp?: boolean;
  /** JSON instead of a text. */
  readonly value?: string;
}

export function approve(terminal: Terminal, chain: string, call: string | undefined, flags: ApproveFlags) {
  const input = flags.input === undefined ? undefined : fromFlag('--input', flags.input);
  const isSaid = input !== undefined || flags.always === true;
  const word: Word = { what: 'approve', input, always: flags.always };
  return decide(terminal, chain, { call, word, isSaid, first: 'approve', verb: 'approve', kinds: ['approval'] }, flags);
}

export function deny(terminal: Terminal, chain: string, call: string | undefined, flags: DecideFlags) {
  const kinds = ['approval', 'question'] as const;
  const asked = { call, word: { what: 'deny' }, isSaid: false, first: 'deny', verb: 'deny', kinds } as const;
  return decide(terminal, chain, asked, flags);
}

/**
 * One text alone may name the call or be the answer: it is the call where there is one of this id.
 *
 * @param rest the call and the answer, as far as they were given
 */
export function answer(terminal: Terminal, chain: string, rest: readonly string[], flags: AnswerFlags) {
  const outcome = outcomeIn(flags);
  const [first, second] = rest;
  const isCall =
    first !== undefined && (second !== undefined || outcome !== null || flags.value !== undefined || isId(first));
  const call = isCall ? first : undefined;
  const said = isCall ? second : first;
  if (outcome !== null) {
    if (said !== undefined) throw new UsageError('Say either what happened or an answer: both were given.');
    return decide(terminal, chain, { call, word: outcome, isSaid: true, verb: 'answer', kinds: ['outcome'] }, flags);
  }
  const value = flags.value === undefined ? said : fromFlag('--value', flags.value);
  const word = value === undefined ? null : ({ what: 'answer', answer: value } as const);
  const kinds = word === null ? (['question', 'outcome'] as const) : (['question'] as const);
  const asked = { call, word, isSaid: word !== null, first: 'answer', verb: 'answer', kinds } as const;
  return decide(terminal, chain, { ...asked, otherwise: ['approval'] }, flags);
}

interface Deciding extends Omit<Wanted, 'chainId'> {
  readonly call: string | undefined;
  /** Null where nothing was said that could be sent. */
  readonly word: Word | null;
  /** Whether the flags say more than the name of the command. */
  readonly isSaid: boolean;
  readonly first?: Choice;
}

async function decide(
  terminal: Terminal,
  named: string,
  { call, word, isSaid, first, ...wanted }: Deciding,
  flags: DecideFlags,
): Promise<number> {
  const speaker = speakerOf(flags);
  const { digest, json, reason } = flags;
  return withChain(named, async (chosen, longhand) => {
    const chain = call === undefined ? await whoWaits(chosen, longhand) : chosen;
    const { chainId } = chain;
    const open = call === undefined && !isSaid && digest === undefined && !json && reason === undefined;
    if ((open || word === null) && mayAsk()) {
      fitPrompts(terminal);
      const { chain: read } = await chain.describe();
      await noteView({ role: flags.as, command: 'approve', named: null }, [viewedOf({ chainId, chain: read })]);
      const { decideOneOf } = await import('./pick.js');
      return decideOneOf(terminal, chain, wanted, { speaker, first, call, seenBy: viewing(flags) });
    }
    if (word === null) throw new UsageError(unsaid(chainId, call));
    const requests = await chain.requests();
    if (call === undefined && requests.length === 0) throw new Error(await nothingWaits(chain));
    const meant = call ?? onlyCall(requests, { ...wanted, chainId }).call;
    const request = requests.find((each) => each.call === meant);
    const whole = request === undefined ? word : await unmasked(chain, request, word, flags);
    const { receipt, ...said } = await say(chain, { call: meant, digest, request }, whole, speaker);
    return tellReceipt(terminal, { chainId, call: meant, json, ...said }, receipt);
  });
}

/** Arguments copied from what was shown: a mark is put back as the value that it hides, where it stands in its place. */
async function unmasked(chain: ChainHandle, request: OpenRequest, word: Word, flags: DecideFlags): Promise<Word> {
  if (word.what !== 'approve' || word.input === undefined || marksOf(word.input) === 0) return word;
  const { viewer, config } = viewing(flags);
  const { level, input: shown } = seenRequest(request, await chain.view(viewer, config));
  const input = restored(word.input, level === 'full' ? shown : request.input, request.input);
  if (input !== null) return { ...word, input };
  throw new UsageError(
    '--input: [redacted:…] is a mark, not a value. Leave it in its place, where it keeps what it hides, or write the value.',
  );
}

function outcomeIn({ happened, notHappened, giveUp, value }: AnswerFlags): Word | null {
  const said = [happened !== undefined, notHappened === true, giveUp === true].filter(Boolean).length;
  if (said > 1) throw new UsageError('--happened, --not-happened and --give-up exclude each other.');
  if (notHappened) return { what: 'not_happened' };
  if (giveUp) return { what: 'give_up' };
  if (happened === undefined) return null;
  const observation = value !== undefined ? fromFlag('--value', value) : happened === true ? undefined : happened;
  return { what: 'happened', observation };
}

function unsaid(chainId: string, call = '<call>'): string {
  const start = `longhand answer ${chainId} ${call}`;
  return `There is no answer. To a question: \`${start} "…"\`. Of a call in doubt: \`${start} --happened "…"\`, --not-happened or --give-up.`;
}

/** As `3.1`; an answer may be a number like it, and then the call is named before it. */
function isId(text: string): boolean {
  return /^[1-9]\d*\.[1-9]\d*$/.test(text);
}

function fromFlag(flag: string, written: string): Json {
  const value = jsonIn(written);
  if (value === undefined) throw new UsageError(`${flag} is no JSON: ${written}`);
  return value;
}
