/** A chain explores several hypotheses in branches and continues with the best result. */

import { describe, expect, it } from 'vitest';
import { explore } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createActor, listCalls, playRoles, type Role } from '../../support/delegating.js';
import { look, replyWithLook } from '../../support/tools.js';

const hypotheses = ['It is the cache.', 'It is the clock.', 'It is the disk.'];

const finder = createActor('finder', {
  tools: [look, explore({ judge: ({ answer }) => (String(answer).includes('clock') ? 1 : 0) })],
});

/** @param first the step in which it branches */
const branchesIn =
  (first: number): Role =>
  ({ step, last, all }) => {
    const own = /Try this one and answer with the result: (.+)/.exec(all)?.[1];
    if (own !== undefined) {
      if (last.includes('Try this one')) return replyWithLook('b.ts');
      return { text: `Tried: ${own}` };
    }
    if (step < first) return replyWithLook('a.ts');
    if (step === first) return { text: 'I try three.', calls: [{ name: 'explore', input: { hypotheses } }] };
    return { text: `So: ${last}` };
  };

describe('a chain that branches', () => {
  it('in step 2 has branches with its first step and one hypothesis each, and continues with the best', async () => {
    const replies = playRoles({ finder: branchesIn(2) });
    await withWorker({ agents: [finder], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start('finder', 'Why is it slow?');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', steps: 3, subtree: { chains: 3 } });
      expect(result.answer).toContain('It is the clock.');
      const [call] = await listCalls(longhand, chain.chainId, 2);
      expect(call?.observation).toMatchObject({
        best: 'Tried: It is the clock.',
        hypothesis: 'It is the clock.',
        chain: `${chain.chainId}/2.1.2`,
        candidates: '3 of 3 answered',
      });
      const parent = await chain.read();
      for (const [at, hypothesis] of hypotheses.entries()) {
        const branch = longhand.getHandle(`${chain.chainId}/2.1.${at + 1}`);
        expect(await branch.result()).toMatchObject({ outcome: 'success', answer: `Tried: ${hypothesis}`, steps: 3 });
        const read = await branch.read();
        expect(read.steps.map(({ thought }) => thought)).toEqual(['I look at a.ts.', 'I look at b.ts.', null]);
        expect(read.steps[0]?.content).toEqual(parent.steps[0]?.content);
        expect(read.steps[0]?.calls[0]).toMatchObject({ observation: 'something at a.ts' });
        expect(read.state.origin).toMatchObject({ chainId: chain.chainId, steps: 1 });
        expect(read.messages.map(({ text }) => text)).toEqual([expect.stringContaining(hypothesis)]);
      }
      // The first step is not repeated in the branches.
      expect(models.requests.length).toBe(2 + 3 * 2 + 1);
      const disk = `${chain.chainId}/2.1.3`;
      const fork = await longhand.fork(disk, { atStep: 2 });
      expect(await fork.result()).toMatchObject({ outcome: 'success', answer: 'Tried: It is the disk.' });
      // The steps before the branch have no hypothesis.
      const earlier = await longhand.fork(disk, { atStep: 1 });
      expect(await earlier.result()).toMatchObject({ outcome: 'success', steps: 3, subtree: { chains: 3 } });
    });
  });

  it('in step 1 has branches that start with the task only', async () => {
    await withWorker({ agents: [finder], replies: playRoles({ finder: branchesIn(1) }) }, async ({ longhand }) => {
      const chain = await longhand.start('finder', 'Why is it slow?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2, subtree: { chains: 3 } });
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call?.observation).toMatchObject({ hypothesis: 'It is the clock.', chain: `${chain.chainId}/1.1.2` });
      const { state } = await longhand.getHandle(`${chain.chainId}/1.1.1`).read();
      expect(state).toMatchObject({ origin: null, steps: 2 });
    });
  });

  it('with limits enforces them in each branch', async () => {
    const bounded = createActor('finder', { tools: [look, explore({ limits: { steps: 1 } })] });
    await withWorker({ agents: [bounded], replies: playRoles({ finder: branchesIn(2) }) }, async ({ longhand }) => {
      const chain = await longhand.start('finder', 'Why is it slow?');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const branch = longhand.getHandle(`${chain.chainId}/2.1.1`);
      expect(await branch.result()).toMatchObject({ outcome: 'max_iterations', steps: 2 });
    });
  });

  it('rejects another branch in a branch, which continues', async () => {
    const eager: Role = (turn) => {
      const own = turn.all.includes('Try this one');
      if (own && turn.last.includes('Not branched')) return { text: 'By myself, then.' };
      return own ? { text: 'Again.', calls: [{ name: 'explore', input: { hypotheses } }] } : branchesIn(1)(turn);
    };
    await withWorker({ agents: [finder], replies: playRoles({ finder: eager }) }, async ({ longhand }) => {
      const chain = await longhand.start('finder', 'Why is it slow?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 3 } });
      const [call] = await listCalls(longhand, `${chain.chainId}/1.1.1`);
      expect(call?.observation).toBe('Not branched: this chain is already a branch. Continue without branching.');
    });
  });
});
