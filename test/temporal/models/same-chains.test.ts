/** Chains do not depend on the wire of their provider: equal replies give equal steps. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import { aiSdkProvider, type ModelProvider, openaiProvider } from '../../../src/index.js';
import { versions } from '../../models/ai-sdk/call.js';
import { withWorker } from '../../support/chain-test.js';
import { startChatServer } from '../../support/chat-server.js';
import { startMessagesServer } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { readSteps, tenChains } from '../../support/ten-chains.js';

const agents = [...new Set(tenChains.map(({ agent }) => agent))];
const model = 'claude-sonnet-5-5';

interface PlayedServer {
  readonly requests: readonly unknown[];
  readonly rejected: readonly string[];
  push(...replies: readonly ScriptedReply[]): void;
}

describe('ten short chains', () => {
  it('have the same steps over the Messages API and over Chat Completions', async () => {
    const chat = await startChatServer([]);
    await expectSameSteps(chat, openaiProvider({ baseURL: chat.url, apiKey: 'test' }));
    await chat.close();
  });

  it.each(versions)('have the same steps with Claude of AI SDK %s', async (_version, createModel) => {
    const server = await startMessagesServer([]);
    await expectSameSteps(server, aiSdkProvider({ [model]: createModel(server.url) }));
    await server.close();
  });

  it('have the same steps with a model of Chat Completions of the AI SDK', async () => {
    const chat = await startChatServer([]);
    const createModel = createOpenAICompatible({ name: 'local', baseURL: `${chat.url}/v1`, includeUsage: true });
    await expectSameSteps(chat, aiSdkProvider({ [model]: createModel(model) }));
    await chat.close();
  });
});

async function expectSameSteps(other: PlayedServer, provider: ModelProvider): Promise<void> {
  await withWorker({ agents }, async (messages) => {
    await withWorker({ agents, worker: { providers: [provider] } }, async ({ longhand: withProvider }) => {
      for (const { name, agent, replies, outcome, answer } of tenChains) {
        const played = [];
        for (const { longhand, server } of [
          { longhand: messages.longhand, server: messages.models },
          { longhand: withProvider, server: other },
        ]) {
          server.push(...replies);
          const before = server.requests.length;
          const chain = await longhand.start(agent, 'What is there?');
          const result = await chain.result();
          expect({ name, ...result }).toMatchObject({ name, outcome, ...(answer === undefined ? {} : { answer }) });
          expect([name, server.rejected, server.requests.length - before]).toEqual([name, [], replies.length]);
          played.push({ name, read: await readSteps(chain), steps: result.steps, outcome: result.outcome });
        }
        expect(played[1]).toEqual(played[0]);
      }
    });
  });
}
