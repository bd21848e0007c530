/**
 * Model provider for the Messages API: Claude, and compatible servers (LiteLLM's proxy, Ollama, vLLM, llama.cpp). One
 * call is one request: the chain retries, the SDK must not.
 */

import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { isObject, type JsonObject } from '../core/lib/json.js';
import { defaults } from '../core/model/defaults.js';
import type { ModelFailure } from '../core/model/fact.js';
import { type Duration, parseDuration } from '../options/duration.js';
import { toErrorFailure, toIncompleteStreamFailure, toMidStreamFailure } from './anthropic-failure.js';
import { messagesFiles, toCountBody, toRequestBody } from './anthropic-request.js';
import { detectUnsentRequests, parseBaseUrl } from './connection.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';
import { maskProviderKeys, redactingConsole } from './redacting-provider.js';
import { ReplyStream } from './reply-stream.js';
import { createByteLimit, createWatchdog, maxTimerMs, type Watchdog } from './watchdog.js';

export interface AnthropicOptions {
  /** Address of a server of the Messages API; `/v1/messages` may be left out. */
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Time without an event before a call fails as stalled: milliseconds or `'90s'`. Default two minutes. */
  readonly stallTimeout?: Duration | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const defaultStallMs = 120_000;

/** Milliseconds for the connection of a complete reply to close by itself, for reuse. */
const closeGraceMs = 1_000;

/**
 * Creates a provider for the Messages API. Without key and address, the SDK reads `ANTHROPIC_API_KEY`,
 * `ANTHROPIC_BASE_URL` and so on. With an address but no key, a placeholder is sent, so that the key of one server
 * never reaches another.
 *
 * @throws {LonghandError} `model_not_configured` when `baseURL` is not an http address; `invalid_options`
 * @example
 * await runWorker({ agents: [meteorologist], provider: anthropicProvider({ baseURL: 'http://127.0.0.1:4000' }) });
 */
export function anthropicProvider(options: AnthropicOptions = {}): ModelProvider {
  const baseURL = options.baseURL === undefined ? undefined : parseBaseUrl(options.baseURL);
  const apiKey = options.apiKey ?? (baseURL === undefined ? undefined : 'none');
  const client = new Anthropic({
    ...(baseURL !== undefined && { baseURL: baseURL.address }),
    ...(apiKey !== undefined && { apiKey }),
    fetch: detectUnsentRequests(options.fetch ?? globalThis.fetch),
    maxRetries: 0,
    logger: redactingConsole,
    // Our own spans mask content; the SDK's spans would not.
    openTelemetry: false,
  });
  const stallMs = parseDuration(options.stallTimeout ?? defaultStallMs, 'stallTimeout');
  const keys = [client.apiKey, client.authToken].filter((key) => key !== null);
  return maskProviderKeys(keys, {
    name: baseURL?.host ?? 'anthropic',
    files: messagesFiles,
    countTokens: async (call, { signal }) => {
      const { input_tokens: tokens } = await client.messages.countTokens(toCountBody(call), { signal });
      return tokens;
    },
    call: async (call, callOptions) => {
      const watch = createWatchdog(callOptions.signal, stallMs, call.model.timeoutMs);
      try {
        return await sendCall(client, call, callOptions, watch);
      } finally {
        watch.stop();
      }
    },
  });
}

async function sendCall(
  client: Anthropic,
  call: ModelCall,
  options: ModelCallOptions,
  watch: Watchdog,
): Promise<ModelCallResult> {
  if (watch.getEnd() !== null) return toFailedResult(notSentFailure);
  const stream = new ReplyStream();
  const limit = createByteLimit(defaults.streamBytes);
  let response: Response | null = null;
  try {
    // The watchdog is the only timeout: the SDK's is disabled. Raw events are read because the SDK's parsed events
    // lack pings, which show that the provider is alive.
    response = await client.messages
      .create(toRequestBody(call), { signal: watch.signal, timeout: maxTimerMs })
      .asResponse();
    for await (const { data } of Stream.rawEvents(limit.applyTo(response))) {
      watch.recordActivity();
      const event = parseEvent(data);
      if (event === null) continue;
      if (event.type === 'error' && !stream.stopped) return toFailedResult(toMidStreamFailure(event, response));
      const text = stream.consume(event);
      if (text !== '') options.onText?.(text);
      if (stream.complete) watch.finish(closeGraceMs);
    }
    return stream.complete
      ? { ok: true, reply: stream.toReply() }
      : toFailedResult(toIncompleteStreamFailure(response));
  } catch (error) {
    // A complete reply stays valid however its connection ended.
    if (stream.complete) return { ok: true, reply: stream.toReply() };
    if (limit.isExceeded()) return toFailedResult(tooLongFailure);
    return toFailedResult(
      toErrorFailure(error, { stream, response, endedBy: watch.getEnd(), maxTokens: call.maxTokens }),
    );
  }
}

/**
 * Parses an event; null for events without content.
 *
 * @throws SyntaxError for an event that is not JSON: the rest of the stream cannot be trusted
 */
function parseEvent(data: string): JsonObject | null {
  // Servers that also implement another API end their streams with this.
  if (data === '' || data === '[DONE]') return null;
  const event: unknown = JSON.parse(data);
  return isObject(event) ? event : null;
}

const tooLongFailure: ModelFailure = {
  kind: 'too_large',
  message: `the reply has more than ${defaults.streamBytes} bytes`,
  status: null,
  retryAfterMs: null,
  settle: 'reservation',
  usage: null,
};

function toFailedResult(failure: ModelFailure): ModelCallResult {
  return { ok: false, failure };
}

const notSentFailure: ModelFailure = {
  kind: 'cancelled',
  message: 'the call was cancelled before it was sent',
  status: null,
  retryAfterMs: null,
  settle: 'nothing',
  usage: null,
};
