/** The conversations that the Chat Completions API rejects. */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';
import { findUnknownMember } from './unknown-member.js';

const membersByRole: { readonly [role: string]: readonly string[] } = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  // `reasoning_content` is a field of the servers that send it.
  assistant: ['role', 'content', 'tool_calls', 'reasoning_content'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** Returns the first fault of `messages`, or null. @param behindLitellm as in `ModelServerOptions` */
export function findChatConversationFault(given: Json | undefined, behindLitellm: boolean): string | null {
  if (!Array.isArray(given) || given.length === 0) return "[] is too short - 'messages'";
  if (!given.every(isObject)) return "Invalid type for 'messages'.";
  const messages = behindLitellm ? given.map(readProxied) : given;
  for (const [index, message] of messages.entries()) {
    const fault = findMessageFault(message, index);
    if (fault !== null) return fault;
  }
  return findAnswerFault(messages);
}

function readProxied({ thinking_blocks: _, ...given }: JsonObject): JsonObject {
  const { content = null } = given;
  const message = { ...given, content };
  if (!Array.isArray(content) || content.length === 0 || !content.every(isTextPart)) return message;
  return { ...message, content: content.map(({ text }) => text).join('') };
}

function isTextPart(part: Json): part is JsonObject {
  return (
    isObject(part) && findUnknownMember(part, ['type', 'text'], '') === null && isPart(part) && part.type === 'text'
  );
}

function findMessageFault(message: JsonObject, index: number): string | null {
  const { role, content } = message;
  const path = `messages[${index}]`;
  const known = membersByRole[String(role)];
  if (known === undefined) return `Invalid value: '${path}.role'.`;
  const unknown = findUnknownMember(message, known, `${path}.`);
  if (unknown !== null) return unknown;
  if (role === 'system' && index > 0) return `Invalid 'messages': a system message must be the first.`;
  if (role === 'assistant') return findAssistantFault(message, path);
  if (role === 'user' && Array.isArray(content)) {
    return content.length > 0 && content.every(isPart) ? null : `Invalid '${path}.content'.`;
  }
  return typeof content === 'string' && (role === 'tool' || content !== '') ? null : `Invalid '${path}.content'.`;
}

function findAssistantFault({ content, tool_calls: calls }: JsonObject, path: string): string | null {
  if (calls === undefined) {
    return typeof content === 'string' && content !== '' ? null : `Invalid '${path}.content': expected a string.`;
  }
  if (content !== null && typeof content !== 'string') return `Invalid '${path}.content'.`;
  if (!Array.isArray(calls) || calls.length === 0) return `Invalid '${path}.tool_calls': empty array.`;
  return calls.every(isCall) ? null : `Invalid '${path}.tool_calls'.`;
}

/** Arguments are an object in JSON: templates of local models parse them. */
function isCall(call: Json): boolean {
  if (!isObject(call) || !isObject(call.function)) return false;
  const { name, arguments: given } = call.function;
  if (findUnknownMember(call, ['id', 'type', 'function'], '') !== null || call.type !== 'function') return false;
  return typeof call.id === 'string' && call.id !== '' && typeof name === 'string' && isObjectText(given);
}

function isObjectText(text: Json | undefined): boolean {
  try {
    return typeof text === 'string' && isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function isPart(part: Json): boolean {
  if (!isObject(part)) return false;
  const { type, text, image_url: image, file } = part;
  if (type === 'text') return typeof text === 'string' && text !== '';
  if (type === 'image_url') return isObject(image) && /^data:image\/\w+;base64,/.test(String(image.url));
  return type === 'file' && isObject(file) && /^data:application\/pdf;base64,/.test(String(file.file_data));
}

/** The results of all calls of a message follow it at once, each one once. */
function findAnswerFault(messages: readonly JsonObject[]): string | null {
  let waiting = new Set<Json | undefined>();
  for (const [index, message] of [...messages, { role: 'end' } as const].entries()) {
    if (message.role === 'tool') {
      if (!waiting.delete((message as JsonObject).tool_call_id)) {
        return `Invalid parameter: 'messages[${index}]' with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
      }
      continue;
    }
    if (waiting.size > 0) {
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${[...waiting].join(', ')}`;
    }
    const calls = (message as JsonObject).tool_calls;
    const ids = Array.isArray(calls) ? calls.filter(isObject).map(({ id }) => id) : [];
    waiting = new Set(ids);
    if (waiting.size < ids.length) return `Invalid 'messages[${index}].tool_calls': ids must be unique.`;
  }
  return null;
}
