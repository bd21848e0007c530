/** A chain that continues as new is the same for readers, people and budgets. */

import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import type { RunInput } from '../../../src/contract/run-input.js';
import { isContinuation } from '../../../src/core/engine/continue-as-new.js';
import type { ChainHandle, FollowEvent } from '../../../src/entries/client.js';
import { createViewer, type RecordedChain } from '../../../src/entries/view.js';
import { defineAgent, defineTool, delegate } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { matchError } from '../../support/match-error.js';
import { decryptPayload } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { look, replyWithLook } from '../../support/tools.js';

const counter = defineAgent({ name: 'counter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

const replyWithLooks = (count: number): readonly ScriptedReply[] => [
  ...Array.from({ length: count }, (_, place): ScriptedReply => ({ ...replyWithLook(place), text: `Look ${place}.` })),
  { text: 'Seen it all.' },
];

const continueEvery = (steps: number) => ({ worker: { continueAfter: { steps } } });

async function readRecorded({ longhand }: ChainTest, { chainId }: ChainHandle): Promise<RecordedChain> {
  return readRecordedChain(await resolveChainSource(longhand.client, chainId));
}

describe('a chain of several runs', () => {
  it('sends the same requests and has the same result as a chain of one run', async () => {
    const runWith = (options: object) =>
      withWorker({ agents: [counter], replies: replyWithLooks(10), ...options }, async (test) => {
        const chain = await test.longhand.start(counter, 'Look');
        const result = await chain.result();
        const { runs, chain: read } = await readRecorded(test, chain);
        const { steps, outcome, answer, usage, costUsd } = result;
        const requests = test.models.requests.map(({ body }) => body);
        return {
          runs: runs.length,
          requests,
          result: { steps, outcome, answer, usage, costUsd },
          thoughts: read.steps.map(({ thought }) => thought),
        };
      });
    const { runs, ...whole } = await runWith({ worker: { continueAfter: {} } });
    const { runs: cut, ...joined } = await runWith(continueEvery(3));
    expect([runs, cut]).toEqual([1, 4]);
    expect(joined).toEqual(whole);
  });

  it('is followed through its runs from any position without gaps or repeats', async () => {
    await withWorker({ agents: [counter], replies: replyWithLooks(7), ...continueEvery(2) }, async ({ longhand }) => {
      const chain = await longhand.start(counter, 'Look');
      const followed: FollowEvent[] = [];
      for await (const event of chain.follow()) followed.push(event);
      const steps = followed.flatMap((event) => (event.type === 'step-added' ? [event.step.number] : []));
      expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(followed.at(-1)?.type).toBe('chain-ended');
      expect(new Set(followed.map(({ runId }) => runId)).size).toBe(4);
      for (const [at, from] of followed.entries()) {
        const rest: FollowEvent[] = [];
        for await (const event of chain.follow({ from })) rest.push(event);
        expect(rest).toEqual(followed.slice(at + 1));
      }
    });
  });

  it('carries a small state that does not grow with its length', async () => {
    await withWorker({ agents: [counter], replies: replyWithLooks(30), ...continueEvery(5) }, async (test) => {
      const chain = await test.longhand.start(counter, 'Look', { limits: { steps: 50 } });
      await chain.result();
      const { runs } = await readRecorded(test, chain);
      const sizes = await Promise.all(runs.slice(1).map(({ runId }) => measureSnapshot(test, chain, runId)));
      expect(sizes).toHaveLength(6);
      expect(Math.max(...sizes)).toBeLessThan(20_000);
    });
  });

  it('is shown in the Web UI and found by its search attributes', async () => {
    await withWorker({ agents: [counter], replies: replyWithLooks(4), ...continueEvery(2) }, async ({ longhand }) => {
      const chain = await longhand.start(counter, 'Look', { tenant: 'acme' });
      await chain.result();
      const described = await longhand.client.workflow.getHandle(chain.chainId).describe();
      expect(
        await longhand.client.workflow.getHandle(chain.chainId).query('__temporal_workflow_metadata'),
      ).toMatchObject({
        currentDetails: expect.stringMatching(/\*\*Task\*\* Look · run 3.*\*\*1\*\* Look 0\..*\*\*4\*\* Look 3\./s),
      });
      expect(described.searchAttributes).toMatchObject({
        LonghandTenant: ['acme'],
        LonghandOutcome: ['success'],
        LonghandSteps: [5],
      });
    });
  });

  it('can be viewed in part: a range of steps, as the chain was then, and the newest', async () => {
    await withWorker({ agents: [counter], replies: replyWithLooks(5), ...continueEvery(2) }, async ({ longhand }) => {
      const chain = await longhand.start(counter, 'Look');
      await chain.result();
      const auditor = createViewer('auditor');
      const whole = await chain.view(auditor);
      const middle = await chain.view(auditor, {}, { from: 2, to: 3 });
      expect(middle.steps).toEqual(whole.steps.filter(({ number }) => number === 2 || number === 3));
      expect(middle).toMatchObject({ outcome: null, answer: null });
      const newest = await chain.view(auditor, {}, { last: 2 });
      expect(newest).toEqual({ ...whole, steps: whole.steps.filter(({ number }) => number >= 5) });
      await expect(chain.view(auditor, {}, { from: 3, to: 2 })).rejects.toMatchObject(
        matchError('invalid_options', 'from is 3, after to, 2'),
      );
    });
  });

  it('is described from the history of its last run', async () => {
    await withWorker({ agents: [counter], replies: replyWithLooks(5), ...continueEvery(2) }, async ({ longhand }) => {
      const chain = await longhand.start(counter, 'Look');
      const { steps, costUsd } = await chain.result();
      const fetched = vi.spyOn(longhand.client.workflowService, 'getWorkflowExecutionHistory');
      const { runId, ...described } = await chain.describe();
      expect(fetched.mock.calls.map(([{ execution }]) => execution?.runId)).toEqual([runId]);
      expect(described).toMatchObject({ task: 'Look', status: 'ended', outcome: 'success', steps, costUsd });
      expect((await chain.read()).steps).toHaveLength(steps);
    });
  });

  it('can be viewed in full and forked at a step of an earlier run', async () => {
    await withWorker(
      { agents: [counter], replies: [...replyWithLooks(5), { text: 'Forked.' }], ...continueEvery(2) },
      async ({ longhand }) => {
        const chain = await longhand.start(counter, 'Look');
        await chain.result();
        const seen = (await chain.view(createViewer('developer'))).steps.map(({ number }) => number);
        expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
        const fork = await longhand.fork(chain.chainId, { atStep: 2, message: 'And now?' });
        expect((await fork.result()).answer).toBe('Forked.');
      },
    );
  });
});

async function measureSnapshot({ longhand }: ChainTest, { chainId }: ChainHandle, runId: string): Promise<number> {
  const { client } = longhand;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: chainId, runId },
    maximumPageSize: 1,
  });
  const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  expect(isContinuation(decryptPayload(payload) as RunInput)).toBe(true);
  return payload?.data?.length ?? 0;
}

describe('a continue-as-new', () => {
  it('keeps a request open, which a person approves in the next run', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ usd: z.number() }),
      effects: 'unsafe',
      execute: ({ usd }) => `paid ${usd}`,
    });
    const payer = defineAgent({ name: 'payer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [pay, look] });
    const replies = [
      ...replyWithLooks(1).slice(0, 1),
      { text: 'I pay.', calls: [{ name: 'pay', input: { usd: 7 } }] },
      { text: 'Paid.' },
    ];
    await withWorker({ agents: [payer], replies, ...continueEvery(1) }, async (test) => {
      const chain = await test.longhand.start(payer, 'Pay', { user: 'kim' });
      const [request] = await waitForRequest(chain);
      const { runs } = await readRecorded(test, chain);
      expect(runs.length).toBeGreaterThan(1);
      await chain.approve(request?.call ?? '', { by: 'ada' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Paid.' });
    });
  });

  it('keeps counting steps towards the limit', async () => {
    await withWorker(
      { agents: [counter], replies: [...replyWithLooks(6).slice(0, 5), { text: 'Summed up.' }], ...continueEvery(2) },
      async ({ longhand }) => {
        const chain = await longhand.start(counter, 'Look', { limits: { steps: 5 } });
        expect(await chain.result()).toMatchObject({ outcome: 'max_iterations', steps: 5 });
      },
    );
  });

  it('of a sub-chain does not affect the result that its parent sees', async () => {
    const parent = defineAgent({
      name: 'parent',
      model: 'claude-sonnet-5-5',
      strategy: 'tools',
      tools: [delegate(counter)],
    });
    const replies = (request: {
      readonly body: { readonly system?: unknown; readonly messages: readonly unknown[] };
    }): ScriptedReply => {
      const text = JSON.stringify(request.body.messages);
      if (text.includes('Delegate it')) {
        return text.includes('Counted.')
          ? { text: 'Delegated.' }
          : { text: 'I delegate.', calls: [{ name: 'counter', input: { task: 'Look five times' } }] };
      }
      const seen = (text.match(/something at \d/g) ?? []).length;
      return seen < 5 ? replyWithLook(seen) : { text: 'Counted.' };
    };
    await withWorker({ agents: [parent, counter], replies, ...continueEvery(2) }, async (test) => {
      const chain = await test.longhand.start(parent, 'Delegate it');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Delegated.' });
      const below = (await chain.read()).steps[0]?.calls[0]?.chains?.[0]?.chainId ?? '';
      const { runs, chain: read } = await readRecorded(test, test.longhand.getHandle(below));
      expect(runs.length).toBe(3);
      expect(read.steps).toHaveLength(6);
    });
  });
});

async function waitForRequest(chain: ChainHandle) {
  for await (const event of chain.follow()) if (event.type === 'request-opened') break;
  return chain.listRequests();
}
