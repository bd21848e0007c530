/** A chain that goes on in new runs: nobody who reads it, directs it or pays for it notices. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import type { RunInput } from '../../../src/contract/run-input.js';
import { isContinuation } from '../../../src/core/engine/continue-as-new.js';
import {
  type ChainHandle,
  createViewer,
  defineAgent,
  defineTool,
  delegate,
  type FollowEvent,
  type RecordedChain,
} from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { decryptPayload } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const look = defineTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ at: z.number() }),
  effects: 'read',
  execute: ({ at }) => `saw ${at}`,
});
const counter = defineAgent({ name: 'counter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

const looks = (count: number): readonly ScriptedReply[] => [
  ...Array.from(
    { length: count },
    (_, at): ScriptedReply => ({ text: `Look ${at}.`, calls: [{ name: 'look', input: { at } }] }),
  ),
  { text: 'Seen it all.' },
];

const every = (steps: number) => ({ worker: { continueAfter: { steps } } });

async function recordedOf({ longhand }: ChainTest, { chainId }: ChainHandle): Promise<RecordedChain> {
  return readRecordedChain(await resolveChainSource(longhand.client, chainId));
}

describe('a chain of several runs', () => {
  it('sends the same requests and has the same result as a chain of one run', async () => {
    const cameTo = (options: object) =>
      withWorker({ agents: [counter], replies: looks(10), ...options }, async (test) => {
        const chain = await test.longhand.start(counter, 'Look');
        const result = await chain.result();
        const { runs, chain: read } = await recordedOf(test, chain);
        const { steps, outcome, answer, usage, costUsd } = result;
        const asked = test.models.requests.map(({ body }) => body);
        return {
          runs: runs.length,
          asked,
          result: { steps, outcome, answer, usage, costUsd },
          thoughts: read.steps.map(({ thought }) => thought),
        };
      });
    const { runs, ...whole } = await cameTo({ worker: { continueAfter: {} } });
    const { runs: cut, ...joined } = await cameTo(every(3));
    expect([runs, cut]).toEqual([1, 4]);
    expect(joined).toEqual(whole);
  });

  it('is followed through its runs from any position without gaps or repeats', async () => {
    await withWorker({ agents: [counter], replies: looks(7), ...every(2) }, async ({ longhand }) => {
      const chain = await longhand.start(counter, 'Look');
      const told: FollowEvent[] = [];
      for await (const event of chain.follow()) told.push(event);
      const steps = told.flatMap((event) => (event.type === 'step-added' ? [event.step.number] : []));
      expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(told.at(-1)?.type).toBe('chain-ended');
      expect(new Set(told.map(({ runId }) => runId)).size).toBe(4);
      for (const [at, from] of told.entries()) {
        const rest: FollowEvent[] = [];
        for await (const event of chain.follow({ from })) rest.push(event);
        expect(rest).toEqual(told.slice(at + 1));
      }
    });
  });

  it('carries a small state that does not grow with its length', async () => {
    await withWorker({ agents: [counter], replies: looks(30), ...every(5) }, async (test) => {
      const chain = await test.longhand.start(counter, 'Look', { limits: { steps: 50 } });
      await chain.result();
      const { runs } = await recordedOf(test, chain);
      const sizes = await Promise.all(runs.slice(1).map(({ runId }) => snapshotBytes(test, chain, runId)));
      expect(sizes).toHaveLength(6);
      expect(Math.max(...sizes)).toBeLessThan(20_000);
    });
  });

  it('is shown in the Web UI and found by its search attributes', async () => {
    await withWorker({ agents: [counter], replies: looks(4), ...every(2) }, async ({ longhand }) => {
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

  it('can be viewed in full and forked at a step of an earlier run', async () => {
    await withWorker(
      { agents: [counter], replies: [...looks(5), { text: 'Forked.' }], ...every(2) },
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

async function snapshotBytes({ longhand }: ChainTest, { chainId }: ChainHandle, runId: string): Promise<number> {
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
      ...looks(1).slice(0, 1),
      { text: 'I pay.', calls: [{ name: 'pay', input: { usd: 7 } }] },
      { text: 'Paid.' },
    ];
    await withWorker({ agents: [payer], replies, ...every(1) }, async (test) => {
      const chain = await test.longhand.start(payer, 'Pay', { user: 'kim' });
      const [request] = await waitingIn(chain);
      const { runs } = await recordedOf(test, chain);
      expect(runs.length).toBeGreaterThan(1);
      await chain.approve(request?.call ?? '', { by: 'ada' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Paid.' });
    });
  });

  it('keeps counting steps towards the limit', async () => {
    await withWorker(
      { agents: [counter], replies: [...looks(6).slice(0, 5), { text: 'Summed up.' }], ...every(2) },
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
      const said = JSON.stringify(request.body.messages);
      if (said.includes('Delegate it')) {
        return said.includes('Counted.')
          ? { text: 'Told.' }
          : { text: 'I delegate.', calls: [{ name: 'counter', input: { task: 'Look five times' } }] };
      }
      const seen = (said.match(/saw \d/g) ?? []).length;
      return seen < 5 ? { text: 'Look.', calls: [{ name: 'look', input: { at: seen } }] } : { text: 'Counted.' };
    };
    await withWorker({ agents: [parent, counter], replies, ...every(2) }, async (test) => {
      const chain = await test.longhand.start(parent, 'Delegate it');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Told.' });
      const below = (await chain.describe()).chain.steps[0]?.calls[0]?.chains?.[0]?.chainId ?? '';
      const { runs, chain: read } = await recordedOf(test, test.longhand.getHandle(below));
      expect(runs.length).toBe(3);
      expect(read.steps).toHaveLength(6);
    });
  });
});

async function waitingIn(chain: ChainHandle) {
  for await (const event of chain.follow()) if (event.type === 'request-opened') break;
  return chain.listRequests();
}
