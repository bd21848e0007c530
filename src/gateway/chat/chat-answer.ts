/** Answers of the client to requests of a chain: approvals, denials, answers to questions. */

import { CommandRejectedError } from '../../client/index.js';
import type { OpenRequest } from '../../core/engine/index.js';
import { type Json, omitUndefined } from '../../core/lib/index.js';
import { maxReasonLength } from '../../core/model/index.js';
import { type Viewer, viewRequest } from '../../core/view/index.js';
import type { ReachedChain, RequestContext } from '../request/context.js';
import { GatewayError } from '../request/problems.js';
import { unmaskInput } from '../request/unmask-input.js';
import type { Decider } from './decidable.js';
import { toRequestKey } from './follow-chat.js';

export interface ChatAnswer {
  readonly call: string;
  /** Of the request that was read; null if the client does not know it. */
  readonly digest: string | null;
  readonly decision:
    | { readonly kind: 'approve'; readonly input?: Json }
    | { readonly kind: 'deny'; readonly reason: string | undefined }
    | { readonly kind: 'answer'; readonly answer: Json };
}

export function toDenial(reason: unknown): ChatAnswer['decision'] {
  const isGiven = typeof reason === 'string' && reason !== '';
  return { kind: 'deny', reason: isGiven ? reason.slice(0, maxReasonLength) : undefined };
}

interface AnswerOptions {
  readonly chain: Pick<ReachedChain, 'handle'>;
  readonly viewer: Viewer;
  readonly decider: Decider;
}

/** Rejections after which the request is no longer open: another person was faster, or the request was sent again. */
const settledRejections: ReadonlySet<string> = new Set([
  'call_not_waiting',
  'already_approved',
  'request_expired',
  'chain_ended',
  'ending',
]);

/**
 * Sends the answers that are still awaited, and returns the keys of their requests. The others were decided before: a client
 * repeats all answers of a message. Each request is decided once, however often the message answers it.
 *
 * @throws {GatewayError} `scope_missing`
 * @throws {CommandRejectedError} when the caller may not decide, or the request has changed
 */
export async function sendAnswers(
  context: Pick<RequestContext, 'visibility'>,
  options: AnswerOptions,
  answers: readonly ChatAnswer[],
): Promise<ReadonlySet<string>> {
  const open = answers.length === 0 ? [] : await options.chain.handle.listRequests();
  const decidedKeys = new Set<string>();
  for (const answer of answers) {
    const request = open.find(({ call, kind }) => call === answer.call && isAnswerFor(kind, answer));
    if (request === undefined || decidedKeys.has(toRequestKey(request))) continue;
    if (!options.decider.canDecide)
      throw new GatewayError('scope_missing', 'An answer to a request needs the scope decide.');
    try {
      await sendAnswer(context, options, answer, request);
    } catch (error) {
      if (!(error instanceof CommandRejectedError) || !settledRejections.has(error.rejection)) throw error;
    }
    decidedKeys.add(toRequestKey(request));
  }
  return decidedKeys;
}

function isAnswerFor(kind: OpenRequest['kind'], { decision }: ChatAnswer): boolean {
  if (decision.kind === 'deny') return kind !== 'outcome';
  return decision.kind === 'approve' ? kind === 'approval' : kind === 'question';
}

async function sendAnswer(
  context: Pick<RequestContext, 'visibility'>,
  { chain, viewer, decider: { by, roles } }: AnswerOptions,
  { call, digest, decision }: ChatAnswer,
  request: OpenRequest,
): Promise<void> {
  const { handle } = chain;
  const options = { by, roles, digest: digest ?? undefined };
  switch (decision.kind) {
    case 'deny':
      await handle.deny(call, { ...options, reason: decision.reason });
      return;
    case 'answer':
      await handle.answer(call, decision.answer, options);
      return;
    case 'approve': {
      if (decision.input === undefined) {
        await handle.approve(call, options);
        return;
      }
      const requestView = viewRequest(request, await handle.view(viewer, context.visibility));
      await handle.approve(call, { ...unmaskInput(decision.input, requestView), ...omitUndefined(options) });
    }
  }
}
