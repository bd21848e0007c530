/** Several providers in one worker, over their real wires: each chain calls that of its model, and shows it. */

import { expect, it } from 'vitest';
import type { ChainHandle } from '../../../src/entries/client.js';
import { anthropicProvider, balancedProvider, openaiProvider } from '../../../src/entries/models.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { startChatServer } from '../../support/chat-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';
import { stickyQueueScheduleToStartTimeout } from '../../support/worker-process.js';

const clerk = defineAgent({ name: 'clerk', model: 'openai/gpt-x' });
const writer = defineAgent({ name: 'writer', model: 'gpt-x', tools: [note] });

const readModel = async (chain: ChainHandle) => {
  const { state, steps } = await chain.read();
  return [state.agent?.model, steps.map(({ provider, model }) => [provider, model])];
};

it('a worker with two providers calls that of each chain, and the chain shows provider and model', async () => {
  const chat = await startChatServer([{ text: 'From chat.' }]);
  try {
    const openai = openaiProvider({ name: 'openai', baseURL: chat.url, apiKey: 'test' });
    await withWorker(
      { agents: [clerk], replies: [{ text: 'From messages.' }] },
      async ({ longhand, models, ...test }) => {
        await test.worker.stop();
        const anthropic = anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' });
        await test.startWorker({
          providers: [anthropic, openai],
          models: { cheap: { provider: 'openai', id: 'gpt-x', region: 'eu', price: { input: 1, output: 2 } } },
        });
        const chatted = await longhand.start(clerk, 'Greet me.', { model: 'cheap' });
        expect(await chatted.result()).toMatchObject({ answer: 'From chat.' });
        const sent = await longhand.start(clerk, 'Greet me.', { model: 'claude-sonnet-5-5' });
        expect(await sent.result()).toMatchObject({ answer: 'From messages.' });
        expect(chat.requests.map(({ body }) => body.model)).toEqual(['gpt-x']);
        expect(models.requests.map(({ body }) => body.model)).toEqual(['claude-sonnet-5-5']);
        expect(await readModel(chatted)).toEqual([
          expect.objectContaining({
            ...{ name: 'cheap', provider: 'openai', id: 'gpt-x' },
            price: { input: 1e-6, output: 2e-6, cacheRead: 1e-6, cacheWrite: 1e-6 },
          }),
          [['openai', expect.any(String)]],
        ]);
        expect((await chatted.read()).steps).toMatchObject([{ region: 'eu' }]);
        expect(await readModel(sent)).toEqual([
          expect.objectContaining({ name: 'claude-sonnet-5-5', provider: 'anthropic', id: 'claude-sonnet-5-5' }),
          [['anthropic', expect.any(String)]],
        ]);
      },
    );
  } finally {
    await chat.close();
  }
});

it('a call whose worker lacks the provider goes back to the queue, for one that has it, and costs nothing', async () => {
  const chat = await startChatServer([{ text: 'Found.' }]);
  try {
    await withWorker(
      { agents: [clerk], replies: [{ hang: true }] },
      async ({ longhand, worker, startWorker, models }) => {
        const other = anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' });
        await worker.stop();
        // Prepares the chain, and leaves after a failed call.
        const leaving = await startWorker({
          // The server would offer it the chain's next workflow task for ten seconds.
          temporal: { stickyQueueScheduleToStartTimeout },
          providers: [
            {
              name: 'openai',
              call: async () => {
                leaving.shutdown();
                // The server may give a task to a worker that is just leaving, which loses it.
                const failure = { kind: 'overloaded', message: 'later', status: 529, retryAfterMs: 1_500 } as const;
                return { ok: false, failure: { ...failure, settle: 'nothing', usage: null } };
              },
            },
            other,
          ],
        });
        const chain = await longhand.start(clerk, 'Greet me.');
        await leaving.run();
        // It stays: a task that the server gives to a worker that leaves would be lost.
        await startWorker({ providers: [other], temporal: { maxConcurrentActivityTaskExecutions: 1 } });
        const read = async () => await chain.read();
        await expect
          .poll(async () => (await read()).notices.at(-1))
          .toMatchObject({ code: 'requeued', text: expect.stringContaining('the model provider openai') });
        expect((await read()).state.charged.tokens).toBe(0);
        // A call that hangs keeps it from taking the other one again, which would double the wait each time.
        const hanging = await longhand.start(clerk, 'Greet me.', { model: 'claude-sonnet-5-5' });
        await expect.poll(() => models.requests.length, { timeout: 20_000 }).toBe(1);
        await startWorker({
          providers: [openaiProvider({ name: 'openai', baseURL: chat.url, apiKey: 'test' }), other],
        });
        expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Found.' });
        await hanging.cancel({ by: 'ana' });
        await hanging.result();
        expect((await read()).state.reservedCharges.calls).toBe(0);
      },
    );
  } finally {
    await chat.close();
  }
});

it('a call that its endpoint rejects goes to the other one without a retry, and the chain shows which one answered', async () => {
  const replies: ScriptedReply[] = [
    { calls: [{ name: 'note', input: { text: 'one' } }] },
    { status: 529 },
    { text: 'Noted.' },
  ];
  const script = () => replies.shift() ?? { text: 'One reply too many.' };
  const servers = { east: await startChatServer(script), west: await startChatServer(script) };
  try {
    await withWorker({ agents: [writer] }, async ({ longhand, worker, startWorker }) => {
      await worker.stop();
      const endpoints = Object.entries(servers).map(([name, { url }]) => {
        return { provider: openaiProvider({ name, baseURL: url, apiKey: 'test' }) };
      });
      await startWorker({ providers: [balancedProvider({ name: 'azure', endpoints })] });
      const chain = await longhand.start(writer, 'Note once.');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Noted.' });
      const { steps, notices } = await chain.read();
      expect(steps.map(({ provider }) => provider)).toEqual(['azure', 'azure']);
      expect(steps.map(({ endpoint }) => endpoint).sort()).toEqual(['east', 'west']);
      expect(notices).toEqual([]);
    });
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.close()));
  }
});
