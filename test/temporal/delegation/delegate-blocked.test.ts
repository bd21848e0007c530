/** Rejected delegations: the model sees the reason as an observation and continues (L4). */

import { describe, expect, it } from 'vitest';
import type { Longhand } from '../../../src/entries/client.js';
import { delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, delegateOnce, listCalls, playRoles, type Role } from '../../support/delegating.js';

const answers: Role = () => ({ text: 'Done.' });

/** Returns the ids of all chains of a tree that the server lists, including the root. */
async function listTree({ client }: Longhand, root: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: `LonghandRoot = '${root}'` })) ids.push(workflowId);
  return ids.sort();
}

describe('a delegation is rejected before its sub-chain starts', () => {
  it('if its agent already runs above the chain', async () => {
    const b = createActor('b', { tools: [delegate('a')] });
    const a = createActor('a', { tools: [b] });
    const replies = playRoles({ a: delegateOnce(callAgent('b')), b: delegateOnce(callAgent('a')) });
    await withWorker({ agents: [a], replies }, async ({ longhand }) => {
      const chain = await longhand.start('a', 'Go round');
      expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 1 } });
      const [blocked] = await listCalls(longhand, `${chain.chainId}/1.1`);
      expect(blocked).toMatchObject({ tool: 'a', status: 'error' });
      expect(blocked?.observation).toContain('a already runs above this chain (a → b → a)');
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call).toMatchObject({ status: 'ok' });
      expect(call?.observation).toContain('Results: Error: Not delegated');
      await expect.poll(() => listTree(longhand, chain.chainId)).toEqual([chain.chainId, `${chain.chainId}/1.1`]);
    });
  });

  it('if the tree has five levels', async () => {
    const names = ['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6'];
    const top = names.reduceRight<ReturnType<typeof createActor> | null>(
      (below, name) => createActor(name, { tools: below === null ? [] : [below] }),
      null,
    );
    const roles = names.map(
      (name, at) => [name, at < 6 ? delegateOnce(callAgent(names[at + 1] ?? '')) : answers] as const,
    );
    await withWorker(
      { agents: [top as never], replies: playRoles(Object.fromEntries(roles)) },
      async ({ longhand }) => {
        const chain = await longhand.start('l0', 'Dig');
        expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 5 } });
        const [blocked] = await listCalls(longhand, `${chain.chainId}${'/1.1'.repeat(5)}`);
        expect(blocked).toMatchObject({ tool: 'l6', status: 'error' });
        expect(blocked?.observation).toContain('this chain has depth 5; the limit is 5');
        await expect.poll(async () => (await listTree(longhand, chain.chainId)).length).toBe(1 + 5);
      },
    );
  });

  it('if the root has as many sub-chains as its limit, including those of its sub-chains', async () => {
    const leaf = createActor('leaf');
    const middle = createActor('middle', { tools: [leaf] });
    const lead = createActor('lead', { tools: [middle], limits: { chains: 3 } });
    const replies = playRoles({
      lead: ({ step, last }) =>
        step < 3 ? { text: 'Continue.', calls: [callAgent('middle', `round ${step}`)] } : { text: `Results: ${last}` },
      middle: delegateOnce(callAgent('leaf', 'one'), callAgent('leaf', 'two')),
      leaf: answers,
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Count');
      expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 3 } });
      const [blocked] = await listCalls(longhand, chain.chainId, 2);
      expect(blocked?.observation).toBe(
        'Not delegated: the limit of 3 sub-chains is reached. Continue with what you have.',
      );
      await expect.poll(async () => (await listTree(longhand, chain.chainId)).length).toBe(1 + 3);
    });
  });

  it('if its agent belongs to another tenant and is not shared', async () => {
    const own = createActor('own', { tenant: 'acme' });
    const shared = createActor('shared', { tenant: 'other', sharedWith: ['acme'] });
    const foreign = createActor('foreign', { tenant: 'other' });
    const lead = createActor('lead', {
      tools: [own, shared, foreign, delegate('foreign', { name: 'by_name' })],
    });
    const replies = playRoles({
      lead: delegateOnce(callAgent('own'), callAgent('shared'), callAgent('foreign'), callAgent('by_name')),
      own: answers,
      shared: answers,
      foreign: answers,
    });
    await withWorker({ agents: [lead, foreign], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Ask everybody', { tenant: 'acme' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const calls = await listCalls(longhand, chain.chainId);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok', 'error', 'error']);
      const belongs = 'foreign belongs to another tenant and is not shared with this one.';
      expect(calls[2]?.observation).toBe(`Not delegated: ${belongs}`);
      // It started, and called no model.
      expect(calls[3]?.observation).toContain(`foreign did not finish (failure): ${belongs}`);
      expect(await longhand.getHandle(`${chain.chainId}/1.4`).result()).toMatchObject({ outcome: 'failure', steps: 0 });
      const child = (await longhand.getHandle(`${chain.chainId}/1.1`).read()).state;
      expect(child.input).toMatchObject({ tenant: 'acme' });
    });
  });
});
