/** An operator pauses, resumes or resets a running activity, and reads its progress, in Temporal's Web UI or CLI. */

import proto from '@temporalio/proto';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ChainHandle, connect, type WatchEvent } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool, type ToolContext, ToolError } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { decryptPayload } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const done: ScriptedReply = { text: 'All done.' };
const waiting: ScriptedReply = { calls: [{ name: 'wait', input: {} }] };

/** An agent whose tool `wait` behaves differently in each attempt. */
function createAgent(
  execute: (context: ToolContext, attempt: number) => unknown,
  options: Pick<Parameters<typeof defineTool>[0], 'timeout' | 'retry'> = {},
) {
  let attempts = 0;
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    inputSchema: z.object({}),
    effects: 'read',
    ...options,
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
      const { notices } = await chain.read();
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
      const [step] = (await chain.read()).steps;
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

describe('the interim results of a tool', () => {
  /** Runs a chain whose tool emits, with a channel between worker and reader. */
  async function watchTool(
    execute: (context: ToolContext, attempt: number, published: readonly unknown[]) => unknown,
    onEvent: (event: WatchEvent, chain: ChainHandle) => void = () => {},
    options: Parameters<typeof createAgent>[1] = {},
  ) {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const replies = [{ ...waiting, waitsFor: whenSubscribed(1) }, done];
    const published: unknown[] = [];
    const counted = {
      ...tokens,
      publish: (piece: Parameters<typeof tokens.publish>[0]) => {
        if ('interim' in piece) published.push(piece.interim?.value);
        tokens.publish(piece);
      },
    };
    const agent = createAgent((context, attempt) => execute(context, attempt, published), options);
    return withWorker({ agents: [agent], replies, worker: { tokens: counted } }, async (test) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue: test.taskQueue, tokens });
      try {
        const chain = longhand.getHandle((await test.longhand.start(agent, 'Wait for me')).chainId);
        const interims: unknown[] = [];
        for await (const event of chain.watch(createViewer('auditor'), { interim: true })) {
          if (event.type === 'interim-result') interims.push([event.attempt, event.interim?.value ?? null]);
          onEvent(event, chain);
        }
        const read = await chain.read();
        const { events } = await test.longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
        const requests = JSON.stringify(test.models.requests);
        return { interims, published, call: read.steps[0]?.calls[0], events: events ?? [], requests };
      } finally {
        await longhand.close();
      }
    });
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('end with each attempt: of a failed call only the failure is shown, and the model sees no part of it', async () => {
    const seen = new Set<number>();
    const { interims, call, requests } = await watchTool(
      async ({ emit }, attempt) => {
        emit(`half of ${attempt}`);
        await vi.waitUntil(() => seen.has(attempt));
        if (attempt === 1) throw new Error('The connection was lost.');
        throw new ToolError('The table is gone.');
      },
      (event) => {
        if (event.type === 'interim-result' && event.interim !== null) seen.add(event.attempt);
      },
    );
    expect(interims).toEqual([
      [1, 'half of 1'],
      [1, null],
      [2, 'half of 2'],
      [2, null],
    ]);
    expect(call).toMatchObject({ status: 'error', observation: 'The table is gone.' });
    expect(requests).not.toContain('half of');
  });

  it('end with a call that is cancelled', async () => {
    const { interims, call } = await watchTool(
      async ({ emit, signal }) => {
        emit('half');
        return waitForAbort(signal);
      },
      (event, chain) => {
        if (event.type === 'interim-result' && event.interim !== null)
          void chain.cancel({ by: 'ann', reason: 'enough' });
      },
    );
    expect(interims[0]).toEqual([1, 'half']);
    expect(interims.slice(1)).toEqual([[1, null]]);
    expect(call).toMatchObject({ status: 'cancelled' });
    expect(JSON.stringify(call)).not.toContain('half');
  });

  it('are no part of the chain where the call times out: only the event of the timeout has the last heartbeat', async () => {
    const { call, events, interims } = await watchTool(
      async ({ emit }) => {
        emit('a first part');
        await pause(700);
        emit('half of it');
        await pause(3_000);
      },
      undefined,
      { timeout: 2_000, retry: { attempts: 1 } },
    );
    expect(interims).toContainEqual([1, 'half of it']);
    expect(call).toMatchObject({ status: 'error' });
    expect(JSON.stringify(call)).not.toContain('half');
    const payloads = events.flatMap(({ activityTaskTimedOutEventAttributes: timedOut }) => {
      return timedOut?.failure?.timeoutFailureInfo?.lastHeartbeatDetails?.payloads ?? [];
    });
    expect(payloads.map(decryptPayload)).toEqual([
      { progress: null, longhandInterim: { attempt: 1, interim: { value: 'half of it' } } },
    ]);
  });

  it('do not slow or break the worker of a tool that emits 100,000 times', async () => {
    const begin = Date.now();
    let longest = 0;
    const { interims, published, call } = await watchTool(async ({ emit }, _, shown) => {
      let last = performance.now();
      for (let at = 1; at <= 100_000; at += 1) {
        emit({ at, rows: 'x'.repeat(10_000) });
        if (at % 100 !== 0) continue;
        await new Promise((resolve) => setImmediate(resolve));
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      while (JSON.stringify(shown.at(-1))?.includes('"at":100000') !== true) await pause(50);
      return 'counted';
    });
    expect(call).toMatchObject({ status: 'ok', observation: 'counted' });
    expect(interims.at(-2)).toMatchObject([1, { at: 100_000 }]);
    expect(published.length).toBeLessThanOrEqual((Date.now() - begin) / 200 + 3);
    // The event loop was never blocked for long.
    expect(longest).toBeLessThan(2_000);
  });
});
