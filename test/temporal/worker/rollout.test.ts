/**
 * Rolling out a version over one task queue: a worker that lacks the agent or a tool of a chain puts its operations back
 * into the queue, and a worker that has them makes them.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readChain } from '../../../src/client/read/read-chain.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { anthropicProvider, type ModelProvider } from '../../../src/entries/models.js';
import { type Agent, defineAgent, defineTool, type Json, type Tool } from '../../../src/index.js';
import { describeLong } from '../../support/budget.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';

const createAgent = (name: string, ...tools: readonly Tool[]): Agent =>
  defineAgent({ name, model: 'claude-sonnet-5-5', strategy: 'tools', tools });

/** An unsafe tool that may pay 100 without approval, and the payments that it made. */
function createPayTool() {
  const paid: string[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ to: z.string(), amount: z.number() }),
    effects: 'unsafe',
    approval: ({ input }) => input.amount > 100,
    execute: ({ to, amount }) => {
      paid.push(to);
      return `paid ${amount} to ${to}`;
    },
  });
  return { tool, paid };
}

const pay = (input: Json): ScriptedReply => ({ text: 'I pay.', calls: [{ name: 'pay', input }] });
const done: ScriptedReply = { text: 'All done.' };

const readNotices = async (chain: ChainHandle) => (await chain.read()).notices.map(({ code }) => code);
const readCalls = async (chain: ChainHandle) => (await chain.read()).steps.flatMap(({ calls }) => calls);

/** Stops the first worker, and lets one with the agent make one model call. */
async function makeOneModelCall(test: ChainTest, start: () => Promise<ChainHandle>): Promise<ChainHandle> {
  await test.worker.stop();
  const answering = anthropicProvider({ baseURL: test.models.url, apiKey: 'test' });
  const call: ModelProvider['call'] = async (...args) => {
    const replied = await answering.call(...args);
    leaving.shutdown();
    return replied;
  };
  const leaving = await test.startWorker({ providers: [{ name: 'anthropic', call }] });
  const chain = await start();
  await leaving.run();
  return chain;
}

describe('a new agent, rolled out over one task queue', () => {
  it('loses nothing while an old and a new worker run: each step is made once and nothing fails', async () => {
    const { tool, paid } = createPayTool();
    const old = createAgent('old', note);
    const fresh = createAgent('fresh', tool, note);
    // Each chain pays, notes, and answers.
    const reply = ({ body }: RecordedRequest): ScriptedReply => {
      const results = JSON.stringify(body).match(/"tool_result"/g)?.length ?? 0;
      const to = /order \d+/.exec(JSON.stringify(body.messages))?.[0] ?? '';
      if (results === 0) return pay({ to, amount: 7 });
      return results === 1 ? { text: 'I note it.', calls: [{ name: 'note', input: { text: to } }] } : done;
    };
    await withWorker({ agents: [fresh], replies: reply }, async (test) => {
      await test.worker.stop();
      await test.startWorker({ agents: [old] });
      const orders = Array.from({ length: 6 }, (_, at) => `order ${at}`);
      const chains = await Promise.all(orders.map((order) => test.longhand.start(fresh, `Pay ${order}.`)));
      // The old worker has taken each preparation, and cannot make it.
      await Promise.all(chains.map((chain) => expect.poll(() => readNotices(chain)).toEqual(['requeued'])));
      await test.startWorker();
      const results = await Promise.all(chains.map((chain) => chain.result()));
      for (const result of results) expect(result).toMatchObject({ outcome: 'success', steps: 3, answer: 'All done.' });
      expect([...paid].sort()).toEqual([...orders].sort());
      expect(test.models.requests).toHaveLength(3 * orders.length);
      for (const chain of chains) {
        expect((await readCalls(chain)).map(({ status }) => status)).toEqual(['ok', 'ok']);
        expect(new Set(await readNotices(chain))).toEqual(new Set(['requeued']));
      }
    });
  });
});

describe('a worker whose agent lacks a tool of the chain', () => {
  it('puts the call back, also of an unsafe tool: another worker runs it once, and the model sees no error', async () => {
    const { tool, paid } = createPayTool();
    const agent = createAgent('payer', tool);
    await withWorker({ agents: [agent], replies: [pay({ to: 'ann', amount: 7 }), done] }, async (test) => {
      const chain = await makeOneModelCall(test, () => test.longhand.start(agent, 'Pay ann'));
      const without = await test.startWorker({ agents: [createAgent('payer', note)] });
      await expect.poll(() => readNotices(chain)).toEqual(['requeued']);
      expect(paid).toEqual([]);
      await test.startWorker();
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
      await without.stop();
      expect(await readCalls(chain)).toMatchObject([{ status: 'ok', observation: 'paid 7 to ann' }]);
      expect(paid).toEqual(['ann']);
      const { attempts } = await readChain(await resolveChainSource(test.longhand.client, chain.chainId));
      expect(attempts.get('1.1')).toMatchObject({ made: 1, lastFailure: null });
    });
  });

  it('L5: puts back a call of which another worker made an attempt; where the tool is unsafe now, a person decides', async () => {
    const leave: (() => void)[] = [];
    const createPay = (effects: 'idempotent' | 'unsafe', execute: () => string) =>
      defineTool({ name: 'pay', description: 'Pays', inputSchema: z.object({ to: z.string() }), effects, execute });
    const leaving = createPay('idempotent', () => {
      for (const each of leave) each();
      throw new Error('The connection was cut after the payment.');
    });
    const paid: string[] = [];
    const unsafe = createPay('unsafe', () => `paid ${paid.push('ann')}`);
    const agent = createAgent('payer', leaving);
    await withWorker({ agents: [agent], replies: [pay({ to: 'ann' }), done] }, async (test) => {
      leave.push(() => test.worker.shutdown());
      const chain = await test.longhand.start(agent, 'Pay ann');
      await test.worker.run();
      const without = await test.startWorker({ agents: [createAgent('payer', note)] });
      await expect.poll(() => readNotices(chain)).toEqual(['requeued']);
      await without.stop();
      await test.startWorker({ agents: [createAgent('payer', unsafe)] });
      await expect.poll(() => chain.listRequests()).toMatchObject([{ call: '1.1', kind: 'outcome' }]);
      await chain.resolveOutcome('1.1', 'happened', { by: 'cleo', observation: 'paid' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect(paid).toEqual([]);
    });
  });

  it('makes its model calls; the policy of a call is evaluated by the worker that runs it', async () => {
    const { tool, paid } = createPayTool();
    const agent = createAgent('payer', tool, note);
    const replies = [
      { text: 'First a note.', calls: [{ name: 'note', input: { text: 'a' } }] },
      {
        text: 'Now I pay both.',
        calls: [
          { name: 'pay', input: { to: 'ann', amount: 7 } },
          { name: 'pay', input: { to: 'bea', amount: 700 } },
        ],
      },
      done,
    ];
    await withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await makeOneModelCall(test, () => test.longhand.start(agent, 'Pay both'));
      await test.startWorker({ agents: [createAgent('payer', note)] });
      await expect.poll(() => readNotices(chain)).toEqual(['requeued']);
      expect(test.models.requests).toHaveLength(2);
      await test.startWorker();
      await expect.poll(() => chain.listRequests()).toMatchObject([{ call: '2.2', kind: 'approval' }]);
      await expect.poll(() => paid).toEqual(['ann']);
      await chain.approve('2.2', { by: 'cleo' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 3 });
      expect(paid).toEqual(['ann', 'bea']);
    });
  });
});

describeLong('a worker whose agent lacks a tool of the chain', () => {
  it('puts the call back although an activity of its own has the name of the tool: only a workflow of the user runs that', async () => {
    const { tool, paid } = createPayTool();
    const agent = createAgent('payer', tool);
    const taken: unknown[] = [];
    const activities = { pay: async (input: unknown) => taken.push(input) };
    await withWorker({ agents: [agent], replies: [pay({ to: 'ann', amount: 7 }), done] }, async (test) => {
      const chain = await makeOneModelCall(test, () => test.longhand.start(agent, 'Pay ann'));
      await test.startWorker({ agents: [createAgent('payer', note)], activities });
      await expect.poll(() => readNotices(chain)).toEqual(['requeued']);
      await test.startWorker();
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
      expect(await readCalls(chain)).toMatchObject([{ status: 'ok', observation: 'paid 7 to ann' }]);
      expect({ taken, paid }).toEqual({ taken: [], paid: ['ann'] });
    });
  });
});
