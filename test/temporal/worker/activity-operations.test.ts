/** An operator pauses, resumes or resets a running activity, and reads its progress, in Temporal's Web UI or CLI. */

import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChainHandle, defineAgent, defineTool, type ToolContext } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { decryptPayload } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const done: ScriptedReply = { text: 'All done.' };
const waiting: ScriptedReply = { calls: [{ name: 'wait', input: {} }] };

/** An agent whose tool `wait` behaves differently in each attempt. */
function createAgent(execute: (context: ToolContext, attempt: number) => unknown) {
  let attempts = 0;
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    inputSchema: z.object({}),
    effects: 'read',
    execute: (_, context) => {
      attempts += 1;
      return execute(context, attempts);
    },
  });
  return defineAgent({ name: 'waiter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [wait] });
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Waits in the first attempt until its signal is aborted. */
function createWaitingAgent() {
  return createAgent(({ signal }, attempt) => (attempt > 1 ? 'waited' : waitForAbort(signal)));
}

const { PendingActivityState } = proto.temporal.api.enums.v1;

/** Operations on the only pending activity of a type, once it runs. */
async function findRunning({ longhand }: ChainTest, { chainId }: ChainHandle, type: string) {
  const handle = longhand.client.workflow.getHandle(chainId);
  const find = async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.find(({ activityType }) => activityType?.name === type);
  };
  const expectState = (state: number) => expect.poll(async () => (await find())?.state).toBe(state);
  await expectState(PendingActivityState.PENDING_ACTIVITY_STATE_STARTED);
  const { connection, options } = longhand.client;
  const request = { namespace: options.namespace, execution: { workflowId: chainId }, type };
  const { workflowService: service } = connection;
  const operate = async (operation: 'pauseActivity' | 'unpauseActivity' | 'resetActivity') => {
    if (operation === 'pauseActivity') await service.pauseActivity(request);
    else if (operation === 'unpauseActivity') await service.unpauseActivity(request);
    else await service.resetActivity(request);
  };
  return { find, expectState, operate };
}

describe('an activity that an operator pauses or resets', () => {
  it.each(['pauseActivity', 'resetActivity'] as const)('%s: a model call is made again', async (operation) => {
    const agent = createWaitingAgent();
    await withWorker({ agents: [agent], replies: [{ hang: true, afterEvents: 4 }, done] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Wait for me');
      await expect.poll(() => test.models.requests.length).toBe(1);
      const { operate } = await findRunning(test, chain, 'longhand.callModel');
      await operate(operation);
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
      const { notices } = (await chain.describe()).chain;
      expect(notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('Attempt 1') }]);
      expect(test.models.aborted).toBe(1);
    });
  });

  it.each(['pauseActivity', 'resetActivity'] as const)('%s: a tool is executed again', async (operation) => {
    const agent = createWaitingAgent();
    await withWorker({ agents: [agent], replies: [waiting, done] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Wait for me');
      const { operate, expectState } = await findRunning(test, chain, 'wait');
      await operate(operation);
      if (operation === 'pauseActivity') {
        // The paused attempt has ended, and no other one is made before the operator resumes the activity.
        await expectState(PendingActivityState.PENDING_ACTIVITY_STATE_PAUSED);
        await operate('unpauseActivity');
      }
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
      const [step] = (await chain.describe()).chain.steps;
      expect(step?.calls).toMatchObject([{ status: 'ok', observation: 'waited' }]);
    });
  });
});

describe('the progress of a tool', () => {
  it('remains until a later attempt reports its own', async () => {
    let finish = () => {};
    const agent = createAgent(({ heartbeat, signal }, attempt) => {
      if (attempt === 1) {
        heartbeat({ pages: 5 });
        throw new Error('The connection was lost.');
      }
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      return Promise.race([finished, waitForAbort(signal)]);
    });
    await withWorker({ agents: [agent], replies: [waiting, done] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Wait for me');
      const { find } = await findRunning(test, chain, 'wait');
      await expect.poll(async () => (await find())?.attempt).toBe(2);
      const startedAt = Date.now();
      const isBeating = async () => {
        const { seconds = 0 } = (await find())?.lastHeartbeatTime ?? {};
        return Number(seconds) * 1_000 > startedAt + 1_000;
      };
      await expect.poll(isBeating).toBe(true);
      expect(decryptPayload((await find())?.heartbeatDetails?.payloads?.[0])).toEqual({ pages: 5 });
      finish();
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    });
  });
});
