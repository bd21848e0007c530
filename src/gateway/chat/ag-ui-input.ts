/** Reads what a client of AG-UI sends: a new message, an answer to interrupts, or a run that is followed again. */

import { isObject } from '../../core/lib/json.js';
import type { ThreadMessage } from '../../core/model/thread.js';
import type { AgUiMessage, RunAgent } from '../../http/schemas/chat.js';
import { GatewayError } from '../request/problems.js';
import { type ResumedRequests, readResume } from './ag-ui-interrupt.js';
import { findChainId, parseRequestId } from './chat-ids.js';
import { decodeBase64, toFileName } from './message-files.js';
import type { ChatMessage, ChatTurn } from './open-turn.js';

export type AgUiInput =
  | ({
      readonly kind: 'turn';
      /** Whether the client has messages of the run already: it follows it again. */
      readonly hasAnswer: boolean;
      /** The messages that stay when the run is followed again. */
      readonly kept: readonly AgUiMessage[];
    } & Pick<ChatTurn, 'after' | 'messages' | 'earlier'>)
  | ({ readonly kind: 'resume'; readonly calls: ReadonlySet<string> } & ResumedRequests);

/** @throws {GatewayError} `request_invalid` */
export function readAgUiInput(firstId: string, { messages, resume }: RunAgent): AgUiInput {
  if (resume != null && resume.length > 0) {
    const resumed = readResume(resume);
    return { kind: 'resume', calls: listCalls(messages, resumed.chainId), ...resumed };
  }
  const until = messages.findLastIndex(({ role }) => role === 'user');
  if (until < 0) throw new GatewayError('request_invalid', 'The messages have none of the user. Send one.');
  const isAnswer = ({ role }: AgUiMessage) => role === 'assistant' || role === 'tool' || role === 'reasoning';
  const kept = messages.slice(0, until + 1);
  const from = kept.findLastIndex(isAnswer) + 1;
  const chains = kept.slice(0, from).filter(isAnswer);
  const [last] = chains.map(({ id }) => findChainId(firstId, id)).slice(-1);
  return {
    kind: 'turn',
    hasAnswer: messages.slice(until + 1).some(isAnswer),
    // A client removes all messages that a snapshot lacks but thoughts. Without a text, they are written again.
    kept: [...kept, ...messages.slice(until + 1).flatMap(emptyThought)],
    after: chains.length === 0 ? null : (last ?? 'unknown'),
    messages: kept
      .slice(from)
      .filter(({ role }) => role === 'user')
      .map(readUserMessage),
    earlier: kept.slice(0, from).flatMap(toEarlierMessage),
  };
}

function emptyThought(message: AgUiMessage): readonly AgUiMessage[] {
  return message.role === 'reasoning' ? [{ ...message, content: '' }] : [];
}

/** Calls of a chain that the client shows. */
function listCalls(messages: readonly AgUiMessage[], chainId: string): ReadonlySet<string> {
  const ids = messages.flatMap(({ toolCalls }) => (Array.isArray(toolCalls) ? (toolCalls as unknown[]) : []));
  const parsed = ids.flatMap((call) =>
    isObject(call) && typeof call.id === 'string' ? [parseRequestId(call.id)] : [],
  );
  return new Set(parsed.flatMap((request) => (request?.chainId === chainId ? [request.call] : [])));
}

function readUserMessage({ content }: AgUiMessage): ChatMessage {
  const parts = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
  const files = new Map<string, Uint8Array>();
  for (const { source } of parts) {
    if (!isObject(source)) continue;
    if (source.type !== 'data' || typeof source.value !== 'string')
      throw new GatewayError('request_invalid', 'A file must be sent with its bytes: a source of type data.');
    files.set(toFileName(null, source.mimeType, files), decodeBase64(source.value));
  }
  const text = toText(content);
  if (text === '') throw new GatewayError('request_invalid', 'The message of the user has no text. Send one.');
  return { text, files: Object.fromEntries(files) };
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const parts = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return texts.join('\n\n').trim();
}

function toEarlierMessage({ role, content }: AgUiMessage): readonly ThreadMessage[] {
  const text = toText(content);
  return (role === 'user' || role === 'assistant') && text !== '' ? [{ role, text }] : [];
}
