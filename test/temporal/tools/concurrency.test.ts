/** Tools that limit how many of their calls run at the same time, in a worker and over all workers of a task queue. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseHeartbeatDetails } from '../../../src/contract/interim.js';
import type { ChainHandle, Longhand } from '../../../src/entries/client.js';
import { decodeFirstValue } from '../../../src/history/payload.js';
import { type Concurrency, defineAgent, defineTool, type Effects } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

interface Counted {
  readonly concurrency?: Concurrency;
  readonly taskQueue?: string;
  readonly effects?: Effects;
  readonly timeout?: string;
}

/** A tool that counts how many of its calls run, and ends a call when the test releases it. */
function createCounted({ effects = 'read', timeout = '1m', ...limit }: Counted) {
  const running = new Set<string>();
  const seen = { most: 0, begun: [] as string[] };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tool = defineTool({
    name: 'query',
    description: 'Queries',
    inputSchema: z.object({ id: z.string() }),
    effects,
    approval: false,
    retry: { attempts: 1 },
    timeout: timeout as '1m',
    ...limit,
    execute: async ({ id }, { signal }) => {
      running.add(id);
      seen.begun.push(id);
      seen.most = Math.max(seen.most, running.size);
      const aborted = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      await Promise.race([released, aborted]).finally(() => running.delete(id));
      return 'found';
    },
  });
  const agent = defineAgent({ name: 'caller', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [tool] });
  return { agent, running, seen, release: () => release() };
}

/** Returns the interim results of running calls, as `chain show` reads them. */
async function readWaits({ client }: Longhand, { chainId }: ChainHandle) {
  const { raw } = await client.workflow.getHandle(chainId).describe();
  const converter = client.workflow.options.loadedDataConverter;
  const found = (raw.pendingActivities ?? []).map(async ({ activityId, heartbeatDetails }) => {
    const payloads = heartbeatDetails?.payloads;
    if (payloads == null || payloads.length === 0) return [];
    const { interim } = parseHeartbeatDetails(await decodeFirstValue<unknown>(converter, payloads, chainId));
    return interim === null ? [] : [{ call: activityId ?? '', value: interim.interim.value }];
  });
  return (await Promise.all(found)).flat();
}

const asks = (...ids: readonly string[]): ScriptedReply => ({
  text: 'I query.',
  calls: ids.map((id) => ({ name: 'query', input: { id } })),
});
const done: ScriptedReply = { text: 'Done.' };

it('never runs more calls than the limit of each worker, in two workers with five chains, and states why a call waits', async () => {
  const { agent, running, seen, release } = createCounted({ concurrency: 2 });
  await withWorker({ agents: [agent] }, async ({ longhand, models, startWorker }) => {
    await startWorker();
    models.push(...[1, 2, 3, 4, 5].map((at) => asks(`${at}a`, `${at}b`)), ...[1, 2, 3, 4, 5].map(() => done));
    const chains = await Promise.all([1, 2, 3, 4, 5].map((at) => longhand.start(agent, `Query ${at}`)));
    await expect.poll(() => running.size, { timeout: 20_000 }).toBe(4);
    const readInterims = async () => {
      const found = await Promise.all(chains.map((chain) => readWaits(longhand, chain)));
      return found.flat().map(({ value }) => value);
    };
    await expect
      .poll(readInterims, { timeout: 20_000 })
      .toContain('Waiting for a free slot: 2 of 2 calls of query run in this worker.');
    expect(seen.begun).toHaveLength(4);
    release();
    for (const chain of chains) expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(seen.most).toBe(4);
    expect(seen.begun.sort()).toEqual([1, 2, 3, 4, 5].flatMap((at) => [`${at}a`, `${at}b`]));
  });
});

it('a task queue of its own limits a tool over all workers: its calls wait there without a slot of the chain’s workers', async () => {
  const taskQueue = `limited-${randomUUID()}`;
  const { agent, running, seen, release } = createCounted({ taskQueue });
  await withWorker({ agents: [agent] }, async ({ longhand, models, startWorker }) => {
    await startWorker();
    await startWorker({ taskQueue, temporal: { maxConcurrentActivityTaskExecutions: 3 } });
    models.push(...[1, 2, 3, 4, 5].map((at) => asks(`${at}a`, `${at}b`)), ...[1, 2, 3, 4, 5].map(() => done));
    const chains = await Promise.all([1, 2, 3, 4, 5].map((at) => longhand.start(agent, `Query ${at}`)));
    await expect.poll(() => running.size, { timeout: 20_000 }).toBe(3);
    release();
    for (const chain of chains) expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(seen.most).toBe(3);
    expect(seen.begun.sort()).toEqual([1, 2, 3, 4, 5].flatMap((at) => [`${at}a`, `${at}b`]));
  });
});

it('an unsafe call that waits for a slot is not done when its chain is cancelled', async () => {
  const { agent, seen } = createCounted({ concurrency: 1, effects: 'unsafe' });
  await withWorker({ agents: [agent], replies: [asks('1.1', '1.2')] }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Query');
    // Either call may come first.
    await expect.poll(() => seen.begun.length).toBe(1);
    const [begun] = seen.begun;
    const waits = async () => (await readWaits(longhand, chain)).map(({ call }) => call);
    await expect.poll(waits, { timeout: 10_000 }).toEqual([begun === '1.1' ? '1.2' : '1.1']);
    await chain.cancel({ by: 'ann' });
    await chain.result();
    const calls = (await chain.read()).steps.flatMap((step) => step.calls);
    expect(calls.find(({ id }) => id === begun)).toMatchObject({ status: 'unknown' });
    expect(calls.find(({ id }) => id !== begun)).toMatchObject({
      status: 'error',
      observation: expect.stringMatching(
        /^It did not run: (it was|its chain) stopped while it waited for a free slot\.$/,
      ),
    });
    expect(seen.begun).toEqual([begun]);
  });
});

it('the wait for a slot is not part of the time limit, which ends a call in time', async () => {
  const { agent, seen } = createCounted({ concurrency: 1, timeout: '1500ms' });
  const replies = [asks('first', 'second'), done];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Query');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const calls = (await chain.read()).steps.flatMap((step) => step.calls);
    const text = 'query did not answer in time (its time limit of 1.5 s).';
    expect(calls.map(({ status, observation }) => [status, observation])).toEqual([
      ['error', text],
      ['error', text],
    ]);
    expect(seen.most).toBe(1);
    expect(seen.begun.sort()).toEqual(['first', 'second']);
  });
});
