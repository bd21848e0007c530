/**
 * The server side of the Messages API: request bodies, and replies as streamed events. For programs that act as a model
 * (the demo's player, the tests' scripted server), so that the same client code reads them and a real model.
 */

import type { IncomingMessage } from 'node:http';
import { isObject, type Json, type JsonObject, parseJson } from '../../core/lib/index.js';
import type { ReplyBlock, ReplyStopReason, Usage } from '../../core/model/index.js';

export interface WireReply {
  readonly id: string;
  readonly model: string;
  readonly content: readonly ReplyBlock[];
  readonly stopReason: ReplyStopReason;
  /** The sequence that matched, for `stop_sequence`. */
  readonly stopSequence: string | null;
  readonly usage: Usage;
}

/** One event; its `type` is also the event's name. */
export interface WireEvent {
  readonly type: string;
  readonly [member: string]: Json;
}

/** Characters of one delta. */
const deltaLength = 24;

/** Returns all events of a reply, `message_start` to `message_stop`, with a `ping` after the first as in the API. */
export function toReplyEvents(reply: WireReply): readonly WireEvent[] {
  const start = {
    ...toEnvelope(reply),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...toWireUsage(reply.usage), output_tokens: Math.min(1, reply.usage.output) },
  };
  return [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...reply.content.flatMap(toBlockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: reply.stopReason, stop_sequence: reply.stopSequence },
      usage: toWireUsage(reply.usage),
    },
    { type: 'message_stop' },
  ];
}

/** Returns the reply as a body without streaming. */
export function toReplyBody(reply: WireReply): JsonObject {
  return {
    ...toEnvelope(reply),
    content: reply.content.map((block) => ({ ...block })),
    stop_reason: reply.stopReason,
    stop_sequence: reply.stopSequence,
    usage: toWireUsage(reply.usage),
  };
}

/** Serializes an event for the stream. */
export function serializeEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function toEnvelope(reply: WireReply): JsonObject {
  return { id: reply.id, type: 'message', role: 'assistant', model: reply.model };
}

function toBlockEvents(block: ReplyBlock, index: number): readonly WireEvent[] {
  const delta = (type: string, member: string) => (piece: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type, [member]: piece },
  });
  const events = (start: JsonObject, deltas: readonly WireEvent[]): readonly WireEvent[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
  switch (block.type) {
    case 'text':
      return events({ type: 'text', text: '' }, splitText(block.text).map(delta('text_delta', 'text')));
    case 'thinking':
      return events({ type: 'thinking', thinking: '', signature: '' }, [
        ...splitText(block.thinking).map(delta('thinking_delta', 'thinking')),
        delta('signature_delta', 'signature')(block.signature),
      ]);
    case 'redacted_thinking':
      return events({ ...block }, []);
    case 'tool_use':
      return events(
        { ...block, input: {} },
        ['', ...splitText(JSON.stringify(block.input))].map(delta('input_json_delta', 'partial_json')),
      );
  }
}

/** Splits a text between characters, never inside one. */
function splitText(text: string): readonly string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / deltaLength) }, (_, piece) =>
    characters.slice(piece * deltaLength, (piece + 1) * deltaLength).join(''),
  );
}

function toWireUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    output_tokens_details: { thinking_tokens: usage.thinking },
  };
}

export async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses a JSON object; null for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  const body = parseJson(text);
  return isObject(body) ? body : null;
}
