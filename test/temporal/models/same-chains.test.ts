/** Chains do not depend on the wire of their provider: equal replies give equal steps. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import type { Longhand } from '../../../src/entries/client.js';
import { aiSdkProvider, type ModelProvider, openaiProvider } from '../../../src/entries/models.js';
import type { Json } from '../../../src/index.js';
import { versions } from '../../models/ai-sdk/call.js';
import { budget } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { startChatServer } from '../../support/chat-server.js';
import { startMessagesServer } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { readSteps, type ShortChain, tenChains } from '../../support/ten-chains.js';

const agents = [...new Set(tenChains.map(({ agent }) => agent))];
const model = 'claude-sonnet-5-5';

/** The chains of the AI SDK: in the short form every third one, which are one each of react, tools and plan. */
const someChains = tenChains.filter((_, at) => at % budget(3, 1) === budget(1, 0));

interface PlayedServer {
  readonly requests: readonly unknown[];
  readonly rejected: readonly string[];
  push(...replies: readonly ScriptedReply[]): void;
}

interface Played {
  readonly name: string;
  readonly read: Json;
  readonly steps: number;
  readonly outcome: string;
}

/** The ten chains over the Messages API, which are played once. */
let control: Promise<ReadonlyMap<string, Played>> | null = null;

describe('ten short chains', () => {
  it('have the same steps over the Messages API and over Chat Completions', async () => {
    const chat = await startChatServer([]);
    await expectSameSteps(tenChains, chat, openaiProvider({ baseURL: chat.url, apiKey: 'test' }));
    await chat.close();
  });

  it.each(versions)('have the same steps with Claude of AI SDK %s', async (_version, createModel) => {
    const server = await startMessagesServer([]);
    await expectSameSteps(someChains, server, aiSdkProvider({ [model]: createModel(server.url) }));
    await server.close();
  });

  it('have the same steps with a model of Chat Completions of the AI SDK', async () => {
    const chat = await startChatServer([]);
    const createModel = createOpenAICompatible({ name: 'local', baseURL: `${chat.url}/v1`, includeUsage: true });
    await expectSameSteps(someChains, chat, aiSdkProvider({ [model]: createModel(model) }));
    await chat.close();
  });
});

async function expectSameSteps(
  chains: readonly ShortChain[],
  server: PlayedServer,
  provider: ModelProvider,
): Promise<void> {
  control ??= playControl();
  const expected = await control;
  await withWorker({ agents, worker: { providers: [provider] } }, async ({ longhand }) => {
    for (const chain of chains) expect(await play(chain, longhand, server)).toEqual(expected.get(chain.name));
  });
}

function playControl(): Promise<ReadonlyMap<string, Played>> {
  return withWorker({ agents }, async ({ longhand, models }) => {
    const played = new Map<string, Played>();
    for (const chain of tenChains) played.set(chain.name, await play(chain, longhand, models));
    return played;
  });
}

async function play(given: ShortChain, longhand: Longhand, server: PlayedServer): Promise<Played> {
  const { name, agent, replies, outcome, answer } = given;
  server.push(...replies);
  const before = server.requests.length;
  const chain = await longhand.start(agent, 'What is there?');
  const result = await chain.result();
  expect({ name, ...result }).toMatchObject({ name, outcome, ...(answer === undefined ? {} : { answer }) });
  expect([name, server.rejected, server.requests.length - before]).toEqual([name, [], replies.length]);
  return { name, read: await readSteps(chain), steps: result.steps, outcome: result.outcome };
}
