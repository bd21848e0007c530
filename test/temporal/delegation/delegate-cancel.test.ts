/** A tree of chains ends together: no chain continues to run, and each has an outcome. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/index.js';
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

let holding = 0;

const hold = defineTool({
  name: 'hold',
  description: 'Runs until its signal is aborted',
  inputSchema: z.object({}),
  effects: 'read',
  execute: (_, { signal }) => {
    holding += 1;
    return new Promise<string>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        holding -= 1;
        reject(signal.reason);
      }),
    );
  },
});

const holds: Role = () => ({ text: 'I hold.', calls: [{ name: 'hold', input: {} }] });
const hangs: Role = () => ({ hang: true, afterEvents: 1 });

const holder = createActor('holder', { tools: [hold] });
const talker = createActor('talker');
const middle = createActor('middle', { tools: [holder, talker] });

const roles = {
  top: delegateOnce(callAgent('middle', 'one'), callAgent('middle', 'two'), callAgent('talker'), {
    name: 'hold',
    input: {},
  }),
  middle: delegateOnce(callAgent('holder'), callAgent('talker')),
  holder: holds,
  talker: hangs,
};

describe('a tree of three levels', () => {
  it('is cancelled with its root while model calls and tools run', async () => {
    const top = createActor('top', { tools: [middle, talker, hold] });
    await withWorker({ agents: [top], replies: playRoles(roles) }, async ({ longhand, models }) => {
      const chain = await longhand.start('top', 'Work');
      const { chainId } = chain;
      // The model calls of the root, two of `middle`, its own `talker`, and four below; three calls of `hold` run.
      await expect.poll(() => models.requests.length).toBe(1 + 2 + 1 + 4);
      await expect.poll(() => holding).toBe(3);
      await expect.poll(() => listRunning(longhand, chainId)).toHaveLength(1 + 3 + 4);
      await chain.cancel({ by: 'Ada', reason: 'enough' });
      expect(await chain.result()).toMatchObject({
        outcome: 'cancelled',
        reasonCode: 'cancelled',
        subtree: { chains: 7 },
      });
      // No chain waited for its grace period.
      const { events } = await longhand.client.workflow.getHandle(chainId).fetchHistory();
      expect(events?.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
      await expect.poll(() => listRunning(longhand, chainId)).toEqual([]);
      expect(holding).toBe(0);
      expect(models.aborted).toBe(3);
      for (const below of ['1.1', '1.2', '1.3', '1.1/1.1', '1.1/1.2', '1.2/1.1', '1.2/1.2']) {
        expect(await longhand.getHandle(`${chainId}/${below}`).result()).toMatchObject({ outcome: 'cancelled' });
      }
      const calls = await listCalls(longhand, chainId);
      expect(calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    });
  });

  it('is cancelled at the time limit of its root, and the root sums up', async () => {
    const top = createActor('top', { tools: [middle, talker, hold], limits: { time: 4_000 } });
    const replies = playRoles({
      ...roles,
      top: (turn) => (turn.last.includes('Summarize') ? { text: 'Nothing yet.' } : roles.top(turn)),
    });
    await withWorker({ agents: [top], replies }, async ({ longhand }) => {
      const chain = await longhand.start('top', 'Work');
      expect(await chain.result()).toMatchObject({ outcome: 'timeout', partial: 'Nothing yet.' });
      await expect.poll(() => listRunning(longhand, chain.chainId)).toEqual([]);
      await expect.poll(() => holding).toBe(0);
    });
  });

  it('is cancelled although its sub-chains have not started yet', async () => {
    const top = createActor('top', { tools: [talker] });
    const replies = playRoles({
      ...roles,
      top: delegateOnce(...Array.from({ length: 12 }, () => callAgent('talker'))),
    });
    await withWorker({ agents: [top], replies }, async ({ longhand }) => {
      let early = 0;
      while (early === 0) {
        const { chainId, result } = await longhand.start('top', 'Work');
        const handle = longhand.client.workflow.getHandle(chainId);
        await expect.poll(async () => (await countInitiated(longhand, chainId)) > 0, { interval: 5 }).toBe(true);
        await handle.cancel();
        expect(await result()).toMatchObject({ outcome: 'cancelled' });
        await expect.poll(() => listRunning(longhand, chainId)).toEqual([]);
        early += await countStartedAfterCancel(longhand, chainId);
      }
    });
  });
});

type Server = Parameters<typeof listRunning>[0];

async function readEvents({ client }: Server, chainId: string) {
  return (await client.workflow.getHandle(chainId).fetchHistory()).events ?? [];
}

async function countInitiated(longhand: Server, chainId: string): Promise<number> {
  const events = await readEvents(longhand, chainId);
  return events.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes).length;
}

/** Sub-chains whose start event follows the cancel of the root. */
async function countStartedAfterCancel(longhand: Server, chainId: string): Promise<number> {
  const events = await readEvents(longhand, chainId);
  const cancelled = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
  return events.slice(cancelled).filter((event) => event.childWorkflowExecutionStartedEventAttributes).length;
}
