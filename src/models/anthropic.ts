/**
 * The Messages wire: Claude directly, and every server that speaks the same (LiteLLM's proxy, Ollama,
 * vLLM, llama.cpp). One call is one request: the chain retries, the SDK must not.
 */

import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { isObject, type JsonObject } from '../core/lib/json.js';
import { defaults } from '../core/model/defaults.js';
import type { ModelFailure } from '../core/model/fact.js';
import { endedFailure, midStreamFailure, thrownFailure } from './anthropic-failure.js';
import { toBody } from './anthropic-request.js';
import { baseUrlOf, fetchTellingUnsent } from './connection.js';
import type { CallOptions, CallResult, ModelCall, ModelProvider } from './provider.js';
import { carefulConsole, withoutItsKey } from './redacting-provider.js';
import { ReplyStream } from './reply-stream.js';
import { byteLimit, longestMs, type Watchdog, watchdog } from './watchdog.js';

export interface AnthropicOptions {
  /** Address of a server of the Messages API; `/v1/messages` may be left out. */
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Milliseconds without any event after which a call is given up; 120,000 unless told. */
  readonly stallMs?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Milliseconds that a complete answer's connection gets to close by itself, so that it can be used again. */
const closeMs = 1_000;

/**
 * With neither key nor address the SDK's own rules hold (`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` …). With an address
 * and no key a placeholder is sent: the key of one server is never sent to another by accident.
 *
 * @throws Error when `baseURL` is no http address
 * @example
 * await runWorker({ agents: [meteorologist], provider: anthropicProvider({ baseURL: 'http://127.0.0.1:4000' }) });
 */
export function anthropicProvider(options: AnthropicOptions = {}): ModelProvider {
  const baseURL = options.baseURL === undefined ? undefined : baseUrlOf(options.baseURL);
  const apiKey = options.apiKey ?? (baseURL === undefined ? undefined : 'none');
  const client = new Anthropic({
    ...(baseURL !== undefined && { baseURL: baseURL.address }),
    ...(apiKey !== undefined && { apiKey }),
    fetch: fetchTellingUnsent(options.fetch ?? globalThis.fetch),
    maxRetries: 0,
    logger: carefulConsole,
    // Our own spans say what may be told of a call; these would, if asked, carry content past the redactor.
    openTelemetry: false,
  });
  const stallMs = options.stallMs ?? 120_000;
  const keys = [client.apiKey, client.authToken].filter((key) => key !== null);
  return withoutItsKey(keys, {
    name: baseURL?.host ?? 'anthropic',
    call: async (call, callOptions) => {
      const watch = watchdog(callOptions.signal, stallMs, call.model.timeoutMs);
      try {
        return await send(client, call, callOptions, watch);
      } finally {
        watch.stop();
      }
    },
  });
}

async function send(client: Anthropic, call: ModelCall, options: CallOptions, watch: Watchdog): Promise<CallResult> {
  if (watch.ended() !== null) return failed(notSent);
  const stream = new ReplyStream();
  const limit = byteLimit(defaults.streamBytes);
  let response: Response | null = null;
  try {
    // The SDK's own clock is out of the way: the watchdog is the only one. And its raw events are read,
    // since its parsed ones lack the pings, which are signs of life.
    response = await client.messages.create(toBody(call), { signal: watch.signal, timeout: longestMs }).asResponse();
    for await (const { data } of Stream.rawEvents(limit.applyTo(response))) {
      watch.alive();
      const event = eventIn(data);
      if (event === null) continue;
      if (event.type === 'error' && !stream.stopped) return failed(midStreamFailure(event, response));
      const text = stream.take(event);
      if (text !== '') options.onText?.(text);
      if (stream.stopped) watch.finish(closeMs);
    }
    return stream.stopped ? { ok: true, reply: stream.reply() } : failed(endedFailure(response));
  } catch (error) {
    // Complete is complete, however its connection ended.
    if (stream.stopped) return { ok: true, reply: stream.reply() };
    if (limit.isExceeded()) return failed(tooLong);
    return failed(thrownFailure(error, { stream, response, ended: watch.ended(), maxTokens: call.maxTokens }));
  }
}

/** @throws SyntaxError for an event that is not JSON: the stream cannot be trusted from there on. */
function eventIn(data: string): JsonObject | null {
  // Servers that also speak another wire end their streams with this.
  if (data === '' || data === '[DONE]') return null;
  const event: unknown = JSON.parse(data);
  return isObject(event) ? event : null;
}

const tooLong: ModelFailure = {
  kind: 'too_large',
  message: `the answer has more than ${defaults.streamBytes} bytes`,
  status: null,
  retryAfterMs: null,
  settle: 'reservation',
  usage: null,
};

function failed(failure: ModelFailure): CallResult {
  return { ok: false, failure };
}

const notSent: ModelFailure = {
  kind: 'cancelled',
  message: 'the call was cancelled before it was sent',
  status: null,
  retryAfterMs: null,
  settle: 'nothing',
  usage: null,
};
