/** Reads what a client of the AI SDK sends: its messages, with the user's new ones and the answers in the assistant's. */

import { isObject, type Json } from '../../core/lib/index.js';
import type { ThreadMessage } from '../../core/model/index.js';
import type { UiChat, UiMessage } from '../../http/index.js';
import { GatewayError } from '../request/problems.js';
import { type ChatAnswer, toDenial } from './chat-answer.js';
import { findChainId, formatCallId, parseRequestId } from './chat-ids.js';
import { type ChatInput, findCalls } from './chat-input.js';
import { type ChatMessage, joinTexts, readDataUrl, toChatMessage } from './chat-message.js';

/** @throws {GatewayError} `request_invalid` */
export function readUiInput(firstId: string, { messages, trigger, messageId }: UiChat): ChatInput {
  const message = messages.find(({ id }) => id === messageId);
  const last = messages.at(-1);
  const continued = message?.role === 'assistant' ? message : last?.role === 'assistant' ? last : null;
  if (trigger === 'submit-message' && continued !== null) return readContinued(firstId, continued);
  const until = messages.findLastIndex(({ role }) => role === 'user');
  if (until < 0) throw new GatewayError('request_invalid', 'The messages have none of the user. Send one.');
  const from = messages.slice(0, until).findLastIndex(({ role }) => role === 'assistant') + 1;
  const answered = messages[from - 1];
  const isEdit = message !== undefined && message === messages[until];
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
  const files = parts.filter(({ type }) => type === 'file');
  return toChatMessage(
    joinTexts(parts),
    files.map(({ url, filename, mediaType }) => ({ name: filename, mediaType, bytes: readDataUrl(url) })),
  );
}

function toEarlierMessage({ role, parts }: UiMessage): readonly ThreadMessage[] {
  const text = joinTexts(parts);
  return role === 'system' || text === '' ? [] : [{ role, text }];
}

function readContinued(firstId: string, { id, parts }: UiMessage): ChatInput {
  const chainId = findChainId(firstId, id);
  const lastStep = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  const questions = readQuestionDigests(parts);
  const findAnswer = (part: UiMessage['parts'][number]): readonly ChatAnswer[] => {
    const answer = readAnswer(part, questions);
    return answer === null || answer.chainId !== chainId ? [] : [answer.answer];
  };
  if (chainId === null || !lastStep.some((part) => findAnswer(part).length > 0) || lastStep.some(isText)) {
    throw new GatewayError(
      'request_invalid',
      'The last message is of the assistant and answers no request. Send a message of the user, or an answer.',
    );
  }
  const callIds = parts.map(({ toolCallId }) => toolCallId);
  return { kind: 'continue', chainId, answers: parts.flatMap(findAnswer), clientCalls: findCalls(chainId, callIds) };
}

function isText({ type }: UiMessage['parts'][number]): boolean {
  return type === 'text';
}

interface FoundAnswer {
  readonly chainId: string;
  readonly answer: ChatAnswer;
}

/** Returns the answer that a part of a message has for a request; null for a part without one. */
function readAnswer(
  { toolCallId, state, approval, providerExecuted, output, errorText }: UiMessage['parts'][number],
  questions: ReadonlyMap<string, string>,
): FoundAnswer | null {
  if (state === 'approval-responded' && isObject(approval)) {
    const request = parseRequestId(String(approval.id));
    if (request === null || typeof approval.approved !== 'boolean') return null;
    const { chainId, call, digest } = request;
    // The part is what its reader saw.
    if (toolCallId !== formatCallId(chainId, call)) return null;
    const decision = approval.approved ? ({ kind: 'approve' } as const) : toDenial(approval.reason);
    return { chainId, answer: { call, digest, decision } };
  }
  // What the chain executes has its result from the chain.
  if (providerExecuted === true || typeof toolCallId !== 'string') return null;
  const requestId = parseRequestId(toolCallId);
  if (requestId === null || (state !== 'output-available' && state !== 'output-error')) return null;
  const { chainId, call } = requestId;
  const decision =
    state === 'output-error' ? toDenial(errorText) : ({ kind: 'answer', answer: (output as Json) ?? null } as const);
  return { chainId, answer: { call, digest: questions.get(toolCallId) ?? null, decision } };
}

/** Returns the digests of the questions that the client has shown, by their call. */
function readQuestionDigests(parts: UiMessage['parts']): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const { type, id, data } of parts) {
    if (type !== 'data-question' || typeof id !== 'string' || !isObject(data)) continue;
    if (typeof data.digest === 'string') digests.set(id, data.digest);
  }
  return digests;
}
