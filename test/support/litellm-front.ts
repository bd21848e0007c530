/** LiteLLM's proxy in front of a scripted model of each API, for the tests of a file. Called in a suite. */

import { afterAll, beforeAll, expect } from 'vitest';
import { anthropicProvider, type ModelProvider, openaiProvider } from '../../src/entries/models.js';
import { startChatServer } from './chat-server.js';
import { type LitellmProxy, startLitellm } from './litellm.js';
import { startMessagesServer } from './messages-server.js';
import type { ModelServer } from './model-server.js';

export type Wire = 'Messages' | 'Chat Completions';

/** Names of the proxy's models: what answers behind them. */
export type Upstream = 'claude' | 'gpt';

/** Each API in front of each API: the proxy passes on, or translates. */
export const ways: readonly (readonly [Wire, Upstream])[] = [
  ['Messages', 'claude'],
  ['Messages', 'gpt'],
  ['Chat Completions', 'claude'],
  ['Chat Completions', 'gpt'],
];

/** The models that they are, as the proxy names them. */
export const exactNames = { claude: 'anthropic/claude-sonnet-5-5', gpt: 'openai/gpt-scripted' } as const;

export interface UpstreamServer {
  readonly requests: readonly { readonly body: object }[];
  readonly rejected: readonly string[];
  readonly push: ModelServer['push'];
}

export interface LitellmFront {
  readonly proxy: LitellmProxy;
  readonly upstreams: Readonly<Record<Upstream, UpstreamServer>>;
  readonly createProvider: (wire: Wire, apiKey?: string) => ModelProvider;
}

/** Returns what is started before the first test of the suite. */
export function useLitellm(): () => LitellmFront {
  let front: LitellmFront | null = null;
  let closeAll = async () => {};
  beforeAll(async () => {
    const messages = await startMessagesServer([]);
    const chat = await startChatServer([], { behindLitellm: true });
    const proxy = await startLitellm(toConfig(messages.url, chat.url));
    const createProvider = (wire: Wire, apiKey = proxy.masterKey) =>
      (wire === 'Messages' ? anthropicProvider : openaiProvider)({ baseURL: proxy.url, apiKey });
    front = { proxy, upstreams: { claude: messages, gpt: chat }, createProvider };
    closeAll = async () => {
      await proxy.stop();
      await Promise.all([messages.close(), chat.close()]);
    };
  });
  afterAll(async () => {
    const { proxy, upstreams } = front ?? {};
    await closeAll();
    expect([proxy?.outside, upstreams?.claude.rejected, upstreams?.gpt.rejected]).toEqual([[], [], []]);
  });
  return () => {
    if (front === null) throw new Error('The proxy is not started yet.');
    return front;
  };
}

function toConfig(messagesUrl: string, chatUrl: string) {
  const claude = { model: exactNames.claude, api_base: messagesUrl, api_key: 'sk-upstream' };
  // The proxy passes this member of the Messages API on, and OpenAI rejects it.
  const upstream = { api_base: `${chatUrl}/v1`, api_key: 'sk-upstream' };
  const gpt = { model: exactNames.gpt, ...upstream };
  // A port that nothing listens on.
  const nowhere = { ...claude, api_base: 'http://127.0.0.1:9' };
  const models = {
    claude,
    gpt,
    nowhere,
    'claude-or-gpt': claude,
    mock: { model: 'openai/mock', api_key: 'sk-none', mock_response: 'Hello from the proxy.' },
  };
  return {
    model_list: Object.entries(models).map(([name, params]) => ({ model_name: name, litellm_params: params })),
    // The chain retries. Without the third setting, the proxy calls models of OpenAI over the Responses API.
    litellm_settings: { num_retries: 0, drop_params: true, use_chat_completions_url_for_anthropic_messages: true },
    // A failed model is not left out for a while: each test has its own failures.
    router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ 'claude-or-gpt': ['gpt'] }] },
  };
}
