/**
 * Local calls on a real server. L1: at the end of each test, the workflow's state after each task equals the fold of the history
 * (chain-test.ts), with all its turns.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { stateQuery, workflowType } from '../../../src/contract/names.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { readForward } from '../../../src/history/read-history.js';
import { defineAgent, defineTool, type Tool, ToolError } from '../../../src/index.js';
import { type ChainTest, expectOneTruth, withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';

const square = defineTool({
  name: 'square',
  description: 'Squares a number',
  inputSchema: z.object({ number: z.number() }),
  effects: 'pure',
  local: true,
  execute: ({ number }) => ({ number, square: number * number }),
});

const calls = (...numbers: readonly number[]): ScriptedReply => ({
  text: 'I square.',
  calls: numbers.map((number) => ({ name: 'square', input: { number } })),
});
const done: ScriptedReply = { text: 'Done.' };

function createAgent(...tools: readonly Tool[]) {
  return defineAgent({ name: 'squarer', model: 'claude-sonnet-5-5', strategy: 'tools', tools });
}

/** A local tool, and when its call has started. */
function createSlowTool(ms: number): { readonly tool: Tool; readonly started: Promise<void> } {
  let begin = () => {};
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const tool = defineTool({
    ...{ name: 'slow', description: 'Slow', inputSchema: z.object({}), effects: 'read', local: true },
    execute: async () => {
      begin();
      await pause(ms);
      return 'late';
    },
  });
  return { tool, started };
}

/** Names of the event types of a chain, and the activity types that it scheduled. */
async function readEvents({ longhand }: ChainTest, chain: ChainHandle) {
  const { runs } = await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId));
  const service = longhand.client.connection.workflowService;
  const history = { service, namespace: longhand.client.options.namespace };
  const events = [];
  for (const { runId } of runs)
    for await (const page of readForward(history, { workflowId: chain.chainId, runId })) events.push(...page);
  return {
    count: events.length,
    markers: events.filter(({ markerRecordedEventAttributes: marker }) => marker).length,
    memos: events.filter(({ workflowPropertiesModifiedEventAttributes: memo }) => memo).length,
    activities: events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name?.startsWith('longhand.') === false ? [scheduled.activityType.name] : [],
    ),
  };
}

async function readObservations(chain: ChainHandle) {
  const { steps } = await chain.read();
  return steps.flatMap(({ calls }) => calls.map(({ status }) => status));
}

describe('local calls', () => {
  it('take seven events a step, and no activity', async () => {
    const agent = createAgent(square);
    const replies = [calls(1), calls(2), calls(3), calls(4, 5, 6), calls(7), done];
    await withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await test.longhand.start(agent, 'Square');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const events = await readEvents(test, chain);
      // One of the preparation.
      expect(events).toMatchObject({ markers: 8, memos: 0, activities: [] });
      expect(await readObservations(chain)).toEqual(Array(7).fill('ok'));
    });
  });

  it('are replayed in each task without a cached workflow', async () => {
    const agent = createAgent(square);
    const temporal = { maxCachedWorkflows: 0 };
    await withWorker({ agents: [agent], replies: [calls(1, 2), calls(3), done], temporal }, async (test) => {
      const chain = await test.longhand.start(agent, 'Square');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    });
  });

  it('run as activities where one of the step is not local', async () => {
    const agent = createAgent(square, note);
    const mixed: ScriptedReply = {
      text: 'Both.',
      calls: [
        { name: 'square', input: { number: 2 } },
        { name: 'note', input: { text: 'x' } },
      ],
    };
    await withWorker({ agents: [agent], replies: [mixed, done] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Square');
      await chain.result();
      expect((await readEvents(test, chain)).activities.sort()).toEqual(['note', 'square']);
    });
  });

  it.each([
    ['the agent', { localCalls: false }, {}],
    ['the worker', {}, { localCalls: false }],
  ])('run as activities where %s has switched them off', async (_, options, worker) => {
    const agent = defineAgent({
      ...{ name: 'squarer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [square] },
      ...options,
    });
    await withWorker({ agents: [agent], replies: [calls(1), done], worker }, async (test) => {
      const chain = await test.longhand.start(agent, 'Square');
      await chain.result();
      expect((await readEvents(test, chain)).activities).toEqual(['square']);
    });
  });

  it('run as activities after they failed, or took too long', async () => {
    const runs = { fail: 0, wait: 0 };
    const flaky = (name: 'fail' | 'wait', first: () => unknown) =>
      defineTool({
        ...{ name, description: name, inputSchema: z.object({}), effects: 'read', local: true },
        execute: () => (++runs[name] === 1 ? first() : 'second'),
      });
    const fail = flaky('fail', () => {
      throw new Error('no');
    });
    const refuse = defineTool({
      ...{ name: 'refuse', description: 'Refuses', inputSchema: z.object({}), effects: 'read', local: true },
      execute: () => {
        throw new ToolError('Ask for something else.');
      },
    });
    const wait = flaky('wait', () => pause(3_000, 'first', { ref: false }));
    const agent = createAgent(square, fail, wait, refuse);
    const reply = (name: string): ScriptedReply => ({ text: name, calls: [{ name, input: {} }] });
    await withWorker(
      { agents: [agent], replies: [reply('fail'), reply('wait'), reply('refuse'), done] },
      async (test) => {
        const chain = await test.longhand.start(agent, 'Try');
        expect(await chain.result()).toMatchObject({ outcome: 'success' });
        expect((await readEvents(test, chain)).activities).toEqual(['fail', 'wait']);
        expect(await readObservations(chain)).toEqual(['ok', 'ok', 'error']);
      },
    );
  });

  it('keep their turns apart while the chain is queried and steered', async () => {
    const slow = createSlowTool(1_000);
    const agent = createAgent(square, slow.tool);
    const both = [
      { name: 'slow', input: {} },
      { name: 'square', input: { number: 2 } },
    ];
    const replies = [calls(1), { text: 'Both.', calls: both }, calls(3), done];
    await withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await test.longhand.start(agent, 'Square');
      const query = () => test.longhand.client.workflow.getHandle(chain.chainId).query(stateQuery);
      await slow.started;
      await Promise.all([query(), query(), chain.steer('Go faster', { by: 'Ada' }), query()]);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    });
  });

  it('keep their turns apart where their workflow task ends without a command, after one without a turn', async () => {
    const slow = createSlowTool(1_500);
    const agent = createAgent(square, slow.tool);
    let reply = () => {};
    const waitsFor = new Promise<void>((resolve) => {
      reply = resolve;
    });
    const slowly = { text: 'Slowly.', calls: [{ name: 'slow', input: {} }], waitsFor };
    await withWorker({ agents: [agent], replies: [calls(1), slowly, calls(3), done] }, async (test) => {
      const { client } = test.longhand;
      // The SDK ends a task with local activities at 80 % of this time.
      const options = { workflowId: `chain-${randomUUID()}`, taskQueue: test.taskQueue, workflowTaskTimeout: 1_000 };
      const handle = await client.workflow.start(workflowType, {
        ...options,
        args: [{ agent: agent.name, task: 'Square' }],
      });
      await expect.poll(() => test.models.requests.length).toBe(2);
      await handle.signal('unknown');
      // The task of the signal is over.
      await handle.query(stateQuery);
      reply();
      expect(await handle.result()).toMatchObject({ outcome: 'success' });
      const chain = test.longhand.getHandle(handle.workflowId);
      await expectOneTruth(test.longhand, chain);
    });
  });

  it('keep their turns apart where queries are answered while they end', async () => {
    const agent = createAgent(square);
    const endless = (): ScriptedReply => calls(Math.random());
    await withWorker({ agents: [agent], replies: endless }, async (test) => {
      const { workflow } = test.longhand.client;
      const chains = await Promise.all(
        Array.from({ length: 4 }, () => test.longhand.start(agent, 'Square', { limits: { steps: 12 } })),
      );
      const ended = new AbortController();
      const query = async ({ chainId }: ChainHandle) => {
        while (!ended.signal.aborted) {
          // On a busy machine the server may give one up: the next follows.
          await workflow.getHandle(chainId).query(stateQuery).catch(ignoreExpiry);
          await pause(Math.random() * 5);
        }
      };
      const querying = [...chains, ...chains, ...chains].map(query);
      for (const chain of chains) expect(await chain.result()).toMatchObject({ outcome: 'max_iterations' });
      ended.abort();
      await Promise.all(querying);
    });
  });

  it('end before a cancel takes effect', async () => {
    const slow = createSlowTool(500);
    const agent = createAgent(slow.tool);
    const slowly: ScriptedReply = { text: 'Slow.', calls: [{ name: 'slow', input: {} }] };
    await withWorker({ agents: [agent], replies: [slowly, { hang: true, afterEvents: 4 }] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Wait');
      await slow.started;
      await chain.cancel({ by: 'Ada' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
    });
  });
});

function ignoreExpiry(error: unknown): void {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  if (cause?.code !== status.DEADLINE_EXCEEDED) throw error;
}
