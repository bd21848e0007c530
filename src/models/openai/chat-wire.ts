/** The Chat Completions API by its SDK, which the provider loads with its first call. */

import { APIConnectionTimeoutError, APIError, AzureOpenAI, type ClientOptions, OpenAI } from 'openai';
import { isObject, type JsonObject } from '../../core/lib/index.js';
import { maxTimerMs } from '../../timing/index.js';
import { redactingConsole } from '../wire/redacting-provider.js';
import type { Wire } from '../wire/send-call.js';
import { toChatBody } from './request.js';
import type { ChatServer } from './server.js';
import { ChatStream } from './stream.js';

type ChatClientOptions = Omit<ClientOptions, 'apiKey' | 'provider'> & { readonly apiKey: string };

/** @param apiVersion of Azure */
export function createChatWire(options: ChatClientOptions, apiVersion: string | undefined, server: ChatServer): Wire {
  const settings = { ...options, maxRetries: 0, logger: redactingConsole };
  const client = apiVersion === undefined ? new OpenAI(settings) : new AzureOpenAI({ ...settings, apiVersion });
  return {
    api: 'a Chat Completions API',
    sdk: { APIError, APIConnectionTimeoutError },
    // The watchdog is the only timeout: the SDK's is disabled.
    send: (call, signal) =>
      client.chat.completions.create(toChatBody(call, server), { signal, timeout: maxTimerMs }).asResponse(),
    createReader: () => new ChatStream(server.name),
    isError: ({ error }) => isObject(error) || (typeof error === 'string' && error !== ''),
    toEvents: (body: JsonObject) => (Array.isArray(body.choices) ? [body] : null),
  };
}
