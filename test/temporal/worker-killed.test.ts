/**
 * A worker killed in the middle of a call (SIGKILL, so it says nothing more) loses no step of a chain.
 * L5: an unsafe effect under way is not made again; the chain ends and names the call.
 * L6: a model call whose worker was lost is charged its whole reservation, since nobody knows what the provider did.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainHandle } from '../../src/client/handle.js';
import type { CallModelInput } from '../../src/contract/activities.js';
import type { ChainResult } from '../../src/core/result.js';
import { totalTokens } from '../../src/core/usage.js';
import { type ChainTest, withWorker } from '../support/chain-test.js';
import { killableAgent, type Mark, marksIn } from '../support/killable-agent.js';
import type { ScriptedReply } from '../support/scripted-reply.js';
import { temporalAddress, workflowBundlePath } from '../support/temporal.js';
import { startWorkerProcess, stickyQueueScheduleToStartTimeout } from '../support/worker-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const calls = (name: string): ScriptedReply => ({ text: `I ${name}.`, calls: [{ name, input: { thing: 'it' } }] });

interface Survived {
  readonly result: ChainResult;
  readonly chain: ChainHandle;
  readonly marks: readonly Mark[];
  readonly test: ChainTest;
}

/**
 * Runs a chain on a worker process, kills that when the chain has come to where it is to be killed, and lets another
 * worker go on.
 */
async function killedWhen(
  isThere: (test: ChainTest, marks: readonly Mark[]) => boolean,
  replies: readonly ScriptedReply[],
  then: (survived: Survived) => Promise<void> | void,
): Promise<void> {
  const marks = join(folder, 'marks');
  const agent = killableAgent({ marks, hold: false });
  const temporal = { stickyQueueScheduleToStartTimeout };
  await withWorker({ agents: [agent], replies, temporal }, async (test) => {
    await test.worker.stop();
    const process = await startWorkerProcess({
      address: temporalAddress(),
      taskQueue: test.taskQueue,
      modelUrl: test.models.url,
      bundlePath: workflowBundlePath(),
      marks,
      hold: true,
    });
    try {
      const chain = await test.longhand.start(agent, 'Do it');
      await expect.poll(() => isThere(test, marksIn(marks)), { timeout: 20_000, interval: 20 }).toBe(true);
      await process.kill();
      await test.startWorker();
      const result = await chain.result();
      await then({ result, chain, marks: marksIn(marks), test });
    } finally {
      await process.kill();
    }
  });
}

describe('a worker killed', () => {
  it('in a model call: it is made again as another attempt, and the lost one is charged in full', async () => {
    const replies = [{ hang: true, afterEvents: 3 } as const, calls('look_up'), { text: 'All done.' }];
    const isThere = ({ models }: ChainTest) => models.requests.length === 1;
    await killedWhen(isThere, replies, async ({ result, chain, test }) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
      expect(test.models.requests).toHaveLength(3);
      expect(test.models.aborted).toBe(1);
      const { chain: read } = await chain.describe();
      expect(read.notices).toMatchObject([{ kind: 'retry', text: expect.stringContaining('was lost') }]);
      const [first] = await reservations(test, chain);
      const lost = first!.inputTokens + first!.outputTokens;
      expect(read.state.spent.tokens).toBe(totalTokens(result.usage) + lost);
    });
  });

  it('in a read tool: the call is made again, and the chain goes on as if nothing had been', async () => {
    const replies = [calls('look_up'), { text: 'All done.' }];
    await killedWhen(
      (_, marks) => marks.length === 1,
      replies,
      async ({ result, chain, marks, test }) => {
        expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
        expect(marks.map(({ attempt }) => attempt)).toEqual([1, 2]);
        const { chain: read } = await chain.describe();
        expect(read.steps[0]?.calls).toMatchObject([{ id: '1.1', status: 'ok', observation: 'look_up it: done' }]);
        expect(test.models.requests).toHaveLength(2);
      },
    );
  });

  it('in an idempotent tool: the second attempt carries the key of the first', async () => {
    const replies = [calls('book'), { text: 'All done.' }];
    await killedWhen(
      (_, marks) => marks.length === 1,
      replies,
      ({ result, marks }) => {
        expect(result).toMatchObject({ outcome: 'success', answer: 'All done.' });
        expect(marks.map(({ attempt }) => attempt)).toEqual([1, 2]);
        expect(marks[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
        expect(marks[1]?.idempotencyKey).toBe(marks[0]?.idempotencyKey);
        expect(marks[1]?.pid).not.toBe(marks[0]?.pid);
      },
    );
  });

  it('L5: in an unsafe tool: the effect happened once, and the chain ends naming the call', async () => {
    await killedWhen(
      (_, marks) => marks.length === 1,
      [calls('pay')],
      async ({ result, chain, marks, test }) => {
        expect(marks).toHaveLength(1);
        expect(result).toMatchObject({ outcome: 'failure', success: false, answer: null, steps: 1 });
        expect(result.reason).toBe(
          'The outcome of call 1.1, pay({"thing":"it"}), is unknown: heartbeat timeout. It may have happened; check before it is done again.',
        );
        const { chain: read } = await chain.describe();
        expect(read.steps[0]?.calls).toMatchObject([{ id: '1.1', tool: 'pay', status: 'unknown' }]);
        const { status } = await test.longhand.client.workflow.getHandle(chain.chainId).describe();
        expect(status.name).toBe('FAILED');
      },
    );
  });

  it('in one of several calls of a step: what had ended is not made again, and no step is lost', async () => {
    const both = { calls: [{ name: 'look_up', input: { thing: 'one' } }, { name: 'look_up', input: { thing: 'two' } }] };
    const replies = [both, calls('book'), { text: 'All done.' }];
    await killedWhen(
      (_, marks) => marks.length === 2,
      replies,
      async ({ result, chain, marks }) => {
        expect(result).toMatchObject({ outcome: 'success', steps: 3 });
        expect(marks.map(({ tool, attempt }) => [tool, attempt])).toEqual([
          ['look_up', 1],
          ['look_up', 1],
          ['look_up', 2],
          ['look_up', 2],
          ['book', 1],
        ]);
        const { chain: read } = await chain.describe();
        expect(read.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
        expect(read.steps[0]?.calls.map(({ observation }) => observation)).toEqual([
          'look_up one: done',
          'look_up two: done',
        ]);
      },
    );
  });
});

/** What was reserved for each model call, as the history says. */
async function reservations({ longhand }: ChainTest, { chainId }: ChainHandle) {
  const handle = longhand.client.workflow.getHandle(chainId);
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    if (scheduled?.activityType?.name !== 'longhand.callModel') return [];
    const data = scheduled.input?.payloads?.[0]?.data ?? new Uint8Array();
    return [(JSON.parse(Buffer.from(data).toString()) as CallModelInput).reservation];
  });
}
