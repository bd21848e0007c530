/** The conversations that the real API rejects. */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';
import { computeSignature } from './scripted-reply.js';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly JsonObject[];
}

/** Returns the first fault of `messages`, or null. */
export function findConversationFault(messages: Json | undefined): string | null {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const turn = toTurn(message);
    if (turn === null) return `messages.${index}: a role (user, assistant) and a list of blocks are required`;
    if (turn.blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const fault = turn.blocks.map(findBlockFault).find((each) => each !== null);
    if (fault !== undefined) return `messages.${index}: ${fault}`;
    // Consecutive turns of one role are a single turn.
    const last = turns.at(-1);
    if (last?.role === turn.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] };
    else turns.push(turn);
  }
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, turn] of turns.entries()) {
    const fault =
      turn.role === 'assistant' ? findAssistantFault(turn, turns[index + 1]) : findResultFault(turn, turns[index - 1]);
    if (fault !== null) return `messages: turn ${index}: ${fault}`;
  }
  return null;
}

function toTurn(message: Json): Turn | null {
  if (!isObject(message) || (message.role !== 'user' && message.role !== 'assistant')) return null;
  const { role, content } = message;
  if (typeof content === 'string') return { role, blocks: [{ type: 'text', text: content }] };
  return Array.isArray(content) && content.every(isObject) ? { role, blocks: content } : null;
}

function findBlockFault(block: JsonObject): string | null {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' && block.text.trim() !== ''
        ? null
        : 'text content blocks must contain non-whitespace text';
    case 'thinking':
      return typeof block.thinking === 'string' && block.signature === computeSignature(block.thinking)
        ? null
        : 'Invalid `signature` in `thinking` block';
    case 'redacted_thinking':
      return typeof block.data === 'string' ? null : 'redacted_thinking.data: Field required';
    case 'tool_use':
      if (typeof block.id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(block.id)) {
        return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
      }
      return isObject(block.input) ? null : 'tool_use.input: Input should be a valid dictionary';
    case 'tool_result':
      if (typeof block.tool_use_id !== 'string') return 'tool_result.tool_use_id: Field required';
      if (typeof block.content === 'string') return null;
      return Array.isArray(block.content) && block.content.every(isObject)
        ? (block.content.map(findBlockFault).find((each) => each !== null) ?? null)
        : 'tool_result.content: Input should be a string or a list of blocks';
    case 'image':
    case 'document':
      return findSourceFault(block);
    default:
      return `Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`;
  }
}

const mediaTypes: { readonly [type: string]: readonly string[] } = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
};

/** Bytes of an image, as the API counts them: those of its base64. */
const maxImageLength = 5 * 1024 * 1024;

function findSourceFault({ type, source }: JsonObject): string | null {
  if (!isObject(source) || source.type !== 'base64') return `${type}.source: Field required`;
  const { media_type: mediaType, data } = source;
  if (!mediaTypes[String(type)]?.includes(String(mediaType)))
    return `${type}.source.base64.media_type: Input should be one of the supported types`;
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+=*$/.test(data)) return `${type}.source.base64: invalid base64 data`;
  return type === 'image' && data.length > maxImageLength ? 'image exceeds 5 MB maximum' : null;
}

function findAssistantFault(turn: Turn, next: Turn | undefined): string | null {
  const last = turn.blocks.at(-1)?.type;
  if (last === 'thinking' || last === 'redacted_thinking') {
    return 'The final block in an assistant message cannot be `thinking`.';
  }
  const ids = turn.blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  if (new Set(ids).size < ids.length) return '`tool_use` ids must be unique';
  // Results must be the first blocks of the user message.
  const rest = next?.blocks.findIndex(({ type }) => type !== 'tool_result') ?? 0;
  const results = next?.blocks.slice(0, rest < 0 ? undefined : rest).map((block) => block.tool_use_id) ?? [];
  const missing = ids.filter((id) => !results.includes(id));
  return missing.length === 0
    ? null
    : `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
}

function findResultFault(turn: Turn, before: Turn | undefined): string | null {
  const requested = new Set(before?.blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id) ?? []);
  const answered = turn.blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const stray = answered.find((id) => id === undefined || !requested.has(id));
  if (stray !== undefined) return `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
  return new Set(answered).size === answered.length ? null : 'each tool_use must have a single result';
}
