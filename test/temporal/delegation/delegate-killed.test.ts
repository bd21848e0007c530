/**
 * Trees of 1 + 3 + 9 chains whose worker is killed (SIGKILL) in the middle of a fan-out: they continue, no sub-chain starts
 * twice, and no tree exceeds its budget (L6), compared with the usage that the model's server reported.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { computeTotalUse } from '../../../src/core/engine/state/budget-tree.js';
import { addUsage, computeCost, countTotalTokens, noUsage } from '../../../src/core/model/usage.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { describeLong } from '../../support/budget.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { listRunning, playRoles } from '../../support/delegating.js';
import { readMarks } from '../../support/killable-agent.js';
import { createKillableTree, treeRoles } from '../../support/killable-tree.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { type ScriptedReply, toWireReply } from '../../support/scripted-reply.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import { startWorkerProcess, stickyQueueScheduleToStartTimeout } from '../../support/worker-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const getMarksPath = () => join(folder, 'marks');

/** Runs `begin` on a worker process, kills it when `when` is true, and lets another worker continue. */
async function killInTheMiddle(
  test: ChainTest,
  begin: () => Promise<readonly ChainHandle[]>,
  when: () => boolean,
): Promise<readonly ChainHandle[]> {
  await test.worker.stop();
  const doomed = await startWorkerProcess({
    address: getTemporalAddress(),
    taskQueue: test.taskQueue,
    modelUrl: test.models.url,
    bundlePath: getWorkflowBundlePath(),
    marks: getMarksPath(),
    holds: null,
    tree: true,
  });
  try {
    const chains = await begin();
    await expect.poll(when, { interval: 20 }).toBe(true);
    await doomed.kill();
    await test.startWorker();
    return chains;
  } finally {
    await doomed.kill();
  }
}

const createTree = () => [createKillableTree({ marks: getMarksPath(), holds: null })];

describe('a worker that is killed in the middle of a fan-out', () => {
  // Every task of the worker that takes over replays its chain from the start.
  const temporal = { stickyQueueScheduleToStartTimeout, maxCachedWorkflows: 0 };

  it('loses no sub-chain and starts none twice', async () => {
    await withWorker({ agents: createTree(), replies: playRoles(treeRoles), temporal }, async (test) => {
      // A call that is lost with its worker is charged in full: the budget pays for one loss of each call.
      const limits = { costUsd: 20, tokens: 20_000_000 };
      const begin = async () => [await test.longhand.start('top', 'Book', { limits })];
      const [chain] = await killInTheMiddle(test, begin, () => readMarks(getMarksPath()).length >= 3);
      expect(await chain?.result()).toMatchObject({ outcome: 'success', subtree: { chains: 12 } });
      for (const each of await listTree(test, chain?.chainId ?? '')) {
        expect(await test.longhand.getHandle(each).result()).toMatchObject({ outcome: 'success', steps: 2 });
      }
      const effects = new Set(readMarks(getMarksPath()).map(({ idempotencyKey }) => idempotencyKey));
      expect(effects.size).toBe(9);
      expect(new Set(readMarks(getMarksPath()).map(({ chainId }) => chainId)).size).toBe(9);
      expect(await countInitiated(test, chain?.chainId ?? '')).toBe(12);
    });
  });
});

/** Returns the number of sub-chains that the chains of a tree have initiated. */
async function countInitiated(test: ChainTest, root: string): Promise<number> {
  let all = 0;
  for (const chainId of await listTree(test, root)) {
    const { events } = await test.longhand.client.workflow.getHandle(chainId).fetchHistory();
    all += (events ?? []).filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes).length;
  }
  return all;
}

async function listTree({ longhand }: ChainTest, root: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of longhand.client.workflow.list({ query: `LonghandRoot = '${root}'` })) {
    ids.push(workflowId);
  }
  return ids;
}

describeLong('ten trees with a budget each', () => {
  it('are never overspent when models fail and sub-chains are ended', async () => {
    const bill = new Bill(Math.floor(Math.random() * 2 ** 31));
    const temporal = { stickyQueueScheduleToStartTimeout };
    await withWorker({ agents: createTree(), replies: (request) => bill.reply(request), temporal }, async (test) => {
      const seeds = Array.from({ length: 10 }, (_, seed) => seed);
      const limits = (seed: number) => ({ costUsd: [0.15, 0.4, 2][seed % 3], tokens: [80_000, 400_000][seed % 2] });
      const begin = () =>
        Promise.all(seeds.map((seed) => test.longhand.start('top', `Tree #${seed}#`, { limits: limits(seed) })));
      const chains = await killInTheMiddle(test, begin, () => test.models.requests.length >= 40);
      const { workflow } = test.longhand.client;
      for (const { chainId } of chains) {
        await workflow
          .getHandle(`${chainId}/1.1`)
          .terminate('a test')
          .catch(() => {});
        await workflow
          .getHandle(`${chainId}/1.2`)
          .cancel()
          .catch(() => {});
      }
      let below = 0;
      let reported = 0;
      for (const [seed, chain] of chains.entries()) {
        await chain.result();
        await expect.poll(() => listRunning(test.longhand, chain.chainId)).toEqual([]);
        const { state } = await chain.read();
        const { tokens = 0, costUsd = 0 } = limits(seed);
        const used = bill.of(seed);
        const usd = computeCost(used, state.agent?.model.price ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
        const inAll = computeTotalUse(state);
        below += state.subChainTotals.chains;
        const seen = `seed ${bill.seed}, tree ${seed}`;
        // A tree whose first call is lost with its worker may be charged its whole budget: no usage is ever reported.
        if (countTotalTokens(used) > 0) reported++;
        expect(countTotalTokens(used), seen).toBeLessThanOrEqual(tokens);
        expect(usd, seen).toBeLessThanOrEqual(costUsd);
        expect(inAll.tokens, seen).toBeGreaterThanOrEqual(countTotalTokens(used));
        expect(inAll.usd, seen).toBeGreaterThanOrEqual(usd);
        expect(inAll.tokens, seen).toBeLessThanOrEqual(tokens);
        expect(inAll.usd, seen).toBeLessThanOrEqual(costUsd);
      }
      expect(below, `seed ${bill.seed}`).toBeGreaterThan(20);
      expect(reported, `seed ${bill.seed}`).toBeGreaterThanOrEqual(5);
    });
  });
});

/** The replies and failures of the model's server, and the usage that it reported to each tree. */
class Bill {
  private readonly used = new Map<number, typeof noUsage>();
  private readonly play = playRoles(treeRoles);
  private drawn = 0;

  constructor(readonly seed: number) {}

  of(tree: number): typeof noUsage {
    return this.used.get(tree) ?? noUsage;
  }

  reply(request: RecordedRequest): ScriptedReply {
    const fate = this.choose(12);
    // A root whose model call fails has no tree.
    const rejected = fate === 0 && !JSON.stringify(request.body.system).includes('You are top.');
    if (rejected) return { status: 400, error: { type: 'invalid_request_error', message: 'scripted' } };
    if (fate === 1) return { status: 529, error: { type: 'overloaded_error', message: 'scripted' } };
    const input = Math.ceil(request.bytes / 4);
    if (fate === 2) return this.cut(request, input);
    const output = 1 + this.choose(Math.min(request.body.max_tokens, 3_000));
    this.charge(request, { ...noUsage, input, output });
    return { ...this.play(request), usage: { input, output } } as ScriptedReply;
  }

  /** Cuts the reply, so that its usage is not reported. */
  private cut(request: RecordedRequest, input: number): ScriptedReply {
    const text = 'Before the line broke';
    const facts = { model: request.body.model, bytes: request.bytes, stopSequences: [], callId: () => '' };
    this.charge(request, { ...toWireReply({ text }, facts).usage, input });
    return { cutAfter: 3, text };
  }

  private charge(request: RecordedRequest, usage: typeof noUsage): void {
    const tree = Number(/#(\d+)#/.exec(JSON.stringify(request.body.messages))?.[1]);
    this.used.set(tree, addUsage(this.of(tree), usage));
  }

  private choose(n: number): number {
    let mixed = Math.imul(this.seed ^ ++this.drawn, 0x9e3779b1);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
    return ((mixed ^ (mixed >>> 13)) >>> 0) % Math.max(1, n);
  }
}
