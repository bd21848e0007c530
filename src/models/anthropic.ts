/**
 * The Messages wire: Claude directly, and every server that speaks the same (LiteLLM's proxy, Ollama,
 * vLLM, llama.cpp). One call is one request: the chain retries, the SDK must not.
 */

import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { isObject, type JsonObject } from '../core/lib/json.js';
import { defaults } from '../core/model/defaults.js';
import type { ModelFailure } from '../core/model/fact.js';
import { toErrorFailure, toIncompleteStreamFailure, toMidStreamFailure } from './anthropic-failure.js';
import { toRequestBody } from './anthropic-request.js';
import { detectUnsentRequests, parseBaseUrl } from './connection.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';
import { maskProviderKeys, redactingConsole } from './redacting-provider.js';
import { ReplyStream } from './reply-stream.js';
import { createByteLimit, createWatchdog, maxTimerMs, type Watchdog } from './watchdog.js';

export interface AnthropicOptions {
  /** Address of a server of the Messages API; `/v1/messages` may be left out. */
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Milliseconds without any event after which a call is given up; 120,000 unless told. */
  readonly stallMs?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Milliseconds that a complete answer's connection gets to close by itself, so that it can be used again. */
const closeGraceMs = 1_000;

/**
 * With neither key nor address the SDK's own rules hold (`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` …). With an address
 * and no key a placeholder is sent: the key of one server is never sent to another by accident.
 *
 * @throws Error when `baseURL` is no http address
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
    // Our own spans say what may be told of a call; these would, if asked, carry content past the redactor.
    openTelemetry: false,
  });
  const stallMs = options.stallMs ?? 120_000;
  const keys = [client.apiKey, client.authToken].filter((key) => key !== null);
  return maskProviderKeys(keys, {
    name: baseURL?.host ?? 'anthropic',
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
    // The SDK's own clock is out of the way: the watchdog is the only one. And its raw events are read,
    // since its parsed ones lack the pings, which are signs of life.
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
      if (stream.stopped) watch.finish(closeGraceMs);
    }
    return stream.stopped ? { ok: true, reply: stream.toReply() } : toFailedResult(toIncompleteStreamFailure(response));
  } catch (error) {
    // Complete is complete, however its connection ended.
    if (stream.stopped) return { ok: true, reply: stream.toReply() };
    if (limit.isExceeded()) return toFailedResult(tooLongFailure);
    return toFailedResult(
      toErrorFailure(error, { stream, response, endedBy: watch.getEnd(), maxTokens: call.maxTokens }),
    );
  }
}

/** @throws SyntaxError for an event that is not JSON: the stream cannot be trusted from there on. */
function parseEvent(data: string): JsonObject | null {
  // Servers that also speak another wire end their streams with this.
  if (data === '' || data === '[DONE]') return null;
  const event: unknown = JSON.parse(data);
  return isObject(event) ? event : null;
}

const tooLongFailure: ModelFailure = {
  kind: 'too_large',
  message: `the answer has more than ${defaults.streamBytes} bytes`,
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
