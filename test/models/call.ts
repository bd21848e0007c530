/** A model call as a chain makes it, for tests of providers. */

import { afterEach } from 'vitest';
import type { ModelFailure } from '../../src/core/model/fact.js';
import type { ModelRequest, Reply } from '../../src/core/model/model.js';
import type { AnthropicOptions, ModelProvider, OpenaiOptions } from '../../src/entries/models.js';
import type { ModelSnapshot } from '../../src/index.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { openaiProvider } from '../../src/models/openai/provider.js';
import type { ModelCall, ModelCallOptions, ModelCallResult } from '../../src/models/wire/provider.js';
import { type ChatServer, startChatServer } from '../support/chat-server.js';
import { agentOf } from '../support/core-builders.js';
import {
  type MessagesServer,
  type MessagesServerOptions,
  type Script,
  startMessagesServer,
} from '../support/messages-server.js';
import type { Script as ModelScript, ModelServerOptions } from '../support/model-server.js';

export const snapshot: ModelSnapshot = {
  ...agentOf().model,
  name: 'claude-sonnet-5-5',
  provider: 'anthropic',
  id: 'claude-sonnet-5-5',
  price: null,
  timeoutMs: 60_000,
};

export const request: ModelRequest = {
  system: 'You compare weather.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Paris?' }] }],
  tools: [],
  toolChoice: 'auto',
  stopSequences: [],
};

/** What a call has other than the default. */
export interface CallChanges {
  readonly request?: Partial<ModelRequest>;
  readonly model?: Partial<ModelSnapshot>;
  readonly maxTokens?: number;
  readonly options?: Partial<ModelCallOptions>;
}

export interface Changes extends CallChanges {
  readonly provider?: AnthropicOptions;
}

export interface ChatChanges extends CallChanges {
  readonly provider?: OpenaiOptions;
}

const servers: { readonly close: () => Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** The end of the test closes the server and checks that its script was used. */
export async function closeAtEnd<Server extends { readonly close: () => Promise<void> }>(
  starting: Promise<Server>,
): Promise<Server> {
  const server = await starting;
  servers.push(server);
  return server;
}

export function serve(script: Script, options?: MessagesServerOptions): Promise<MessagesServer> {
  return closeAtEnd(startMessagesServer(script, options));
}

export function serveChat(script: ModelScript, options?: ModelServerOptions): Promise<ChatServer> {
  return closeAtEnd(startChatServer(script, options));
}

export function callProvider(provider: ModelProvider, changes: CallChanges = {}): Promise<ModelCallResult> {
  const call: ModelCall = {
    request: { ...request, ...changes.request },
    model: { ...snapshot, id: changes.model?.name ?? snapshot.id, ...changes.model },
    maxTokens: changes.maxTokens ?? 2_000,
  };
  return provider.call(call, { signal: new AbortController().signal, ...changes.options });
}

export function toReply(result: ModelCallResult): Reply {
  if (!result.ok) throw new Error(`no reply: ${JSON.stringify(result.failure)}`);
  return result.reply;
}

export function toFailure(result: ModelCallResult): ModelFailure {
  if (result.ok) throw new Error(`no failure: ${JSON.stringify(result.reply)}`);
  return result.failure;
}

export function callAt(url: string, changes: Changes = {}): Promise<ModelCallResult> {
  return callProvider(anthropicProvider({ baseURL: url, apiKey: 'test', ...changes.provider }), changes);
}

export async function replyAt(url: string, changes?: Changes): Promise<Reply> {
  return toReply(await callAt(url, changes));
}

export async function failureAt(url: string, changes?: Changes): Promise<ModelFailure> {
  return toFailure(await callAt(url, changes));
}

export function callChat(url: string, changes: ChatChanges = {}): Promise<ModelCallResult> {
  return callProvider(openaiProvider({ baseURL: url, apiKey: 'test', ...changes.provider }), changes);
}
