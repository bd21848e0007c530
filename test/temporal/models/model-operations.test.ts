/** Calls of models as operations: hooks around all of them, a cache of replies, and answers that are streamed. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChainHandle, connect } from '../../../src/entries/client.js';
import { anthropicProvider, type HookedModelCall, wrapModels } from '../../../src/entries/models.js';
import { consensusTool, llmTool } from '../../../src/entries/tools.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, type Json } from '../../../src/index.js';
import { openStore } from '../../../src/store/db/open.js';
import { withWorker } from '../../support/chain-test.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { createGate } from '../../support/gate.js';
import { type RecordedRequest, startMessagesServer } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const own = 'claude-sonnet-5-5';
const fast = 'claude-haiku-5-5';
const strong = 'claude-opus-5-5';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhand-model-operations-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a cached reply answers an equal request of the tenant without a model, for nothing, and only where the model is allowed', async () => {
  const limits = { costUsd: 1 };
  const agent = defineAgent({
    name: 'clerk',
    model: own,
    strategy: 'tools',
    cacheReplies: '1h',
    onProviderError: 'fail',
    limits,
  });
  const store = await openStore(join(folder, 'store.db'));
  const replies = [{ text: 'The rent.', usage: { input: 500, output: 20 } }, { text: 'The tax.' }];
  try {
    await withWorker(
      { agents: [agent], replies, worker: { store } },
      async ({ longhand, models, startWorker, worker }) => {
        const play = async (tenant: string) => {
          const chain = await longhand.start(agent, 'What is due?', { tenant });
          return { chain, result: await chain.result() };
        };
        const first = await play('acme');
        const second = await play('acme');
        const other = await play('globex');
        expect([first, second, other].map(({ result }) => result.answer)).toEqual([
          'The rent.',
          'The rent.',
          'The tax.',
        ]);
        expect(models.requests).toHaveLength(2);
        expect(first.result.costUsd).toBeGreaterThan(0);
        expect(second.result).toMatchObject({ costUsd: 0, usage: { input: 0, output: 0 } });
        const [step] = (await second.chain.read()).steps;
        expect(step).toMatchObject({
          provider: 'anthropic',
          costUsd: 0,
          cached: { usage: { input: 500, output: 20 } },
        });
        expect((await first.chain.read()).steps[0]).not.toHaveProperty('cached');
        expect(await second.chain.readPrompt(1, createViewer('auditor'))).toMatchObject({
          kind: 'sent',
          proof: 'proven',
        });
        await worker.stop();
        await startWorker({ store, modelRules: [{ tenants: ['acme'], deny: { models: [own] } }] });
        const denied = await play('acme');
        expect(denied.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining('is rejected') });
      },
    );
  } finally {
    await store.close();
  }
});

it('hooks see the calls of the agent and of its tools, and the chain ends where one refuses', async () => {
  const agent = defineAgent({
    ...{ name: 'analyst', model: own, strategy: 'tools', onProviderError: 'fail', limits: { costUsd: 1 } },
    tools: [llmTool({ models: [fast], maxTokens: 600 })],
  });
  const asks = (prompt: string): ScriptedReply => ({
    text: 'I ask.',
    calls: [{ name: 'llm', input: { model: fast, prompt } }],
  });
  const scripts: { readonly [model: string]: ScriptedReply[] } = {
    [own]: [asks('What is due?'), asks('What is secret?')],
    [fast]: [{ text: 'The rent.' }],
  };
  const models = await startMessagesServer(
    ({ body }: RecordedRequest) => scripts[body.model]?.shift() ?? { text: 'None.' },
  );
  const seen: unknown[] = [];
  const before = ({ model, caller, request }: HookedModelCall) => {
    seen.push([model.id, caller?.agent, caller?.tenant]);
    return JSON.stringify(request.messages.at(-1)).includes('secret') ? { refuse: 'It asks for a secret.' } : undefined;
  };
  const providers = wrapModels([anthropicProvider({ baseURL: models.url, apiKey: 'test', name: 'anthropic' })], {
    before,
  });
  try {
    await withWorker({ agents: [agent], worker: { providers } }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Look', { tenant: 'acme' });
      const result = await chain.result();
      const calls = (await chain.read()).steps.flatMap((step) => step.calls);
      expect(calls).toMatchObject([
        { status: 'ok', observation: 'The rent.' },
        { status: 'error', observation: expect.stringContaining('is rejected by a hook: It asks for a secret') },
      ]);
      expect(calls[1]?.charges).toMatchObject([{ costUsd: 0, failure: 'not_allowed' }]);
      // The next request of the agent has the failure.
      expect(result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining('rejected by a hook') });
      const called = [own, fast, own, fast, own].map((id) => [id, 'analyst', 'acme']);
      expect(seen).toEqual(called);
      expect(models.requests).toHaveLength(3);
    });
  } finally {
    await models.close();
  }
});

it('the answers of llm and consensus are streamed to viewers of their results, masked as these', async () => {
  const words = 'The sky is grey over Paris and it rains in all streets. '.repeat(6);
  const canary = 'zoe@example.org is in Paris. ';
  const agent = defineAgent({
    ...{ name: 'analyst', model: own, strategy: 'tools', limits: { costUsd: 1 } },
    tools: [
      llmTool({ models: [fast], maxTokens: 600 }),
      consensusTool({ models: [fast, strong], rule: 'majority', maxTokens: 400 }),
    ],
  });
  const gates = [createGate(), createGate()] as const;
  const { channel: tokens, whenSubscribed } = createCountedChannel();
  const text = canary + words;
  const paused = (gate: (typeof gates)[number]): ScriptedReply => ({
    text,
    pausesAfter: { events: 20, until: gate.opened },
  });
  const scripts: { readonly [model: string]: ScriptedReply[] } = {
    [own]: [
      {
        text: 'I ask.',
        calls: [{ name: 'llm', input: { model: fast, prompt: 'What?' } }],
        waitsFor: whenSubscribed(3),
      },
      { text: 'I ask all.', calls: [{ name: 'consensus', input: { prompt: 'What?' } }] },
      { text: 'Done.' },
    ],
    [fast]: [paused(gates[0]), paused(gates[1])],
    [strong]: [{ text: 'It rains.' }],
  };
  const models = await startMessagesServer(
    ({ body }: RecordedRequest) => scripts[body.model]?.shift() ?? { text: 'None.' },
  );
  const providers = [anthropicProvider({ baseURL: models.url, apiKey: 'test', name: 'anthropic' })];
  try {
    await withWorker({ agents: [agent], worker: { providers, tokens } }, async ({ longhand, taskQueue }) => {
      const readers = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      try {
        const { chainId } = await longhand.start(agent, 'Look');
        const watch = async (role: string, onInterim: (call: string) => void = () => {}) => {
          const values: Record<string, Json[]> = {};
          const chain: ChainHandle = readers.getHandle(chainId);
          for await (const event of chain.watch(createViewer(role), { interim: true })) {
            if (event.type !== 'interim-result' || event.interim === null) continue;
            values[event.call] = [...(values[event.call] ?? []), event.interim.value];
            onInterim(event.call);
          }
          return values;
        };
        const [auditor, developer, endUser] = await Promise.all([
          watch('auditor', (call) => gates[call === '1.1' ? 0 : 1].open()),
          watch('developer'),
          watch('end_user'),
        ]);
        for (const value of auditor['1.1'] ?? []) expect(text.startsWith(String(value))).toBe(true);
        expect(auditor['1.1']?.length).toBeGreaterThan(0);
        expect(auditor['2.1']?.[0]).toMatchObject({
          answers: [{ models: [fast], answer: expect.stringContaining(canary) }],
        });
        expect(JSON.stringify(developer)).toContain('[redacted:email] is in Paris.');
        expect(JSON.stringify(developer)).not.toContain('zoe@');
        expect(endUser).toEqual({});
        const { steps } = await longhand.getHandle(chainId).read();
        expect(steps[0]?.calls[0]?.observation).toBe(text);
      } finally {
        await readers.close();
      }
    });
  } finally {
    await models.close();
  }
});
