/**
 * A worker that ends in the middle of a call loses no step of a chain, whether it is killed (SIGKILL) or stopped.
 * L5: an unsafe effect under way is not repeated by itself; a person resolves its outcome.
 * L6: a model call whose worker was lost is charged its whole reservation, because its usage is unknown.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallModelInput } from '../../../src/contract/activities.js';
import { countTotalTokens } from '../../../src/core/model/usage.js';
import type { ChainHandle, ChainResult, Longhand, Step } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { createKillableAgent, type KillableOptions, type Mark, readMarks } from '../../support/killable-agent.js';
import { decryptPayload } from '../../support/opened.js';
import { giveUpOutcome, sendCommand, waitForRequests } from '../../support/people.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import { startWorkerProcess, stickyQueueScheduleToStartTimeout } from '../../support/worker-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const call = (name: string) => ({ name, input: { thing: 'it' } });
const calls = (name: string): ScriptedReply => ({ text: `I ${name}.`, calls: [call(name)] });

interface Watched {
  readonly test: ChainTest;
  readonly chain: ChainHandle;
  readonly marks: () => readonly Mark[];
}

interface Killed {
  /** The tool that hangs in the worker that is killed. */
  readonly hangingTool: KillableOptions['holds'];
  readonly replies: readonly ScriptedReply[];
  /** Whether the chain has reached the moment at which its worker is killed. */
  readonly when: (watched: Watched) => boolean | Promise<boolean>;
  /** Sends decisions once another worker runs. */
  readonly decide?: (longhand: Longhand, chainId: string) => Promise<void>;
}

/** Runs a chain on a worker process, kills it, and lets another worker continue to the end. */
async function killWorker(
  { hangingTool: holds, replies, when, decide }: Killed,
  then: (watched: Watched, result: ChainResult) => Promise<void>,
): Promise<void> {
  const marks = join(folder, 'marks');
  const agent = createKillableAgent({ marks, holds: null });
  const temporal = { stickyQueueScheduleToStartTimeout };
  await withWorker({ agents: [agent], replies, temporal }, async (test) => {
    await test.worker.stop();
    const doomed = await startWorkerProcess({
      address: getTemporalAddress(),
      taskQueue: test.taskQueue,
      modelUrl: test.models.url,
      bundlePath: getWorkflowBundlePath(),
      marks,
      holds,
    });
    try {
      const chain = await test.longhand.start(agent, 'Do it');
      const watched: Watched = { test, chain, marks: () => readMarks(marks) };
      await expect.poll(() => when(watched), { interval: 50 }).toBe(true);
      await doomed.kill();
      expect(watched.marks().every(({ pid }) => pid === doomed.pid)).toBe(true);
      await test.startWorker();
      await decide?.(test.longhand, chain.chainId);
      await then(watched, await chain.result());
    } finally {
      await doomed.kill();
    }
  });
}

async function readSteps(chain: ChainHandle): Promise<readonly Step[]> {
  return (await chain.describe()).chain.steps;
}

describe('a worker that is killed', () => {
  it('in a model call causes another attempt, and the lost one is charged in full (L6)', async () => {
    const replies = [calls('book'), { hang: true, afterEvents: 3 } as const, calls('look_up'), { text: 'All done.' }];
    const when = ({ test }: Watched) => test.models.requests.length === 2;
    await killWorker({ hangingTool: null, replies, when }, async ({ test, chain, marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 3 });
      expect(test.models.requests).toHaveLength(4);
      expect(test.models.aborted).toBe(1);
      expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
        ['book', 1],
        ['look_up', 1],
      ]);
      const { chain: read } = await chain.describe();
      expect(read.notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('was lost') }]);
      const lost = (await readReservations(test, chain))[1]!;
      expect(read.state.charged.tokens).toBe(countTotalTokens(result.usage) + lost.inputTokens + lost.outputTokens);
    });
  });

  it('in a read tool causes a retry, and the chain continues', async () => {
    const replies = [calls('book'), calls('look_up'), { text: 'All done.' }];
    const when = ({ marks }: Watched) => marks().length === 2;
    await killWorker({ hangingTool: 'look_up', replies, when }, async ({ test, chain, marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 3 });
      expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
        ['book', 1],
        ['look_up', 1],
        ['look_up', 2],
      ]);
      expect((await readSteps(chain)).map(({ calls: [call] }) => call?.observation ?? null)).toEqual([
        'book it: done',
        'look_up it: done',
        null,
      ]);
      expect(test.models.requests).toHaveLength(3);
    });
  });

  it('in a wait loses nothing: the wait ends on the next worker, when its time is over', async () => {
    const waits: ScriptedReply = { text: 'I wait.', calls: [{ name: 'wait', input: { seconds: 4 } }] };
    const replies = [waits, { text: 'All done.' }];
    const when = async ({ chain }: Watched) => (await chain.describe()).chain.state.waits.since !== null;
    await killWorker({ hangingTool: null, replies, when }, async ({ test, chain }, result) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
      const [call] = (await readSteps(chain))[0]?.calls ?? [];
      expect(call).toMatchObject({ status: 'ok', observation: { ended: 'time' } });
      expect((call?.endedAt ?? 0) - (call?.startedAt ?? 0)).toBeGreaterThanOrEqual(4_000);
      expect(test.models.requests).toHaveLength(2);
    });
  });

  it('in an idempotent tool causes a retry with the same key', async () => {
    const replies = [calls('book'), { text: 'All done.' }];
    const when = ({ marks }: Watched) => marks().length === 1;
    await killWorker({ hangingTool: 'book', replies, when }, async ({ marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
      const [first, second, ...more] = marks();
      expect([first?.attempt, second?.attempt, more]).toEqual([1, 2, []]);
      expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
      expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
      expect(second?.pid).not.toBe(first?.pid);
    });
  });

  it('in an unsafe tool causes one effect, and the chain ends with the call if a person gives up (L5)', async () => {
    const replies = [calls('look_up'), calls('pay')];
    const when = ({ marks }: Watched) => marks().length === 2;
    const decide = (longhand: Longhand, chainId: string) => giveUpOutcome(longhand, chainId, '2.1');
    await killWorker({ hangingTool: 'pay', replies, when, decide }, async ({ test, chain, marks }, result) => {
      expect(marks().filter(({ tool }) => tool === 'pay')).toHaveLength(1);
      expect(result).toMatchObject({ outcome: 'failure', success: false, answer: null, steps: 2 });
      expect(result.reasonCode).toBe('given_up');
      expect(result.reason).toContain('call 2.1, pay({"thing":"it"}), is unknown: heartbeat timeout');
      expect((await readSteps(chain))[1]?.calls).toMatchObject([{ id: '2.1', tool: 'pay', status: 'unknown' }]);
      const { status } = await test.longhand.client.workflow.getHandle(chain.chainId).describe();
      expect(status.name).toBe('FAILED');
    });
  });

  it('in an unsafe tool causes one retry if a person resolves the outcome as not happened (L5)', async () => {
    const replies = [calls('pay'), { text: 'All done.' }];
    const when = ({ marks }: Watched) => marks().length === 1;
    const lookedUp = async (longhand: Longhand, chainId: string) => {
      await waitForRequests(longhand, chainId, '1.1');
      await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'not_happened' });
    };
    await killWorker({ hangingTool: 'pay', replies, when, decide: lookedUp }, async ({ marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
      expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
        ['pay', 1],
        ['pay', 1],
      ]);
    });
  });

  it('in an unsafe tool causes no retry if a person resolves the outcome as happened (L5)', async () => {
    const replies = [calls('pay'), { text: 'All done.' }];
    const when = ({ marks }: Watched) => marks().length === 1;
    const lookedUp = async (longhand: Longhand, chainId: string) => {
      await waitForRequests(longhand, chainId, '1.1');
      await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'happened', observation: 'paid, no. 7' });
    };
    await killWorker({ hangingTool: 'pay', replies, when, decide: lookedUp }, async ({ chain, marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', steps: 2 });
      expect(marks()).toHaveLength(1);
      expect((await readSteps(chain))[0]?.calls).toMatchObject([{ status: 'answered', observation: 'paid, no. 7' }]);
    });
  });

  it('in one of several calls causes no retry of the completed calls', async () => {
    const both = { calls: [call('look_up'), call('book')] };
    const replies = [both, { text: 'All done.' }];
    const when = async ({ chain, marks }: Watched) =>
      marks().length === 2 && (await readSteps(chain))[0]?.calls[1]?.status === 'ok';
    await killWorker({ hangingTool: 'look_up', replies, when }, async ({ chain, marks }, result) => {
      expect(result).toMatchObject({ outcome: 'success', steps: 2 });
      expect(marks().filter(({ tool }) => tool === 'book')).toHaveLength(1);
      expect(marks().filter(({ tool }) => tool === 'look_up')).toHaveLength(2);
      expect((await readSteps(chain))[0]?.calls).toMatchObject([
        { id: '1.1', tool: 'look_up', status: 'ok' },
        { id: '1.2', tool: 'book', status: 'ok' },
      ]);
    });
  });
});

describe('a worker that is stopped', () => {
  /** Stops the first worker when `when` is true, while another one runs. */
  async function stopWorker({
    hangingTool: holds,
    replies,
    when,
    decide,
  }: Killed): Promise<Watched & { readonly result: ChainResult }> {
    const path = join(folder, 'marks');
    const agent = createKillableAgent({ marks: path, holds });
    return withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await test.longhand.start(agent, 'Do it');
      const watched: Watched = { test, chain, marks: () => readMarks(path) };
      await expect.poll(() => when(watched)).toBe(true);
      await test.startWorker({ agents: [createKillableAgent({ marks: path, holds: null })] });
      await test.worker.stop();
      await decide?.(test.longhand, chain.chainId);
      return { ...watched, result: await chain.result() };
    });
  }

  it('aborts its model call, which another worker retries', async () => {
    const replies = [{ hang: true, afterEvents: 3 } as const, { text: 'All done.' }];
    const when = ({ test }: Watched) => test.models.requests.length === 1;
    const { result, test } = await stopWorker({ hangingTool: null, replies, when });
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
    expect(test.models.aborted).toBe(1);
  });

  it('aborts a read call, which another worker retries', async () => {
    const replies = [calls('look_up'), { text: 'All done.' }];
    const { result, marks } = await stopWorker({
      hangingTool: 'look_up',
      replies,
      when: (w) => w.marks().length === 1,
    });
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    expect(marks().map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('leaves the outcome of an unsafe call unknown, which is not retried (L5)', async () => {
    const { result, marks } = await stopWorker({
      hangingTool: 'pay',
      replies: [calls('pay')],
      when: (w) => w.marks().length === 1,
      decide: (longhand, chainId) => giveUpOutcome(longhand, chainId, '1.1'),
    });
    expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'given_up' });
    expect(result.reason).toContain('call 1.1');
    expect(marks()).toHaveLength(1);
  });
});

/** The reservation of each model call, from the history. */
async function readReservations({ longhand }: ChainTest, { chainId }: ChainHandle) {
  const handle = longhand.client.workflow.getHandle(chainId);
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    if (scheduled?.activityType?.name !== 'longhand.callModel') return [];
    return [(decryptPayload(scheduled.input?.payloads?.[0]) as CallModelInput).reservation];
  });
}
