/** The Messages API by its SDK, which the provider loads with its first call. */

import Anthropic, { APIConnectionTimeoutError, APIError, type ClientOptions } from '@anthropic-ai/sdk';
import { isObject, type JsonObject } from '../../core/lib/index.js';
import { maxTimerMs } from '../../timing/index.js';
import type { ModelCall } from '../wire/provider.js';
import { redactingConsole } from '../wire/redacting-provider.js';
import type { Wire } from '../wire/send-call.js';
import { toCountBody, toRequestBody } from './request.js';
import { ReplyStream } from './stream.js';

interface MessagesApi {
  readonly wire: Wire;
  readonly countTokens: (call: ModelCall, signal: AbortSignal) => Promise<number>;
}

export function createMessagesApi(options: ClientOptions): MessagesApi {
  const client = new Anthropic({
    ...options,
    maxRetries: 0,
    logger: redactingConsole,
    // Our own spans mask content; the SDK's spans would not.
    openTelemetry: false,
  });
  return {
    wire: createWire(client),
    countTokens: async (call, signal) => {
      const { input_tokens: tokens } = await client.messages.countTokens(toCountBody(call), { signal });
      return tokens;
    },
  };
}

function createWire(client: Anthropic): Wire {
  return {
    api: 'a Messages API',
    sdk: { APIError, APIConnectionTimeoutError },
    // The watchdog is the only timeout: the SDK's is disabled.
    send: (call, signal) => client.messages.create(toRequestBody(call), { signal, timeout: maxTimerMs }).asResponse(),
    createReader: () => new ReplyStream(),
    isError: ({ type }) => type === 'error',
    toEvents: toMessageEvents,
  };
}

/** Converts a message in one piece. */
function toMessageEvents(message: JsonObject): readonly JsonObject[] | null {
  if (message.type !== 'message' || !Array.isArray(message.content)) return null;
  return [
    { type: 'message_start', message },
    ...message.content.filter(isObject).flatMap((block, index): readonly JsonObject[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: message.stop_reason ?? null }, usage: message.usage ?? null },
    { type: 'message_stop' },
  ];
}
