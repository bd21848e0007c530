/** A call that one model fails goes to the agent's next one at once: two providers, each over its real wire. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { anthropicProvider, openaiProvider } from '../../../src/entries/models.js';
import type { LonghandWorkerOptions } from '../../../src/entries/worker.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { listReasoning, startChatServer } from '../../support/chat-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';

const overloaded: ScriptedReply = { status: 529 };
const unknownModel: ScriptedReply = { status: 404, error: { type: 'not_found_error', message: 'model: no such one' } };

/** Runs the body with a worker whose providers are `anthropic` and `openai`. */
async function withProviders(
  agent: ReturnType<typeof defineAgent>,
  replies: { readonly anthropic: readonly ScriptedReply[]; readonly openai: readonly ScriptedReply[] },
  body: (test: ChainTest & { readonly chat: Awaited<ReturnType<typeof startChatServer>> }) => Promise<void>,
  worker: Partial<LonghandWorkerOptions> = {},
): Promise<void> {
  const chat = await startChatServer([...replies.openai]);
  try {
    await withWorker({ agents: [agent], replies: [...replies.anthropic] }, async (test) => {
      await test.worker.stop();
      const anthropic = anthropicProvider({ name: 'anthropic', baseURL: test.models.url, apiKey: 'test' });
      const openai = openaiProvider({ name: 'openai', baseURL: chat.url, apiKey: 'test' });
      await test.startWorker({ providers: [anthropic, openai], ...worker });
      await body({ ...test, chat });
    });
  } finally {
    await chat.close();
  }
}

async function readRoutes(chain: ChainHandle) {
  const { steps } = await chain.read();
  return steps.map(({ provider, route }) => [provider, route?.model, route?.after?.failure]);
}

it('an overload in the middle of a tool turn: no wait, no thinking of another provider, and the chain shows it', async () => {
  const agent = defineAgent({
    name: 'clerk',
    model: 'claude-sonnet-5-5',
    fallbacks: ['openai/claude-opus-5-5'],
    tools: [note],
  });
  const replies = {
    anthropic: [
      { thinking: 'I note it.', calls: [{ name: 'note', input: { text: 'one' } }] },
      overloaded,
      { text: 'All noted.' },
    ],
    openai: [{ thinking: 'Once more.', calls: [{ name: 'note', input: { text: 'two' } }] }],
  };
  await withProviders(agent, replies, async ({ longhand, models, chat }) => {
    const chain = await longhand.start(agent, 'Note twice.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All noted.', steps: 3 });
    expect(await readRoutes(chain)).toEqual([
      ['anthropic', 'claude-sonnet-5-5', undefined],
      ['openai', 'openai/claude-opus-5-5', 'overloaded'],
      ['anthropic', 'claude-sonnet-5-5', undefined],
    ]);
    const [asked] = chat.requests;
    expect(asked?.body.model).toBe('claude-opus-5-5');
    expect(JSON.stringify(asked?.body)).toContain('noted: one');
    expect(JSON.stringify(asked?.body)).not.toContain('I note it.');
    expect(listReasoning(asked?.body ?? {})).toEqual([]);
    // Back at the first provider: its own thinking, and only that.
    const last = JSON.stringify(models.requests.at(-1)?.body);
    expect(last).toContain('I note it.');
    expect(last).not.toContain('Once more.');
    const { state, steps } = await chain.read();
    expect(steps[1]?.costUsd).toBeGreaterThan(0);
    expect(state.charged.usd).toBeCloseTo(
      steps.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
      9,
    );
    const { notices } = await chain.read();
    expect(notices.map(({ code }) => code)).toEqual(['model_fallback']);
  });
});

it('an unknown model, by choice of a policy: the next model answers, and the reason is in the chain', async () => {
  const agent = defineAgent({
    name: 'clerk',
    model: 'claude-sonnet-5-5',
    fallbacks: ['openai/claude-haiku-5-5'],
    route: ({ models, failures }) =>
      failures.length > 0 ? { model: 'invented' } : { model: models[0] ?? '', reason: 'the plain one' },
  });
  await withProviders(agent, { anthropic: [unknownModel], openai: [{ text: 'Here.' }] }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Answer.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Here.' });
    const [step] = (await chain.read()).steps;
    expect(step?.route).toMatchObject({
      model: 'openai/claude-haiku-5-5',
      provider: 'openai',
      id: 'claude-haiku-5-5',
      role: 'reasoner',
      after: { model: 'claude-sonnet-5-5', failure: 'not_found' },
      reason: 'The route policy chose invented, which this call cannot use; expected openai/claude-haiku-5-5.',
    });
  });
});

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file of a patient',
  inputSchema: z.object({}),
  effects: 'read',
  dataClass: 'health',
  execute: () => 'a cold',
});

const models = {
  cloud: { provider: 'anthropic', id: 'claude-sonnet-5-5', region: 'us' },
  house: { provider: 'openai', id: 'claude-haiku-5-5', region: 'eu', dataClasses: ['health'] },
};

it('data of a class goes only to a model that may see it, from the result on that has it', async () => {
  const agent = defineAgent({ name: 'clerk', model: 'cloud', fallbacks: ['house'], tools: [readFile] });
  const replies = {
    anthropic: [{ calls: [{ name: 'read_file', input: {} }] }],
    openai: [{ text: 'It is a cold.' }],
  };
  await withProviders(
    agent,
    replies,
    async ({ longhand, models: cloud }) => {
      const chain = await longhand.start(agent, 'What does the patient have?');
      expect(await chain.result()).toMatchObject({ answer: 'It is a cold.', dataClasses: ['health'] });
      expect(await readRoutes(chain)).toEqual([
        ['anthropic', 'cloud', undefined],
        ['openai', 'house', 'data_class'],
      ]);
      expect(cloud.requests).toHaveLength(1);
      const held = await longhand.start(agent, 'And this one?', { dataClass: ['health', 'secret'] });
      const readFailing = async () => (await held.read()).state.failing;
      await expect.poll(readFailing).toMatchObject({ held: true, failure: 'data_class' });
      expect((await readFailing())?.message).toContain(
        'cloud (us) may not see data of the classes health, secret; house (eu) may not see data of the class secret.',
      );
      expect(cloud.requests).toHaveLength(1);
      await held.cancel({ reason: 'seen' });
      await held.result();
    },
    { models },
  );
});

it('data that a detector finds in a result, also a function of the worker, goes only to a model that may see it', async () => {
  const readMail = defineTool({
    name: 'read_mail',
    description: 'Reads a mail',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => ({ from: 'ann@example.com', text: 'I have a cold.' }),
  });
  const agent = defineAgent({ name: 'clerk', model: 'cloud', fallbacks: ['house'], tools: [readMail] });
  const replies = {
    anthropic: [{ calls: [{ name: 'read_mail', input: {} }] }],
    openai: [{ text: 'She has a cold.' }],
  };
  const detect = [
    { dataClass: 'personal', find: 'redactor' },
    { dataClass: 'health', find: (text: string) => text.includes('cold') },
  ] as const;
  const both = { ...models, house: { ...models.house, dataClasses: ['health', 'personal'] } };
  await withProviders(
    agent,
    replies,
    async ({ longhand, models: cloud }) => {
      const chain = await longhand.start(agent, 'What does she write?');
      expect(await chain.result()).toMatchObject({ answer: 'She has a cold.', dataClasses: ['health', 'personal'] });
      expect(await readRoutes(chain)).toEqual([
        ['anthropic', 'cloud', undefined],
        ['openai', 'house', 'data_class'],
      ]);
      expect(JSON.stringify(cloud.requests)).not.toContain('ann@example.com');
    },
    { models: both, detect },
  );
});

it('a model that a rule of the worker denies is not called, and the chain shows why', async () => {
  const agent = defineAgent({ name: 'clerk', model: 'cloud', fallbacks: ['house'] });
  const modelRules = [{ tenants: ['acme'], allow: { regions: ['eu'] } }];
  await withProviders(
    agent,
    { anthropic: [{ text: 'From the cloud.' }], openai: [{ text: 'From the house.' }] },
    async ({ longhand }) => {
      const ruled = await longhand.start(agent, 'Answer.', { tenant: 'acme' });
      expect(await ruled.result()).toMatchObject({ answer: 'From the house.' });
      expect((await ruled.read()).notices).toMatchObject([
        { code: 'model_fallback', text: expect.stringContaining('cloud (us) is rejected: region us is not allowed') },
      ]);
      const free = await longhand.start(agent, 'Answer.', { tenant: 'other' });
      expect(await free.result()).toMatchObject({ answer: 'From the cloud.' });
    },
    { models, modelRules },
  );
});
