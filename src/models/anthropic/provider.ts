/**
 * Model provider for the Messages API: Claude, and compatible servers (LiteLLM's proxy, Ollama, vLLM, llama.cpp). One
 * call is one request: the chain retries, the SDK must not.
 */

import Anthropic, { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { isObject, type JsonObject } from '../../core/lib/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { maxTimerMs } from '../../timing/index.js';
import { messagesFiles } from '../wire/call-content.js';
import { detectUnsentRequests, getProviderName, parseBaseUrl } from '../wire/connection.js';
import { dropEnvironmentHeaders, listHeaderValues } from '../wire/environment-headers.js';
import { limitErrorBodies } from '../wire/error-bodies.js';
import type { ModelProvider } from '../wire/provider.js';
import { maskProviderKeys, redactingConsole } from '../wire/redacting-provider.js';
import { defaultStallMs, sendCall, type Wire } from '../wire/send-call.js';
import { toCountBody, toRequestBody } from './request.js';
import { ReplyStream } from './stream.js';

export interface AnthropicOptions {
  /**
   * Its name among the providers of a worker, in facts and telemetry. Default: that of a known service (`anthropic`), else
   * `model-server`. Running chains look for the provider by its name.
   */
  readonly name?: string | undefined;
  /** Address of a server of the Messages API; `/v1/messages` may be omitted. */
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Time without an event before a call fails as stalled: milliseconds or `'90s'`. Default two minutes. */
  readonly stallTimeout?: Duration | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Creates a provider for the Messages API. Without key and address, the SDK reads `ANTHROPIC_API_KEY`,
 * `ANTHROPIC_BASE_URL` and so on. With an address but no key, a placeholder is sent, so that the key of one server
 * never reaches another.
 *
 * @throws {LonghandError} `model_not_configured` when `baseURL` is not an http address; `invalid_options`
 * @example
 * await runWorker({ agents: [meteorologist], providers: [anthropicProvider({ baseURL: 'http://127.0.0.1:4000' })] });
 */
export function anthropicProvider(options: AnthropicOptions = {}): ModelProvider {
  const baseURL = options.baseURL === undefined ? undefined : parseBaseUrl(options.baseURL);
  const apiKey = options.apiKey ?? (baseURL === undefined ? undefined : 'none');
  const headers = process.env.ANTHROPIC_CUSTOM_HEADERS;
  const client = new Anthropic({
    ...(baseURL !== undefined && { baseURL: baseURL.address }),
    ...(apiKey !== undefined && { apiKey }),
    ...(baseURL !== undefined && { defaultHeaders: dropEnvironmentHeaders(headers, apiKey) }),
    fetch: limitErrorBodies(detectUnsentRequests(options.fetch ?? globalThis.fetch)),
    maxRetries: 0,
    logger: redactingConsole,
    // Our own spans mask content; the SDK's spans would not.
    openTelemetry: false,
  });
  const stallMs = parseDuration(options.stallTimeout ?? defaultStallMs, 'stallTimeout');
  const wire = createMessagesWire(client);
  const keys = [client.apiKey, client.authToken, ...listHeaderValues(headers)].filter((key) => key !== null);
  return maskProviderKeys(keys, {
    name: options.name ?? getProviderName(parseBaseUrl(client.baseURL).host, 'model-server'),
    files: messagesFiles,
    structuredOutput: 'with_tools',
    countTokens: async (call, { signal }) => {
      const { input_tokens: tokens } = await client.messages.countTokens(toCountBody(call), { signal });
      return tokens;
    },
    call: (call, callOptions) => sendCall(wire, call, callOptions, stallMs),
  });
}

function createMessagesWire(client: Anthropic): Wire {
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
