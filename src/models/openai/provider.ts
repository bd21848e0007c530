/**
 * Model provider for the Chat Completions API: OpenAI, Azure, and compatible servers (Gemini, Mistral, OpenRouter, vLLM,
 * llama.cpp, Ollama, LiteLLM's proxy). One call is one request: the chain retries, the SDK must not. The SDK is loaded with the first
 * call.
 */

import { LonghandError, loadOnce } from '../../core/lib/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { detectUnsentRequests, getProviderName, parseChatUrl } from '../wire/connection.js';
import { dropEnvironmentHeaders, listHeaderValues, removeScheme } from '../wire/environment-headers.js';
import { wrapErrorBodies } from '../wire/error-bodies.js';
import type { ModelProvider } from '../wire/provider.js';
import { maskProviderKeys } from '../wire/redacting-provider.js';
import { defaultStallMs, sendCall } from '../wire/send-call.js';
import { describeChatServer } from './server.js';

export interface OpenaiOptions {
  /**
   * Its name among the providers of a worker, in facts and telemetry. Default: that of a known service (`openai`, `gemini`,
   * `mistral`, `openrouter`, `groq`, `deepseek`, `xai`, `azure`), else
   * `chat-server`. Running chains look for the provider by its name.
   */
  readonly name?: string | undefined;
  /**
   * Address of a server of the Chat Completions API, such as `https://openrouter.ai/api/v1`; `/chat/completions` may be left
   * out, and `/v1` where it is the whole path.
   */
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
  /**
   * Azure's `api-version`. The model's name is then that of the deployment in
   * `https://<resource>.openai.azure.com/openai`, and the key is sent as `api-key`. Azure's address that ends with
   * `/openai/v1` needs none.
   */
  readonly apiVersion?: string | undefined;
  /** Organization of the account, for keys that belong to several. Default: `OPENAI_ORG_ID`, without a `baseURL`. */
  readonly organization?: string | undefined;
  /** More headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Member of the request for the limit of output tokens. Default by address: the newer name for OpenAI and Azure. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /**
   * Requests that may carry an output schema. Default by address: all requests to OpenAI and Azure; requests without tools to
   * other servers, of which many cannot combine the two.
   */
  readonly structuredOutput?: 'with_tools' | 'without_tools' | undefined;
  /** Time without an event before a call fails as stalled: milliseconds or `'90s'`. Default two minutes. */
  readonly stallTimeout?: Duration | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Creates a provider for the Chat Completions API. Without an address, the SDK reads `OPENAI_BASE_URL`, and without a key
 * `OPENAI_API_KEY`. With an address but no key, a placeholder is sent, so that the key of one server never reaches another.
 *
 * @throws {LonghandError} `model_not_configured` without a key, or when `baseURL` is not an http address;
 *   `invalid_options`
 * @example
 * await runWorker({ agents: [meteorologist], providers: [openaiProvider({ baseURL: 'http://127.0.0.1:11434' })] });
 */
export function openaiProvider(options: OpenaiOptions = {}): ModelProvider {
  const stallMs = parseDuration(options.stallTimeout ?? defaultStallMs, 'stallTimeout');
  const settings = toClientSettings(options);
  const { host } = new URL(settings.baseURL);
  const described = describeChatServer(host);
  const server = { ...described, maxTokensField: options.maxTokensField ?? described.maxTokensField };
  const load = loadOnce(async () => {
    const { createChatWire } = await import('./chat-wire.js');
    return createChatWire(settings, options.apiVersion, server);
  });
  return maskProviderKeys(listKeys(settings.apiKey, options), {
    name: options.name ?? getProviderName(host, 'chat-server'),
    files: server.files,
    structuredOutput: options.structuredOutput ?? server.structuredOutput,
    call: (call, callOptions) => sendCall(load, call, callOptions, stallMs),
  });
}

/** The options of the SDK's client. */
function toClientSettings(options: OpenaiOptions) {
  const baseURL = options.baseURL ?? (process.env.OPENAI_BASE_URL?.trim() || undefined);
  const isOwn = options.baseURL !== undefined;
  const apiKey = options.apiKey?.trim() || (isOwn ? 'none' : process.env.OPENAI_API_KEY?.trim() || undefined);
  if (apiKey === undefined) {
    const message = 'The key of the Chat Completions API is missing. Set OPENAI_API_KEY, or pass apiKey or baseURL.';
    throw new LonghandError('model_not_configured', message);
  }
  const { apiVersion } = options;
  if (apiVersion === '') {
    throw new LonghandError('model_not_configured', 'apiVersion is empty. Omit it, or set it to that of Azure.');
  }
  if (apiVersion !== undefined && baseURL === undefined) {
    const message = `apiVersion is "${apiVersion}", but baseURL is missing. Set it to https://<resource>.openai.azure.com/openai.`;
    throw new LonghandError('model_not_configured', message);
  }
  return {
    apiKey,
    baseURL: baseURL === undefined ? 'https://api.openai.com/v1' : parseChatUrl(baseURL).address,
    // Those of OpenAI from the environment are for OpenAI only.
    organization: options.organization ?? (isOwn ? null : (process.env.OPENAI_ORG_ID ?? null)),
    project: isOwn ? null : (process.env.OPENAI_PROJECT_ID ?? null),
    adminAPIKey: null,
    defaultHeaders: {
      ...(isOwn && dropEnvironmentHeaders(process.env.OPENAI_CUSTOM_HEADERS, apiKey)),
      ...options.headers,
    },
    fetch: wrapErrorBodies(detectUnsentRequests(options.fetch ?? globalThis.fetch)),
  };
}

/** The key, and the values of headers that may be keys. */
function listKeys(apiKey: string, { headers = {} }: OpenaiOptions): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name));
  const values = secret.map(([, value]) => removeScheme(value));
  return [apiKey, ...values, ...listHeaderValues(process.env.OPENAI_CUSTOM_HEADERS)];
}
