/** Requests of sub-chains are in the inbox with their path and do not count towards time limits above. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, delegateOnce, listCalls, playRoles } from '../../support/delegating.js';
import { playInTime } from '../../support/enough-time.js';

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill',
  inputSchema: z.object({ bill: z.string() }),
  effects: 'unsafe',
  approval: true,
  execute: ({ bill }) => `${bill} is paid`,
});

const clerk = createActor('clerk', { tools: [pay] });
const head = createActor('head', { tools: [clerk] });
const pays = delegateOnce({ name: 'pay', input: { bill: 'rent' } });

describe('an approval two levels below the root', () => {
  it('is in the inbox with its path and does not count towards the time limit of the root', async () => {
    await playInTime(3_000, (time) => {
      const tenant = `t-${randomUUID()}`;
      const boss = createActor('boss', { tools: [head], limits: { time } });
      const replies = playRoles({
        boss: delegateOnce(callAgent('head')),
        head: delegateOnce(callAgent('clerk')),
        clerk: pays,
      });
      return withWorker({ agents: [boss], replies }, async ({ longhand }) => {
        const begun = Date.now();
        const chain = await longhand.start('boss', 'Pay the rent', { tenant });
        const below = `${chain.chainId}/1.1/1.1`;
        const hasEnded = async () => (await chain.describe()).status === 'ended';
        await expect
          .poll(async () => (await longhand.listInbox({ tenant })).length === 1 || (await hasEnded()))
          .toBe(true);
        if (await hasEnded()) return null;
        const [found] = await longhand.listInbox({ tenant });
        expect(found).toMatchObject({
          chainId: below,
          path: [chain.chainId, `${chain.chainId}/1.1`, below],
          agent: 'clerk',
          requests: [{ call: '1.1', tool: 'pay', input: { bill: 'rent' } }],
        });
        await expect.poll(() => Date.now() - begun).toBeGreaterThan(time + 1_000);
        expect(await hasEnded()).toBe(false);
        await longhand.getHandle(found?.chainId ?? '').approve('1.1', { by: 'ann' });
        const result = await chain.result();
        if (result.outcome === 'timeout') return null;
        expect(result).toMatchObject({ outcome: 'success', subtree: { chains: 2 } });
        expect(result.answer).toContain('rent is paid');
        await expect.poll(() => longhand.listInbox({ tenant })).toEqual([]);
        return result;
      });
    });
  });

  it('is dropped when the root is cancelled', async () => {
    const tenant = `t-${randomUUID()}`;
    const boss = createActor('boss', { tools: [head] });
    const replies = playRoles({
      boss: delegateOnce(callAgent('head')),
      head: delegateOnce(callAgent('clerk')),
      clerk: pays,
    });
    await withWorker({ agents: [boss], replies }, async ({ longhand }) => {
      const chain = await longhand.start('boss', 'Pay the rent', { tenant });
      await expect.poll(async () => (await longhand.listInbox({ tenant })).length).toBe(1);
      await chain.cancel({ by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
      expect(await longhand.getHandle(`${chain.chainId}/1.1/1.1`).result()).toMatchObject({ outcome: 'cancelled' });
      await expect.poll(() => longhand.listInbox({ tenant })).toEqual([]);
    });
  });
});

describe('a delegation that itself needs approval', () => {
  it('starts its sub-chain when it is approved', async () => {
    const boss = createActor('boss', { tools: [delegate(createActor('aide'), { approval: true })] });
    const replies = playRoles({ boss: delegateOnce(callAgent('aide')), aide: () => ({ text: 'Done.' }) });
    await withWorker({ agents: [boss], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start('boss', 'Delegate it');
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      expect(models.requests.length).toBe(1);
      await chain.approve('1.1', { by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 1 } });
      expect((await listCalls(longhand, chain.chainId))[0]?.observation).toBe('Done.');
    });
  });
});

describe('the limits of a sub-chain', () => {
  it('can be raised up to its share only', async () => {
    const boss = createActor('boss', {
      tools: [delegate(clerk, { limits: { steps: 2, costUsd: 0.2, tokens: 50_000 } })],
    });
    const replies = playRoles({ boss: delegateOnce(callAgent('clerk')), clerk: pays });
    await withWorker({ agents: [boss], replies }, async ({ longhand }) => {
      const chain = await longhand.start('boss', 'Pay the rent');
      const child = longhand.getHandle(`${chain.chainId}/1.1`);
      await expect.poll(async () => (await child.listRequests().catch(() => [])).length).toBe(1);
      await expect(child.raiseLimits({ costUsd: 0.5 }, { by: 'ann' })).rejects.toMatchObject({
        rejection: 'limit_over_share',
        message: expect.stringContaining("costUsd can be raised to 0.2 at most, the chain's share"),
      });
      await expect(child.raiseLimits({ tokens: 60_000 }, { by: 'ann' })).rejects.toMatchObject({
        rejection: 'limit_over_share',
      });
      await child.raiseLimits({ steps: 5 }, { by: 'ann' });
      await child.approve('1.1', { by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    });
  });
});
