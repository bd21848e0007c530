/** L4: input from outside is data. A client of the server can send anything to a chain, and must not break it. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { messageNames, workflowType } from '../../../src/contract/names.js';
import { defineAgent } from '../../../src/index.js';
import { expectOneTruth, withWorker } from '../../support/chain-test.js';
import { matchError } from '../../support/match-error.js';

const agent = defineAgent({ name: 'talker', model: 'claude-sonnet-5-5', strategy: 'tools' });
const hang = { hang: true, afterEvents: 1 } as const;

describe('an invalid cancel signal', () => {
  it.each([
    ['no argument', []],
    ['a number', [7]],
    ['an invalid reason', [{ id: 1, by: {}, reason: 2 }]],
    ['another fact', [{ type: 'prepared', at: 0, agent: { name: 'forged' }, id: 'x', by: null, reason: null }]],
  ])('with %s still cancels the chain', async (_what, fields) => {
    await withWorker({ agents: [agent], replies: [hang] }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Talk');
      await expect.poll(() => models.requests.length).toBe(1);
      const handle = longhand.client.workflow.getHandle(chain.chainId);
      await handle.signal(messageNames.cancel, ...fields);
      await handle.cancel();
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
    });
  });
});

it('a start without an input ends as failure and is readable', async () => {
  await withWorker({ agents: [agent] }, async ({ longhand, taskQueue }) => {
    const workflowId = `bare-${randomUUID()}`;
    await longhand.client.workflow.start(workflowType, { workflowId, taskQueue, args: [] });
    const chain = longhand.getHandle(workflowId);
    expect(await chain.result()).toMatchObject({ reasonCode: 'incomplete_start' });
    await expectOneTruth(longhand, chain);
  });
});

it.each([
  [{ stallThreshold: 1 }, 'stallThreshold'],
  [{ steps: -1 }, 'limits.steps'],
  [{ time: Number.POSITIVE_INFINITY }, 'limits.time'],
  [{ costUsd: 0 }, 'costUsd'],
])('an invalid limit is rejected before the chain starts: %j', async (limits, message) => {
  await withWorker({ agents: [agent] }, async ({ longhand }) => {
    await expect(longhand.start(agent, 'Talk', { limits })).rejects.toMatchObject(
      matchError('invalid_options', message),
    );
  });
});
