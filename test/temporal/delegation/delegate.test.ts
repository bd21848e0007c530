/**
 * Agents that delegate: sub-agents are child workflows with a chain of their own, and their results are observations of
 * their parent, also if they fail (L4).
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addUsage } from '../../../src/core/model/usage.js';
import { defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, createMeeting, delegateOnce, listCalls, playRoles } from '../../support/delegating.js';

/** A tool whose calls wait for each other. */
function createLookUp(many: number) {
  const all = createMeeting(many);
  return defineTool({
    name: 'look_up',
    description: 'Looks a thing up',
    inputSchema: z.object({ what: z.string() }),
    effects: 'read',
    execute: async ({ what }, { signal }) => {
      await all(signal);
      return `All about ${what}.`;
    },
  });
}

const replyWithLookUp = (what: string) => ({
  text: `I look ${what} up.`,
  calls: [{ name: 'look_up', input: { what } }],
});

describe('an agent that delegates', () => {
  it('runs three sub-chains at a time and keeps the order of the calls in the results', async () => {
    const tools = [createLookUp(3)];
    const [tea, coffee, cocoa] = ['tea', 'coffee', 'cocoa'].map((name) => createActor(name, { tools })) as [
      never,
      never,
      never,
    ];
    const lead = createActor('lead', { tools: [tea, delegate(coffee, { limits: { tokens: 14_000 } }), cocoa] });
    const replies = playRoles({
      lead: delegateOnce(callAgent('tea'), callAgent('coffee'), callAgent('cocoa')),
      // The first is the slowest.
      tea: ({ step }) => (step === 1 ? replyWithLookUp('tea') : { text: 'Tea comes from China.', chunkDelayMs: 60 }),
      coffee: ({ last }) => {
        if (last.includes('Summarize')) return { text: 'Coffee: so far I know of Ethiopia.' };
        return { ...replyWithLookUp('coffee'), usage: { input: 5_000, output: 500 } };
      },
      cocoa: ({ step }) =>
        step === 1
          ? replyWithLookUp('cocoa')
          : { status: 400, error: { type: 'invalid_request_error', message: 'no cocoa here' } },
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Where do they come from?');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', steps: 2, subtree: { chains: 3 } });
      const calls = await listCalls(longhand, chain.chainId);
      expect(calls.map(({ tool, status }) => `${tool} ${status}`)).toEqual(['tea ok', 'coffee error', 'cocoa error']);
      expect(calls[0]?.observation).toBe('Tea comes from China.');
      expect(calls[1]?.observation).toMatch(/^coffee did not finish \(token_budget\): .+\n\nPartial result:\n/s);
      expect(calls[1]?.observation).toContain('Coffee: so far I know of Ethiopia.');
      expect(calls[2]?.observation).toMatch(/^cocoa did not finish \(failure\): .*no cocoa here/s);
      expect(calls[2]?.observation).toContain('All about cocoa.');
      const children = await Promise.all([1, 2, 3].map((n) => longhand.getHandle(`${chain.chainId}/1.${n}`).result()));
      expect(children.map(({ outcome }) => outcome)).toEqual(['success', 'token_budget', 'failure']);
      expect(result.subtree?.usage).toEqual(children.map(({ usage }) => usage).reduce(addUsage));
      const usd = children.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
      expect(result.subtree?.costUsd).toBeCloseTo(usd, 9);
    });
  });

  it('sees the answer, the answer with a summary, or the chain', async () => {
    const tools = [createLookUp(1)];
    const expert = createActor('expert', { tools });
    const lead = createActor('lead', {
      tools: [
        expert,
        delegate(expert, { name: 'in_short', sees: 'summary' }),
        delegate(expert, { name: 'in_full', sees: 'chain' }),
      ],
    });
    const replies = playRoles({
      lead: delegateOnce(callAgent('expert'), callAgent('in_short'), callAgent('in_full')),
      expert: ({ step }) => (step === 1 ? replyWithLookUp('tea') : { text: 'China.' }),
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Where does tea come from?');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [answer, summary, whole] = (await listCalls(longhand, chain.chainId)).map(({ observation }) => observation);
      expect(answer).toBe('China.');
      expect(summary).toMatch(/^China\.\n\n\(expert: 2 steps, [\d,]+ tokens, \$[\d.]+, .+\)$/);
      expect(whole).toMatch(
        /^China\..+Steps:\n1\. I look tea up\.\n {3}look_up.+→ All about tea\.\n2\. \(Final answer\.\)$/s,
      );
    });
  });

  it('passes the tenant, the user and the roles of its start to its sub-chains, and to each tool below', async () => {
    const asks: unknown[] = [];
    const whoami = defineTool({
      name: 'whoami',
      description: 'States for whom the chain runs',
      inputSchema: z.object({}),
      effects: 'read',
      execute: (_, { tenant, user, roles }) => asks.push({ tenant, user, roles }),
    });
    const refund = defineTool({
      name: 'refund',
      description: 'Gives a payment back',
      inputSchema: z.object({}),
      effects: 'unsafe',
      roles: ['board'],
      execute: () => 'refunded',
    });
    const aide = createActor('aide', { tools: [whoami, refund] });
    const lead = createActor('lead', { tools: [aide, whoami] });
    const ask = { name: 'whoami', input: {} };
    const replies = playRoles({
      lead: delegateOnce(callAgent('aide'), ask),
      aide: delegateOnce(ask, { name: 'refund', input: {} }),
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const requester = { tenant: 'acme', user: 'tom', roles: ['clerk'] };
      const chain = await longhand.start('lead', 'Give it back', requester);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect(asks).toEqual([requester, requester]);
      const below = await listCalls(longhand, `${chain.chainId}/1.1`);
      expect(below.map(({ status }) => status)).toEqual(['ok', 'not_permitted']);
      const anonymous = await longhand.start('lead', 'Give it back');
      await anonymous.result();
      expect(asks.at(-1)).toEqual({ tenant: null, user: null, roles: [] });
    });
  });

  it('retries a failed sub-chain as often as its retry option permits', async () => {
    const shaky = createActor('shaky');
    const lead = createActor('lead', {
      tools: [delegate(shaky, { retry: { attempts: 2 } }), delegate(shaky, { name: 'once' })],
    });
    const attempts = new Map<string, number>();
    const replies = playRoles({
      lead: delegateOnce(callAgent('shaky', 'twice'), callAgent('once', 'alone')),
      shaky: ({ task }) => {
        const which = task.includes('twice') ? 'twice' : 'alone';
        attempts.set(which, (attempts.get(which) ?? 0) + 1);
        if (which === 'twice' && attempts.get(which) === 2) return { text: 'Now it went well.' };
        return { status: 400, error: { type: 'invalid_request_error', message: `no ${attempts.get(which)}` } };
      },
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Do it');
      expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 3 } });
      const calls = await listCalls(longhand, chain.chainId);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'error']);
      expect(calls[0]?.observation).toBe('Now it went well.');
      expect(await longhand.getHandle(`${chain.chainId}/1.1`).result()).toMatchObject({ outcome: 'failure' });
      expect(await longhand.getHandle(`${chain.chainId}/1.1~2`).result()).toMatchObject({ outcome: 'success' });
    });
  });

  it('continues when the timeout of a sub-chain has passed', async () => {
    const slow = createActor('slow');
    const lead = createActor('lead', { tools: [delegate(slow, { timeout: '1s' })] });
    const replies = playRoles({
      lead: delegateOnce(callAgent('slow')),
      slow: ({ last }) => (last.includes('Summarize') ? { text: 'Nothing yet.' } : { hang: true, afterEvents: 1 }),
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Wait for it');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call?.observation).toMatch(/^slow did not finish \(timeout\): .+/);
    });
  });
});
