/**
 * Activities and workflows of a worker in Python as tools: arguments, results, failures, cancels, and L5: a call of an unsafe one is never
 * made twice by itself, after a crash or a reset.
 */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/entries/client.js';
import type { HistoryEvent } from '../../../src/history/event.js';
import {
  type Agent,
  activityTool,
  type Call,
  type Duration,
  defineAgent,
  defineTool,
  type Effects,
  type Tool,
  workflowTool,
} from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { giveUpOutcome, sendCommand, waitForRequests } from '../../support/people.js';
import { openPythonQueue, type PythonQueue, pythonLack, temporalPython } from '../../support/python-worker.js';
import { resetToTask } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** The worker in Python has no keys. */
const isEncrypted = process.env.LONGHAND_TEST_ENCRYPTION !== undefined;

const queue = `python-${randomUUID()}`;
const done: ScriptedReply = { text: 'All done.' };
const anything = z.object({ id: z.string().optional(), type: z.string().optional(), final: z.boolean().optional() });

function createActivity(name: string, effects: Effects = 'read', more: object = {}): Tool {
  return activityTool({
    ...{ name, description: `Does ${name}`, taskQueue: queue, inputSchema: anything, effects },
    ...{ approval: false, ...more },
  });
}

function createAgent(...tools: readonly Tool[]): Agent {
  return defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [...tools] });
}

const reply = (...calls: readonly (readonly [string, object?])[]): ScriptedReply => ({
  text: 'I act.',
  calls: calls.map(([name, input = {}]) => ({ name, input: input as never })),
});

interface Scene extends ChainTest {
  readonly python: PythonQueue;
}

async function play(agent: Agent, replies: readonly ScriptedReply[], body: (scene: Scene) => Promise<void>) {
  const python = await openPythonQueue(queue);
  try {
    await withWorker({ agents: [agent], replies }, (test) => body({ ...test, python }));
  } finally {
    await python.close();
  }
}

const brief = ({ status, observation }: Call) => [status, observation];

describe.skipIf(temporalPython === null || isEncrypted)(`tools of a worker in Python${pythonLack}`, () => {
  it('get their arguments and return results and failures as other tools do', async () => {
    const score = activityTool({
      ...{ name: 'credit_score', description: 'Credit score', taskQueue: queue, effects: 'read' },
      inputSchema: z.object({ customer: z.string(), years: z.number() }),
      ...{ activity: 'compute_credit_score', args: ['customer', 'years'] },
    });
    const ship = workflowTool({
      ...{ name: 'ship_order', description: 'Ships an order', workflow: 'ShipOrder', taskQueue: queue },
      ...{ inputSchema: z.object({ order: z.string() }), effects: 'idempotent', args: ['order'], context: true },
    });
    const failing = workflowTool({
      ...{ name: 'Failing', description: 'Fails', taskQueue: queue, inputSchema: anything, effects: 'idempotent' },
    });
    const plain = ['nothing', 'raw_bytes', 'long_text', 'fail'].map((name) =>
      createActivity(name, 'read', { retry: { backoff: 50 } }),
    );
    const agent = createAgent(score, ship, failing, ...plain, createActivity('echo', 'read', { context: true }));
    const replies = [
      reply(
        ['credit_score', { years: 3, customer: 'Ada' }],
        ['echo', { id: 'a' }],
        ['ship_order', { order: 'O-1' }],
        ['nothing'],
        ['raw_bytes'],
        ['long_text'],
      ),
      reply(
        ['fail', { type: 'ValueError' }],
        ['fail', { type: 'NotDone' }],
        ['fail', { type: 'Closed', final: true }],
        ['Failing', { type: 'NoTruck' }],
      ),
      done,
    ];
    await play(agent, replies, async ({ longhand, python }) => {
      await python.startWorker();
      const chain = await longhand.start(agent, 'Work', { user: 'ana' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [first, second] = (await chain.read()).steps;
      const [scored, echoed, shipped, none, bytes, long] = first?.calls ?? [];
      expect(scored).toMatchObject({ status: 'ok', observation: { customer: 'Ada', score: 703, attempt: 1 } });
      expect(echoed?.observation).toEqual([
        { id: 'a' },
        {
          ...{ idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/), chainId: chain.chainId, call: '1.2', step: 1 },
          ...{ tenant: null, user: 'ana', roles: [] },
        },
      ]);
      expect(shipped?.observation).toEqual({ shipped: 'O-1', call: '1.3' });
      expect([none, bytes].map((call) => call?.observation)).toEqual(['done', '[a payload that cannot be decoded]']);
      expect(long?.clippedFrom).toBe(300_000);
      expect(String(long?.observation).length).toBeLessThan(40_000);
      expect(second?.calls.map(brief)).toEqual([
        ['error', 'the value is odd'],
        ['error', 'Atlantis is not known'],
        ['error', 'Atlantis is not known'],
        ['error', 'No truck is free'],
      ]);
      // Temporal repeats only the first: the others state that a repetition does not help.
      const journal = await python.readJournal();
      expect(journal.filter((line) => line.includes('ValueError'))).toHaveLength(3);
      expect(journal).toHaveLength(5);
    });
  });

  it('are repeated after a crash, if they are reads; the outcome of an unsafe call is unknown', async () => {
    const heart = { heartbeatTimeout: '2s', activity: 'linger' };
    const agent = createAgent(createActivity('look', 'read', heart), createActivity('charge', 'unsafe', heart));
    const replies = [reply(['look', { id: 'l' }], ['charge', { id: 'c' }])];
    await play(agent, replies, async ({ longhand, python }) => {
      const first = await python.startWorker();
      const chain = await longhand.start(agent, 'Work');
      await expect.poll(async () => (await python.readJournal()).length, { timeout: 30_000 }).toBe(2);
      await first.kill();
      await python.startWorker();
      await giveUpOutcome(longhand, chain.chainId, '1.2');
      expect(await chain.result()).toMatchObject({ outcome: 'failure', reasonCode: 'given_up' });
      const [step] = (await chain.read()).steps;
      expect(step?.calls.map(({ status }) => status)).toEqual(['ok', 'unknown']);
      const journal = await python.readJournal();
      expect([...journal].sort()).toEqual(['linger c 1', 'linger l 1', 'linger l 2']);
    });
  });

  it('are cancelled with the chain', async () => {
    const lingering = createActivity('linger', 'read', { heartbeatTimeout: '5s' });
    const patient = workflowTool({
      ...{ name: 'Patient', description: 'Waits', taskQueue: queue, inputSchema: anything, effects: 'read' },
    });
    const agent = createAgent(lingering, patient);
    const replies = [reply(['linger', { id: 'a' }], ['Patient', { id: 'w' }])];
    await play(agent, replies, async ({ longhand, python }) => {
      await python.startWorker();
      const chain = await longhand.start(agent, 'Work');
      const child = longhand.client.workflow.getHandle(`${chain.chainId}/call-1.2`);
      // The child is past its first task: a cancel before it would not reach its code.
      const tasks = async () => (await child.fetchHistory().catch(() => null))?.events?.length ?? 0;
      await expect.poll(tasks, { timeout: 30_000 }).toBeGreaterThan(3);
      await expect.poll(python.readJournal).toEqual(['linger a 1']);
      await chain.cancel();
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
      const [step] = (await chain.read()).steps;
      expect(step?.calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      expect([...(await python.readJournal())].sort()).toEqual(['cancelled a', 'cancelled w', 'linger a 1']);
      expect((await child.describe()).status.name).toBe('CANCELLED');
    });
  });

  it('did not run where no worker of their queue takes them, also if they are unsafe', async () => {
    const away = (name: string, effects: Effects) =>
      createActivity(name, effects, { taskQueue: 'nobody', queueTimeout: '300ms' });
    const agent = createAgent(away('look', 'read'), away('charge', 'unsafe'));
    await play(agent, [reply(['look'], ['charge']), done], async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Work');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [step] = (await chain.read()).steps;
      expect(step?.calls.map(brief)).toEqual([
        ['error', 'No worker of the task queue nobody took the last attempt at the call within 300 ms.'],
        ['error', 'No worker of the task queue nobody took the call within 300 ms; it did not run.'],
      ]);
    });
  });

  it.each([
    ['before its check', 'checked', 'The run was reset'],
    ['after its check', 'started', 'exists already'],
  ] as const)(
    'are not executed again by a reset to the task %s, but by the decision of a person',
    async (_, point, reason) => {
      const agent = createAgent(createActivity('charge', 'unsafe', { activity: 'fail' }));
      // Not `NotDone`: it may have happened.
      const replies = [reply(['charge', { type: 'Lost' }]), done];
      await play(agent, replies, async ({ python, taskQueue }) => {
        await python.startWorker();
        // A client of its own: that of the test would also read the run that the reset cuts off.
        const longhand = await connect({ address: getTemporalAddress(), taskQueue });
        try {
          const { chainId } = await longhand.start(agent, 'Work');
          const handle = longhand.client.workflow.getHandle(chainId);
          await waitForRequests(longhand, chainId, '1.1');
          const { runId } = await handle.describe();
          const tasks = listTasks((await handle.fetchHistory()).events ?? []);
          await resetToTask(longhand, { workflowId: chainId, runId }, tasks[point]);
          const again = longhand.getHandle(chainId);
          const readReason = async () => (await again.read()).steps[0]?.calls[0]?.requests?.[0]?.rules.reason;
          await expect.poll(readReason, { timeout: 30_000 }).toContain(reason);
          expect(await python.readJournal()).toEqual(['fail Lost']);
          await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'not_happened' });
          // Its second workflow fails too.
          await expect.poll(python.readJournal, { timeout: 30_000 }).toEqual(['fail Lost', 'fail Lost']);
          const second = longhand.client.workflow.getHandle(`${chainId}/call-1.1~2`);
          await expect.poll(async () => (await second.describe()).status.name).toBe('FAILED');
          await waitForRequests(longhand, chainId, '1.1');
          await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'happened', observation: 'charged' });
          expect(await again.result()).toMatchObject({ outcome: 'success' });
        } finally {
          await longhand.close();
        }
      });
    },
  );
});

describe('a tool with a task queue of its own', () => {
  it('is executed by the workers of that queue; without one, the call did not run', async () => {
    const near = `near-${randomUUID()}`;
    const create = (agentName: string, where: string, queueTimeout: Duration) => {
      const tools = (['look', 'charge'] as const).map((name) =>
        defineTool({
          ...{ name, description: `Does ${name}`, inputSchema: anything, approval: false },
          effects: name === 'charge' ? 'unsafe' : 'read',
          ...{ taskQueue: near, queueTimeout },
          execute: () => `${name} ${where}`,
        }),
      );
      return defineAgent({ name: agentName, model: 'claude-sonnet-5-5', strategy: 'tools', tools });
    };
    const agent = create('clerk', 'at the chain', '1s');
    // A worker takes its calls, however long a busy machine needs.
    const patient = create('patient', 'at the chain', '5m');
    const replies = [reply(['look'], ['charge']), reply(['look', { id: '2' }], ['charge', { id: '2' }]), done];
    await withWorker({ agents: [agent, patient] }, async ({ longhand, models, startWorker }) => {
      models.push(replies[0] as ScriptedReply, done);
      const alone = await longhand.start(agent, 'Work');
      expect(await alone.result()).toMatchObject({ outcome: 'success' });
      expect((await alone.read()).steps[0]?.calls.map(brief)).toEqual([
        ['error', `No worker of the task queue ${near} took the last attempt at the call within 1 s.`],
        ['error', `No worker of the task queue ${near} took the call within 1 s; it did not run.`],
      ]);
      models.push(replies[1] as ScriptedReply, done);
      await startWorker({ agents: [create('patient', 'near the data', '5m')], taskQueue: near });
      const served = await longhand.start(patient, 'Work');
      expect(await served.result()).toMatchObject({ outcome: 'success' });
      expect((await served.read()).steps[0]?.calls.map(brief)).toEqual([
        ['ok', 'look near the data'],
        ['ok', 'charge near the data'],
      ]);
    });
  });

  it("may be an activity that Longhand's own worker has", async () => {
    const ping = `ping-${randomUUID()}`;
    const make = (name: string, effects: Effects, activity: string) =>
      createActivity(name, effects, { taskQueue: ping, activity });
    const agent = createAgent(
      make('look', 'read', 'ping'),
      make('charge', 'unsafe', 'ping'),
      make('lost', 'read', 'away'),
    );
    const activities = { ping: async ({ id }: { readonly id: string }) => `pong ${id}` };
    const replies = [reply(['look', { id: '1' }], ['charge', { id: '2' }], ['lost', { id: '3' }]), done];
    await withWorker({ agents: [agent], replies }, async ({ longhand, startWorker }) => {
      await startWorker({ taskQueue: ping, activities });
      const chain = await longhand.start(agent, 'Work');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect((await chain.read()).steps[0]?.calls.map(brief)).toEqual([
        ['ok', 'pong 1'],
        ['ok', 'pong 2'],
        ['error', expect.stringContaining('This worker has no activity named away.')],
      ]);
    });
  });
});

/** Returns the workflow tasks that scheduled the check of the first call and that started its workflow. */
function listTasks(events: readonly HistoryEvent[]) {
  const isCheck = ({ activityTaskScheduledEventAttributes: each }: HistoryEvent) => each?.activityId === 'check-1.1';
  const child = events.flatMap((event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? [])[0];
  return {
    checked: events.find(isCheck)?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId,
    started: child?.workflowTaskCompletedEventId,
  };
}
