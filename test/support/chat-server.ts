/** A scripted model behind the Chat Completions API. */

import { isObject } from '../../src/core/lib/json.js';
import type { JsonObject } from '../../src/index.js';
import { serializeChunk, toChatBody, toChatEvents } from './chat-events.js';
import { findChatFault } from './chat-rules.js';
import type { UsageOnWire, WireError } from './model-answer.js';
import { type ModelServer, type ModelServerOptions, type Script, startModelServer } from './model-server.js';

export type ChatServer = ModelServer;

export function startChatServer(script: Script, options: ModelServerOptions = {}): Promise<ChatServer> {
  const wire = {
    path: '/v1/chat/completions',
    findFault: (body: JsonObject) => findChatFault(body, options),
    getStopSequences: ({ stop }: JsonObject) => (Array.isArray(stop) ? stop.map(String) : []),
    toCallId: (number: number) => `call_scripted_${number}`,
    ...chatAnswers,
  };
  return startModelServer<JsonObject>(wire, script, options);
}

export const chatAnswers = {
  toEvents: (reply: Parameters<typeof toChatEvents>[0], usage?: UsageOnWire) => toChatEvents(reply, usage),
  toBody: toChatBody,
  toErrorEvent: (error: WireError) => serializeChunk({ error: toChatError(error) }),
  toErrorBody: (error: WireError): JsonObject => ({ error: toChatError(error) }),
};

function toChatError({ type, message }: WireError): JsonObject {
  return { message, type, param: null, code: null };
}

/** Returns the fields of reasoning in a request, for tests that none is sent to another provider. */
export function listReasoning(body: JsonObject): readonly JsonObject[] {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  return messages.flatMap((message) => {
    const fields = Object.entries(message).filter(([name]) => name.startsWith('reasoning'));
    return fields.length === 0 ? [] : [Object.fromEntries(fields)];
  });
}
