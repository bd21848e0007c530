/** Replies in the Chat Completions API, as chunks and as one body. Thoughts are sent as `reasoning_content`. */

import type { ReplyBlock, ReplyStopReason, Usage } from '../../src/core/model/model.js';
import type { JsonObject } from '../../src/index.js';
import type { WireReply } from '../../src/models/wire/wire-events.js';
import type { UsageOnWire } from './model-answer.js';

/** Characters of one delta. */
const deltaLength = 24;

/** Returns all events: one chunk for the role, the deltas, the finish reason, the usage, and `[DONE]`. */
export function toChatEvents(reply: WireReply, usageOnWire?: UsageOnWire): readonly string[] {
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...toEnvelope(reply, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  });
  const usage = usageOnWire === undefined ? toChatUsage(reply.usage) : usageOnWire.end;
  const chunks = [
    // Some servers report sums from the start.
    { ...chunk({ role: 'assistant', content: '', refusal: null }), usage: usageOnWire?.start ?? null },
    ...toDeltas(reply.content).map((delta) => chunk(delta)),
    chunk({}, toFinishReason(reply.stopReason)),
    ...(usage === undefined ? [] : [{ ...toEnvelope(reply, 'chat.completion.chunk'), choices: [], usage }]),
  ];
  return [...chunks.map(serializeChunk), 'data: [DONE]\n\n'];
}

export function toChatBody(reply: WireReply): JsonObject {
  const of = <Type extends ReplyBlock['type']>(type: Type) =>
    reply.content.filter((block): block is Extract<ReplyBlock, { type: Type }> => block.type === type);
  const [thinking] = of('thinking');
  const calls = of('tool_use').map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message: JsonObject = {
    role: 'assistant',
    content: of('text')[0]?.text ?? null,
    refusal: null,
    ...(thinking !== undefined && { reasoning_content: thinking.thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...toEnvelope(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(reply.stopReason) }],
    usage: toChatUsage(reply.usage),
  };
}

export function serializeChunk(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function toEnvelope({ model }: WireReply, object: string): JsonObject {
  return { id: 'chatcmpl-scripted', object, created: 1_790_000_000, model, system_fingerprint: null };
}

function toDeltas(content: readonly ReplyBlock[]): readonly JsonObject[] {
  const uses = content.filter(({ type }) => type === 'tool_use');
  return content.flatMap((block) => toBlockDeltas(block, uses.indexOf(block)));
}

function toBlockDeltas(block: ReplyBlock, index: number): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return splitText(block.text).map((piece) => ({ content: piece }));
    case 'thinking':
      return splitText(block.thinking).map((piece) => ({ reasoning_content: piece }));
    case 'redacted_thinking':
      return [];
    case 'tool_use': {
      const { id, name, input } = block;
      const first = { index, id, type: 'function', function: { name, arguments: '' } };
      const pieces = splitText(JSON.stringify(input)).map((piece) => ({ index, function: { arguments: piece } }));
      return [first, ...pieces].map((call) => ({ tool_calls: [call] }));
    }
  }
}

function splitText(text: string): readonly string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / deltaLength) }, (_, piece) =>
    characters.slice(piece * deltaLength, (piece + 1) * deltaLength).join(''),
  );
}

function toFinishReason(reason: ReplyStopReason): string {
  switch (reason) {
    case 'max_tokens':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    case 'model_context_window_exceeded':
      return 'model_length';
    case 'pause_turn':
      throw new Error('Chat Completions has no pause_turn.');
    default:
      return 'stop';
  }
}

function toChatUsage(usage: Usage): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.thinking, audio_tokens: 0 },
  };
}
