/** Reads what a client of the AI SDK sends: its messages, with the user's new ones and the answers in the assistant's. */

import { isObject, type Json, type JsonObject } from '../../core/lib/json.js';
import type { ThreadMessage } from '../../core/model/thread.js';
import type { UiChat, UiMessage } from '../../http/schemas/chat.js';
import { GatewayError } from '../request/problems.js';
import type { ChatAnswer } from './chat-answer.js';
import { findChainId, parseRequestId } from './chat-ids.js';
import { readDataUrl, toFileName } from './message-files.js';
import type { ChatMessage, ChatTurn } from './open-turn.js';

export type UiInput =
  | ({ readonly kind: 'turn' } & Pick<ChatTurn, 'after' | 'messages' | 'earlier' | 'intent'>)
  /** The client answers requests of a chain, whose message it continues. */
  | {
      readonly kind: 'continue';
      readonly chainId: string;
      readonly answers: readonly ChatAnswer[];
      /** Calls that its message has. */
      readonly calls: ReadonlySet<string>;
    };

/** @throws {GatewayError} `request_invalid` */
export function readUiInput(firstId: string, { messages, trigger, messageId }: UiChat): UiInput {
  const named = messages.find(({ id }) => id === messageId);
  const last = messages.at(-1);
  const continued = named?.role === 'assistant' ? named : last?.role === 'assistant' ? last : null;
  if (trigger === 'submit-message' && continued !== null) return readContinued(firstId, continued);
  const until = messages.findLastIndex(({ role }) => role === 'user');
  if (until < 0) throw new GatewayError('request_invalid', 'The messages have none of the user. Send one.');
  const from = messages.slice(0, until).findLastIndex(({ role }) => role === 'assistant') + 1;
  const answered = messages[from - 1];
  const isEdit = named !== undefined && named === messages[until];
  return {
    kind: 'turn',
    after: answered === undefined ? null : (findChainId(firstId, answered.id) ?? 'unknown'),
    messages: messages
      .slice(from, until + 1)
      .filter(({ role }) => role === 'user')
      .map(readUserMessage),
    earlier: messages.slice(0, from).flatMap(toEarlierMessage),
    intent: trigger === 'regenerate-message' ? 'regenerate' : isEdit ? 'edit' : 'submit',
  };
}

function readUserMessage({ parts }: UiMessage): ChatMessage {
  const files = new Map<string, Uint8Array>();
  for (const part of parts) {
    if (part.type !== 'file') continue;
    const { url, filename, mediaType } = part;
    files.set(toFileName(filename, mediaType, files), readDataUrl(url));
  }
  const text = joinTexts(parts);
  if (text === '' && files.size === 0)
    throw new GatewayError('request_invalid', 'The message of the user is empty. Send a text or a file.');
  return { text: text === '' ? fileText : text, files: Object.fromEntries(files) };
}

/** Task of a message with files only. */
const fileText = 'See the attached files.';

function joinTexts(parts: UiMessage['parts']): string {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return texts.join('\n\n').trim();
}

function toEarlierMessage({ role, parts }: UiMessage): readonly ThreadMessage[] {
  const text = joinTexts(parts);
  return role === 'system' || text === '' ? [] : [{ role, text }];
}

function readContinued(firstId: string, { id, parts }: UiMessage): UiInput {
  const chainId = findChainId(firstId, id);
  const lastStep = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  const isAnswered = lastStep.some((part) => readAnswer(part, parts) !== null);
  if (chainId === null || !isAnswered || lastStep.some(({ type }) => type === 'text')) {
    throw new GatewayError(
      'request_invalid',
      'The last message is of the assistant and answers no request. Send a message of the user, or an answer.',
    );
  }
  const isOfChain = (call: string) => parseRequestId(call)?.chainId === chainId;
  const own = parts.filter(({ toolCallId }) => typeof toolCallId === 'string' && isOfChain(toolCallId));
  return {
    kind: 'continue',
    chainId,
    answers: own.flatMap((part) => readAnswer(part, parts) ?? []),
    calls: new Set(own.flatMap(({ toolCallId }) => parseRequestId(String(toolCallId))?.call ?? [])),
  };
}

/** Returns the answer that a part of a message has for a request; null for a part without one. */
function readAnswer(part: UiMessage['parts'][number], parts: UiMessage['parts']): ChatAnswer | null {
  const { toolCallId, state, approval, providerExecuted, output, errorText } = part;
  if (state === 'approval-responded' && isObject(approval)) {
    const request = parseRequestId(String(approval.id));
    if (request === null || typeof approval.approved !== 'boolean') return null;
    const { call, digest } = request;
    return { call, digest, decision: approval.approved ? { kind: 'approve' } : toDenial(approval.reason) };
  }
  // What the chain executes has its result from the chain.
  if (providerExecuted === true || typeof toolCallId !== 'string') return null;
  const request = parseRequestId(toolCallId);
  if (request === null) return null;
  const { call } = request;
  const digest = findQuestionDigest(parts, toolCallId);
  if (state === 'output-available')
    return { call, digest, decision: { kind: 'answer', answer: (output as Json) ?? null } };
  return state === 'output-error' ? { call, digest, decision: toDenial(errorText) } : null;
}

function toDenial(reason: unknown): ChatAnswer['decision'] {
  return { kind: 'deny', reason: typeof reason === 'string' && reason !== '' ? reason.slice(0, 2_000) : undefined };
}

function findQuestionDigest(parts: UiMessage['parts'], toolCallId: string): string | null {
  const question = parts.find(({ type, id }) => type === 'data-question' && id === toolCallId);
  const data: JsonObject = isObject(question?.data) ? question.data : {};
  return typeof data.digest === 'string' ? data.digest : null;
}
