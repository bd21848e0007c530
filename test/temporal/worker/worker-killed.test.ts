/**
 * A worker that ends in the middle of a call loses no step of a chain, whether it is killed (SIGKILL) or stopped.
 * L5: an unsafe effect under way is not repeated by itself; a person resolves its outcome.
 * L6: a model call whose worker was lost is charged its whole reservation, because its usage is unknown.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallModelInput } from '../../../src/contract/activities.js';
import { countTotalTokens } from '../../../src/core/model/usage.js';
import type { ChainHandle, ChainResult, Longhand } from '../../../src/entries/client.js';
import type { Step } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { createKillableAgent, type Mark, readMarks } from '../../support/killable-agent.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { decryptPayload } from '../../support/opened.js';
import { giveUpOutcome, sendCommand, waitForRequests } from '../../support/people.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import { startWorkerProcess, stickyQueueScheduleToStartTimeout } from '../../support/worker-process.js';

const held = 'held';
const call = (name: string, thing = 'it') => ({ name, input: { thing } });
const calls = (name: string, thing = 'it'): ScriptedReply => ({ text: `I ${name}.`, calls: [call(name, thing)] });
const done: ScriptedReply = { text: 'All done.' };

interface Scene {
  readonly replies: readonly ScriptedReply[];
  /** Whether the chain has reached the moment at which its worker ends. */
  readonly when: (watched: Watched) => boolean | Promise<boolean>;
  /** Sends decisions once another worker runs. */
  readonly decide?: (longhand: Longhand, chainId: string) => Promise<void>;
}

interface Watched {
  readonly test: ChainTest;
  readonly chain: ChainHandle;
  /** The marks of the chain. */
  readonly marks: () => readonly Mark[];
  /** The model's requests of the chain. */
  readonly requests: () => readonly RecordedRequest[];
}

async function readSteps(chain: ChainHandle): Promise<readonly Step[]> {
  return (await chain.read()).steps;
}

const waitForOutcome = (outcome: object) => async (longhand: Longhand, chainId: string) => {
  await waitForRequests(longhand, chainId, '1.1');
  await sendCommand(longhand, chainId, 'outcome', { call: '1.1', ...outcome });
};

const isHeld = ({ marks }: Watched) =>
  marks().some(({ input }) => (input as { readonly thing?: string }).thing === held);

/** What chains are doing when their worker is killed. */
const scenes = {
  model: {
    replies: [calls('book'), { hang: true, afterEvents: 3 }, calls('look_up'), done],
    when: ({ requests }) => requests().length === 2,
  },
  read: { replies: [calls('book'), calls('look_up', held), done], when: isHeld },
  idempotent: { replies: [calls('book', held), done], when: isHeld },
  givenUp: {
    replies: [calls('look_up'), calls('pay', held)],
    when: isHeld,
    decide: (longhand, chainId) => giveUpOutcome(longhand, chainId, '2.1'),
  },
  notHappened: {
    replies: [calls('pay', held), done],
    when: isHeld,
    decide: waitForOutcome({ outcome: 'not_happened' }),
  },
  happened: {
    replies: [calls('pay', held), done],
    when: isHeld,
    decide: waitForOutcome({ outcome: 'happened', observation: 'paid, no. 7' }),
  },
  several: {
    replies: [{ calls: [call('look_up', held), call('book')] }, done],
    when: async (watched) => isHeld(watched) && (await readSteps(watched.chain))[0]?.calls[1]?.status === 'ok',
  },
  // One of the last: its time must not be over before the others have reached their moments.
  wait: {
    replies: [{ text: 'I wait.', calls: [{ name: 'wait', input: { seconds: 4 } }] }, done],
    when: async ({ chain }) => (await chain.read()).state.waits.since !== null,
  },
  // The last one: after two seconds its call would become an activity.
  local: { replies: [calls('glance', held), done], when: isHeld },
} satisfies Readonly<Record<string, Scene>>;

type SceneName = keyof typeof scenes;
const sceneNames = Object.keys(scenes) as readonly SceneName[];

/** The scene of a request, by the task of its chain. */
function findScene({ body }: RecordedRequest): SceneName {
  const [, name = ''] = /Scene (\w+)/.exec(JSON.stringify(body.messages[0])) ?? [];
  return name as SceneName;
}

describe('a worker that is killed', () => {
  const watched = new Map<SceneName, Watched>();
  let close = async () => {};

  /** Runs all chains on one worker process, kills it, and lets another worker continue. */
  async function killWorker(test: ChainTest, marks: string): Promise<void> {
    await test.worker.stop();
    const doomed = await startWorkerProcess({
      address: getTemporalAddress(),
      taskQueue: test.taskQueue,
      modelUrl: test.models.url,
      bundlePath: getWorkflowBundlePath(),
      marks,
      holds: held,
    });
    try {
      for (const name of sceneNames) {
        const chain = await test.longhand.start('killable', `Scene ${name}`);
        const own = {
          test,
          chain,
          marks: () => readMarks(marks).filter(({ chainId }) => chainId === chain.chainId),
          requests: () => test.models.requests.filter((request) => findScene(request) === name),
        };
        watched.set(name, own);
        await vi.waitUntil(() => scenes[name].when(own));
      }
      await doomed.kill();
      expect(readMarks(marks).every(({ pid }) => pid === doomed.pid)).toBe(true);
      await test.startWorker();
    } finally {
      await doomed.kill();
    }
  }

  beforeAll(async () => {
    const marks = join(mkdtempSync(join(tmpdir(), 'longhand-marks-')), 'marks');
    const next = new Map(sceneNames.map((name) => [name, [...scenes[name].replies] as ScriptedReply[]]));
    const replies = (request: RecordedRequest): ScriptedReply =>
      next.get(findScene(request))?.shift() ?? { text: 'One reply too many.' };
    const agents = [createKillableAgent({ marks, holds: null })];
    const temporal = { stickyQueueScheduleToStartTimeout };
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await new Promise<void>((resolve, reject) => {
      const playing = withWorker({ agents, replies, temporal }, async (test) => {
        await killWorker(test, marks);
        resolve();
        await finished;
      });
      playing.catch(reject);
      close = async () => {
        finish();
        await playing;
        rmSync(join(marks, '..'), { recursive: true });
      };
    });
  });
  afterAll(() => close());

  async function endScene(name: SceneName): Promise<Watched & { readonly result: ChainResult }> {
    const own = watched.get(name);
    if (own === undefined) throw new Error(`The chain of ${name} did not start.`);
    const { decide }: Scene = scenes[name];
    await decide?.(own.test.longhand, own.chain.chainId);
    return { ...own, result: await own.chain.result() };
  }

  it('in a model call causes another attempt, and the lost one is charged in full (L6)', async () => {
    const { test, chain, marks, requests, result } = await endScene('model');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 3 });
    expect(requests()).toHaveLength(4);
    expect(test.models.aborted).toBe(1);
    expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
      ['book', 1],
      ['look_up', 1],
    ]);
    const read = await chain.read();
    expect(read.notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('was lost') }]);
    const lost = (await readReservations(test, chain))[1]!;
    expect(read.state.charged.tokens).toBe(countTotalTokens(result.usage) + lost.inputTokens + lost.outputTokens);
  });

  it('in a read tool causes a retry, and the chain continues', async () => {
    const { chain, marks, requests, result } = await endScene('read');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 3 });
    expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
      ['book', 1],
      ['look_up', 1],
      ['look_up', 2],
    ]);
    expect((await readSteps(chain)).map(({ calls: [call] }) => call?.observation ?? null)).toEqual([
      'book it: done',
      'look_up held: done',
      null,
    ]);
    expect(requests()).toHaveLength(3);
  });

  it('in a local call runs it again, as a local call', async () => {
    const { chain, marks, requests, result } = await endScene('local');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    const [first, second, ...more] = marks();
    expect([first?.attempt, second?.attempt, more]).toEqual([1, 1, []]);
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(second?.pid).not.toBe(first?.pid);
    expect(requests()).toHaveLength(2);
    expect((await chain.read()).steps[0]?.calls).toMatchObject([{ status: 'ok', observation: 'glance held: done' }]);
  });

  it('in a wait loses nothing: the wait ends on the next worker, when its time is over', async () => {
    const { chain, requests, result } = await endScene('wait');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    const [call] = (await readSteps(chain))[0]?.calls ?? [];
    expect(call).toMatchObject({ status: 'ok', observation: { ended: 'time' } });
    expect((call?.endedAt ?? 0) - (call?.startedAt ?? 0)).toBeGreaterThanOrEqual(4_000);
    expect(requests()).toHaveLength(2);
  });

  it('in an idempotent tool causes a retry with the same key', async () => {
    const { marks, result } = await endScene('idempotent');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    const [first, second, ...more] = marks();
    expect([first?.attempt, second?.attempt, more]).toEqual([1, 2, []]);
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(second?.pid).not.toBe(first?.pid);
  });

  it('in an unsafe tool causes one effect, and the chain ends with the call if a person gives up (L5)', async () => {
    const { test, chain, marks, result } = await endScene('givenUp');
    expect(marks().filter(({ tool }) => tool === 'pay')).toHaveLength(1);
    expect(result).toMatchObject({ outcome: 'failure', success: false, answer: null, steps: 2 });
    expect(result.reasonCode).toBe('given_up');
    expect(result.reason).toContain('call 2.1, pay({"thing":"held"}), is unknown: heartbeat timeout');
    expect((await readSteps(chain))[1]?.calls).toMatchObject([{ id: '2.1', tool: 'pay', status: 'unknown' }]);
    const { status } = await test.longhand.client.workflow.getHandle(chain.chainId).describe();
    expect(status.name).toBe('FAILED');
  });

  it('in an unsafe tool causes one retry if a person resolves the outcome as not happened (L5)', async () => {
    const { marks, result } = await endScene('notHappened');
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    expect(marks().map(({ tool, attempt }) => [tool, attempt])).toEqual([
      ['pay', 1],
      ['pay', 1],
    ]);
  });

  it('in an unsafe tool causes no retry if a person resolves the outcome as happened (L5)', async () => {
    const { chain, marks, result } = await endScene('happened');
    expect(result).toMatchObject({ outcome: 'success', steps: 2 });
    expect(marks()).toHaveLength(1);
    expect((await readSteps(chain))[0]?.calls).toMatchObject([{ status: 'answered', observation: 'paid, no. 7' }]);
  });

  it('in one of several calls causes no retry of the completed calls', async () => {
    const { chain, marks, result } = await endScene('several');
    expect(result).toMatchObject({ outcome: 'success', steps: 2 });
    expect(marks().filter(({ tool }) => tool === 'book')).toHaveLength(1);
    expect(marks().filter(({ tool }) => tool === 'look_up')).toHaveLength(2);
    expect((await readSteps(chain))[0]?.calls).toMatchObject([
      { id: '1.1', tool: 'look_up', status: 'ok' },
      { id: '1.2', tool: 'book', status: 'ok' },
    ]);
  });
});

describe('a worker that is stopped', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhand-marks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Stops the first worker when `when` is true, while another one runs. */
  async function stopWorker({ replies, when, decide }: Scene): Promise<Watched & { readonly result: ChainResult }> {
    const path = join(folder, 'marks');
    const agent = createKillableAgent({ marks: path, holds: held });
    return withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await test.longhand.start(agent, 'Do it');
      const own = { test, chain, marks: () => readMarks(path), requests: () => test.models.requests };
      await expect.poll(() => when(own)).toBe(true);
      await test.startWorker({ agents: [createKillableAgent({ marks: path, holds: null })] });
      await test.worker.stop();
      await decide?.(test.longhand, chain.chainId);
      return { ...own, result: await chain.result() };
    });
  }

  it('aborts its model call, which another worker retries', async () => {
    const replies = [{ hang: true, afterEvents: 3 } as const, done];
    const { result, test } = await stopWorker({ replies, when: ({ requests }) => requests().length === 1 });
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
    expect(test.models.aborted).toBe(1);
  });

  it('aborts a read call, which another worker retries', async () => {
    const { result, marks } = await stopWorker({ replies: [calls('look_up', held), done], when: isHeld });
    expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    expect(marks().map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('leaves the outcome of an unsafe call unknown, which is not retried (L5)', async () => {
    const { result, marks } = await stopWorker({
      replies: [calls('pay', held)],
      when: isHeld,
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
