/** A model call as a chain makes it, for tests of the provider. */

import { afterEach } from 'vitest';
import type { ModelFailure } from '../../src/core/model/fact.js';
import type { ModelRequest, Reply } from '../../src/core/model/model.js';
import type { AnthropicOptions, ModelSnapshot } from '../../src/index.js';
import { anthropicProvider } from '../../src/models/anthropic.js';
import type { ModelCall, ModelCallOptions, ModelCallResult } from '../../src/models/provider.js';
import { agentOf } from '../support/core-builders.js';
import {
  type MessagesServer,
  type MessagesServerOptions,
  type Script,
  startMessagesServer,
} from '../support/messages-server.js';

export const snapshot: ModelSnapshot = {
  ...agentOf().model,
  name: 'claude-sonnet-5-5',
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

export interface Changes {
  readonly request?: Partial<ModelRequest>;
  readonly model?: Partial<ModelSnapshot>;
  readonly maxTokens?: number;
  readonly options?: Partial<ModelCallOptions>;
  readonly provider?: AnthropicOptions;
}

const servers: MessagesServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Starts a scripted server. The end of the test closes it and checks that its script was used. */
export async function serve(script: Script, options?: MessagesServerOptions): Promise<MessagesServer> {
  const server = await startMessagesServer(script, options);
  servers.push(server);
  return server;
}

export function callAt(url: string, changes: Changes = {}): Promise<ModelCallResult> {
  const call: ModelCall = {
    request: { ...request, ...changes.request },
    model: { ...snapshot, ...changes.model },
    maxTokens: changes.maxTokens ?? 2_000,
  };
  const options: ModelCallOptions = {
    signal: new AbortController().signal,
    ...changes.options,
  };
  return anthropicProvider({ baseURL: url, apiKey: 'test', ...changes.provider }).call(call, options);
}

export async function replyAt(url: string, changes?: Changes): Promise<Reply> {
  const result = await callAt(url, changes);
  if (!result.ok) throw new Error(`no reply: ${JSON.stringify(result.failure)}`);
  return result.reply;
}

export async function failureAt(url: string, changes?: Changes): Promise<ModelFailure> {
  const result = await callAt(url, changes);
  if (result.ok) throw new Error(`no failure: ${JSON.stringify(result.reply)}`);
  return result.failure;
}
