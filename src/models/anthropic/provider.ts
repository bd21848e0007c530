/**
 * Model provider for the Messages API: Claude, and compatible servers (LiteLLM's proxy, Ollama, vLLM, llama.cpp). One
 * call is one request: the chain retries, the SDK must not. The SDK is loaded with the first call.
 */

import { loadOnce } from '../../core/lib/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { messagesFiles } from '../wire/call-content.js';
import { detectUnsentRequests, getProviderName, parseBaseUrl } from '../wire/connection.js';
import { dropEnvironmentHeaders, listHeaderValues } from '../wire/environment-headers.js';
import { limitErrorBodies } from '../wire/error-bodies.js';
import type { ModelProvider } from '../wire/provider.js';
import { maskProviderKeys } from '../wire/redacting-provider.js';
import { defaultStallMs, sendCall } from '../wire/send-call.js';

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
  const stallMs = parseDuration(options.stallTimeout ?? defaultStallMs, 'stallTimeout');
  // Read once: the SDK, which is loaded later, gets what the name and the masks are made of.
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL } = process.env;
  const address = baseURL?.address ?? (ANTHROPIC_BASE_URL?.trim() || undefined);
  const key = apiKey ?? (ANTHROPIC_API_KEY?.trim() || undefined);
  const token = key === undefined ? ANTHROPIC_AUTH_TOKEN?.trim() || undefined : undefined;
  const load = loadOnce(async () => {
    const { createMessagesApi } = await import('./messages-api.js');
    return createMessagesApi({
      ...(address !== undefined && { baseURL: address }),
      ...(key !== undefined && { apiKey: key }),
      ...(token !== undefined && { authToken: token }),
      ...(baseURL !== undefined && { defaultHeaders: dropEnvironmentHeaders(headers, apiKey) }),
      fetch: limitErrorBodies(detectUnsentRequests(options.fetch ?? globalThis.fetch)),
    });
  });
  const keys = [key, token].filter((each) => each !== undefined);
  return maskProviderKeys([...keys, ...listHeaderValues(headers)], {
    name: options.name ?? getProviderName(parseBaseUrl(address ?? 'https://api.anthropic.com').host, 'model-server'),
    files: messagesFiles,
    structuredOutput: 'with_tools',
    countTokens: async (call, { signal }) => (await load()).countTokens(call, signal),
    call: (call, callOptions) => sendCall(async () => (await load()).wire, call, callOptions, stallMs),
  });
}
