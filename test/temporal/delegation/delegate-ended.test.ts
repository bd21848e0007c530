/** Sub-chains that a person or the server ends: their partial result is an observation, and their parent continues. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import {
  callAgent,
  createActor,
  delegateOnce,
  listCalls,
  listRunning,
  playRoles,
  type Role,
} from '../../support/delegating.js';

const look = defineTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => 'a trace of tea',
});

/** Finds something, and then hangs. */
const findsAndHangs: Role = ({ step }) =>
  step === 1 ? { text: 'I look.', calls: [{ name: 'look', input: {} }] } : { hang: true, afterEvents: 1 };

const expert = createActor('expert', { tools: [look] });
const lead = createActor('lead', { tools: [expert] });
const scene = {
  agents: [lead],
  replies: playRoles({ lead: delegateOnce(callAgent('expert')), expert: findsAndHangs }),
};

describe('a sub-chain', () => {
  it('that a person cancels is an observation with the person and the partial result', async () => {
    await withWorker(scene, async ({ longhand, models }) => {
      const chain = await longhand.start('lead', 'Find tea');
      await expect.poll(() => models.requests.length).toBe(3);
      const child = longhand.getHandle(`${chain.chainId}/1.1`);
      await child.cancel({ by: 'Ada', reason: 'not needed' });
      expect(await child.result()).toMatchObject({ outcome: 'cancelled' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2, subtree: { chains: 1 } });
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call?.status).toBe('error');
      expect(call?.observation).toContain('expert did not finish (cancelled): Cancelled by Ada: not needed');
      expect(call?.observation).toContain('a trace of tea');
    });
  });

  it('that is terminated in Temporal is an observation with its partial result, and its open model call is charged', async () => {
    await withWorker(scene, async ({ longhand, models }) => {
      const chain = await longhand.start('lead', 'Find tea');
      await expect.poll(() => models.requests.length).toBe(3);
      const id = `${chain.chainId}/1.1`;
      const { state } = await longhand.getHandle(id).read();
      await longhand.client.workflow.getHandle(id).terminate('a test');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call?.observation).toContain(
        'expert did not finish (terminated): It was terminated in Temporal during a model call.',
      );
      expect(call?.observation).toContain('a trace of tea');
      const parent = (await chain.read()).state;
      const reserved = state.flight.kind === 'model' ? state.flight.reservation : null;
      expect(parent.subChainTotals.tokens).toBe(
        state.charged.tokens + (reserved?.inputTokens ?? 0) + (reserved?.outputTokens ?? 0),
      );
      expect(parent.subChainTotals.usd).toBeCloseTo((state.charged.usd ?? 0) + (reserved?.usd ?? 0), 9);
    });
  });

  it('of an agent that no worker has waits for one, and the parent continues once a person has cancelled it', async () => {
    const asking = createActor('lead', { tools: [delegate('nobody', { timeout: '2s' })] });
    const replies = playRoles({ lead: delegateOnce(callAgent('nobody')) });
    await withWorker({ agents: [asking], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Ask nobody');
      const child = longhand.getHandle(`${chain.chainId}/1.1`);
      const readCodes = async () => (await child.read().catch(() => null))?.notices.map(({ code }) => code);
      await expect.poll(readCodes).toEqual(['requeued']);
      await child.cancel({ by: 'Ada' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      const [call] = await listCalls(longhand, chain.chainId);
      expect(call?.observation).toMatch(/^nobody did not finish \(cancelled\): Cancelled by Ada/);
    });
  });

  it('has the execution timeout of its parent', async () => {
    await withWorker(scene, async ({ longhand, models }) => {
      const chain = await longhand.start('lead', 'Find tea', { endAfter: '90s' });
      await expect.poll(() => models.requests.length).toBe(3);
      const { raw } = await longhand.client.workflow.getHandle(`${chain.chainId}/1.1`).describe();
      const seconds = Number(raw.executionConfig?.workflowExecutionTimeout?.seconds ?? 0);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(90);
      await chain.cancel();
      await chain.result();
    });
  });

  it('is cancelled with all below it when its root is terminated', async () => {
    const middle = createActor('middle', { tools: [expert] });
    const top = createActor('top', { tools: [middle] });
    const replies = playRoles({
      top: delegateOnce(callAgent('middle')),
      middle: delegateOnce(callAgent('expert')),
      expert: findsAndHangs,
    });
    await withWorker({ agents: [top], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start('top', 'Find tea');
      await expect.poll(() => models.requests.length).toBe(4);
      await longhand.client.workflow.getHandle(chain.chainId).terminate('a test');
      const below = `${chain.chainId}/1.1`;
      expect(await longhand.getHandle(below).result()).toMatchObject({ outcome: 'cancelled' });
      expect(await longhand.getHandle(`${below}/1.1`).result()).toMatchObject({ outcome: 'cancelled' });
      await expect.poll(() => listRunning(longhand, chain.chainId)).toEqual([]);
      expect(models.aborted).toBe(1);
    });
  });
});
