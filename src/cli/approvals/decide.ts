/** `longhand approve`, `deny` and `answer`: decides a request, by flags or prompted for at the terminal. */

import type { ChainHandle } from '../../client/index.js';
import type { OpenRequest } from '../../core/engine/index.js';
import { type Json, LonghandError, parseJson } from '../../core/lib/index.js';
import { countMarksWithin } from '../../core/redact/index.js';
import { restoreInput, viewRequest } from '../../core/view/index.js';
import { createChainViewer } from '../access/chain-viewer.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { isInteractive, preparePrompts } from '../terminal/terminal.js';
import { type PersonDecision, type SenderFlags, toSender } from './decision.js';
import {
  type DecisionTarget,
  explainNoRequests,
  findWaitingChain,
  getOnlyRequest,
  withChain,
} from './resolve-target.js';
import { submitDecision, writeReceipt } from './submit.js';

export interface DecideFlags extends SenderFlags {
  readonly digest?: string;
  /** Role of the viewer that the request is shown to. */
  readonly as?: string;
}

export interface ApproveFlags extends DecideFlags {
  readonly input?: string;
  readonly always?: boolean;
}

export interface AnswerFlags extends DecideFlags {
  /** The observation, if one was given. */
  readonly happened?: string | true;
  readonly notHappened?: boolean;
  readonly giveUp?: boolean;
  /** The answer as JSON instead of a text. */
  readonly value?: string;
}

export function approve(terminal: Terminal, chain: string, call: string | undefined, flags: ApproveFlags) {
  const input = flags.input === undefined ? undefined : parseJsonFlag('--input', flags.input);
  const isExplicit = input !== undefined || flags.always === true;
  const decision: PersonDecision = { kind: 'approve', input, always: flags.always };
  const target = { verb: 'approve', kinds: ['approval'] } as const;
  return decide(terminal, chain, { call, decision, isExplicit, ...target }, flags);
}

export function deny(terminal: Terminal, chain: string, call: string | undefined, flags: DecideFlags) {
  const kinds = ['approval', 'question'] as const;
  const decision = { kind: 'deny' } as const;
  return decide(terminal, chain, { call, decision, isExplicit: false, verb: 'deny', kinds }, flags);
}

/**
 * Submits an answer, or resolves an unknown outcome. A single argument that looks like a call id names the call; any other
 * is the answer.
 *
 * @param rest the call and the answer; both may be missing
 */
export function answer(terminal: Terminal, chain: string, rest: readonly string[], flags: AnswerFlags) {
  const outcome = parseOutcome(flags);
  const [first, second] = rest;
  const isCall =
    first !== undefined && (second !== undefined || outcome !== null || flags.value !== undefined || isCallId(first));
  const call = isCall ? first : undefined;
  const text = isCall ? second : first;
  if (outcome !== null) {
    if (text !== undefined) throw new UsageError('An outcome and an answer cannot be combined. Give one of them.');
    const target = { verb: 'answer', kinds: ['outcome'] } as const;
    return decide(terminal, chain, { call, decision: outcome, isExplicit: true, ...target }, flags);
  }
  const value = flags.value === undefined ? text : parseJsonFlag('--value', flags.value);
  const decision = value === undefined ? null : ({ kind: 'answer', answer: value } as const);
  const kinds = decision === null ? (['question', 'outcome'] as const) : (['question'] as const);
  const target = { verb: 'answer', kinds, fallbackKinds: ['approval'] } as const;
  return decide(terminal, chain, { call, decision, isExplicit: decision !== null, ...target }, flags);
}

interface DecideOptions extends Omit<DecisionTarget, 'chainId'> {
  readonly call: string | undefined;
  /** Null if the flags hold no decision. */
  readonly decision: PersonDecision | null;
  /** Whether the flags add something to the command's name. */
  readonly isExplicit: boolean;
}

async function decide(
  terminal: Terminal,
  idOrName: string,
  { call, decision, isExplicit, ...target }: DecideOptions,
  flags: DecideFlags,
): Promise<number> {
  const sender = toSender(flags);
  const { digest, json, reason } = flags;
  return withChain(idOrName, async (chosen, longhand) => {
    const chain = call === undefined ? await findWaitingChain(chosen, longhand) : chosen;
    const { chainId } = chain;
    const bare = call === undefined && !isExplicit && digest === undefined && !json && reason === undefined;
    if ((bare || decision === null) && isInteractive()) {
      preparePrompts(terminal);
      const read = await chain.read();
      await recordView({ role: flags.as, command: 'approve', named: null }, [toViewedChain({ chainId, chain: read })]);
      const { pickAndDecide: decideOneOf } = await import('./decide-at-terminal.js');
      return decideOneOf(terminal, chain, target, {
        sender,
        call,
        seenBy: await createChainViewer(flags),
      });
    }
    if (decision === null) throw new UsageError(formatMissingAnswer(chainId, call));
    const requests = await chain.listRequests();
    if (call === undefined && requests.length === 0) {
      throw new LonghandError('call_not_waiting', await explainNoRequests(chain));
    }
    const id = call ?? getOnlyRequest(requests, { ...target, chainId }).call;
    const request = requests.find((open) => open.call === id);
    const unmasked = request === undefined ? decision : await restoreMaskedInput(chain, request, decision, flags);
    const { receipt, ...report } = await submitDecision(chain, { call: id, digest, request }, unmasked, sender);
    return writeReceipt(terminal, { chainId, call: id, json, ...report }, receipt);
  });
}

/** Replaces redaction marks in arguments that were copied from the view by the values that they hide. */
async function restoreMaskedInput(
  chain: ChainHandle,
  request: OpenRequest,
  decision: PersonDecision,
  flags: DecideFlags,
): Promise<PersonDecision> {
  if (decision.kind !== 'approve' || decision.input === undefined || countMarksWithin(decision.input) === 0)
    return decision;
  const { viewer, config } = await createChainViewer(flags);
  const { level, input: visibleInput } = viewRequest(request, await chain.view(viewer, config));
  const input = restoreInput(decision.input, level === 'full' ? visibleInput : request.input, request.input);
  if (input !== null) return { ...decision, input };
  throw new UsageError(
    'Invalid --input: [redacted:…] hides no value at this place. Leave each mark in its place, or write the value.',
  );
}

function parseOutcome({ happened, notHappened, giveUp, value }: AnswerFlags): PersonDecision | null {
  const outcomes = [happened !== undefined, notHappened === true, giveUp === true].filter(Boolean).length;
  if (outcomes > 1) throw new UsageError('--happened, --not-happened and --give-up cannot be combined.');
  if (notHappened) return { kind: 'not_happened' };
  if (giveUp) return { kind: 'give_up' };
  if (happened === undefined) return null;
  const observation = value !== undefined ? parseJsonFlag('--value', value) : happened === true ? undefined : happened;
  return { kind: 'happened', observation };
}

function formatMissingAnswer(chainId: string, call = '<call>'): string {
  const start = `longhand answer ${chainId} ${call}`;
  return `The answer is missing. To answer a question: \`${start} "…"\`. To resolve an unknown outcome: \`${start} --happened "…"\`, --not-happened or --give-up.`;
}

/** Whether a text looks like `3.1`. For an answer that does, the call must be named before it. */
function isCallId(text: string): boolean {
  return /^[1-9]\d*\.[1-9]\d*$/.test(text);
}

function parseJsonFlag(flag: string, text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw new UsageError(`Invalid ${flag}: expected JSON, got ${text}`);
  return value;
}
