/** Reads what a client of AG-UI sends: a new message, an answer to interrupts, or a run that is followed again. */

import { isObject } from '../../core/lib/index.js';
import type { ThreadMessage } from '../../core/model/index.js';
import type { AgUiMessage, RunAgent } from '../../http/index.js';
import { GatewayError } from '../request/problems.js';
import { readResume } from './ag-ui-interrupt.js';
import { findChainId } from './chat-ids.js';
import { type ChatInput, findCalls } from './chat-input.js';
import { type ChatMessage, decodeBase64, joinTexts, type MessageFile, toChatMessage } from './chat-message.js';

export interface AgUiInput {
  readonly input: ChatInput;
  /** Messages that the client keeps. */
  readonly messages: readonly AgUiMessage[];
  /** Whether the client has messages of the run already: it follows it again, and the stream makes them again. */
  readonly replacesMessages: boolean;
}

/** @throws {GatewayError} `request_invalid` */
export function readAgUiInput(firstId: string, { messages, resume }: RunAgent): AgUiInput {
  if (resume != null && resume.length > 0) {
    const answers = readResume(resume);
    const clientCalls = findCalls(answers.chainId, messages.flatMap(listCallIds));
    return { input: { kind: 'continue', ...answers, clientCalls }, messages, replacesMessages: false };
  }
  const until = messages.findLastIndex(({ role }) => role === 'user');
  if (until < 0) throw new GatewayError('request_invalid', 'The messages have none of the user. Send one.');
  const [conversation, rest] = [messages.slice(0, until + 1), messages.slice(until + 1)];
  const from = conversation.findLastIndex(isAnswer) + 1;
  const answer = conversation[from - 1];
  return {
    input: {
      kind: 'turn',
      intent: 'submit',
      after: answer === undefined ? null : (findChainId(firstId, answer.id) ?? 'unknown'),
      messages: conversation
        .slice(from)
        .filter(({ role }) => role === 'user')
        .map(readUserMessage),
      earlier: conversation.slice(0, from).flatMap(toEarlierMessage),
    },
    // A client removes all messages that a snapshot lacks but thoughts. Without a text, they are written again.
    messages: [...conversation, ...rest.flatMap(emptyThought)],
    replacesMessages: rest.some(isAnswer),
  };
}

function isAnswer({ role }: AgUiMessage): boolean {
  return role === 'assistant' || role === 'tool' || role === 'reasoning';
}

function emptyThought(message: AgUiMessage): readonly AgUiMessage[] {
  return message.role === 'reasoning' ? [{ ...message, content: '' }] : [];
}

function listCallIds({ toolCalls }: AgUiMessage): readonly unknown[] {
  return Array.isArray(toolCalls) ? toolCalls.filter(isObject).map(({ id }) => id) : [];
}

function readUserMessage({ content }: AgUiMessage): ChatMessage {
  return toChatMessage(toText(content), Array.isArray(content) ? content.filter(isObject).flatMap(readFile) : []);
}

function readFile({ source }: { readonly source?: unknown }): readonly MessageFile[] {
  if (!isObject(source)) return [];
  const { type, value, mimeType } = source;
  if (type !== 'data' || typeof value !== 'string')
    throw new GatewayError('request_invalid', 'A file must be sent with its bytes: a source of type data.');
  return [{ name: null, mediaType: mimeType, bytes: decodeBase64(value) }];
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return Array.isArray(content) ? joinTexts(content) : '';
}

function toEarlierMessage({ role, content }: AgUiMessage): readonly ThreadMessage[] {
  const text = toText(content);
  return (role === 'user' || role === 'assistant') && text !== '' ? [{ role, text }] : [];
}
