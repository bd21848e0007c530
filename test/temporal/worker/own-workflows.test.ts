/** Workflows and activities of a user in Longhand's worker: their workflows run agents as children. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { ChainResult } from '../../../src/entries/client.js';
import { type ChainTest, expectOneTruth, withWorker } from '../../support/chain-test.js';
import { clerk, ownActivities } from '../../support/own-agents.js';
import { calls, createPayingAgent, done, look, pay } from '../../support/paying-agent.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const paying = createPayingAgent();
const worker = {
  workflowsPath: fileURLToPath(new URL('../../support/own-workflows.ts', import.meta.url)),
  activities: ownActivities,
};
const withOwnWorkflows = (replies: readonly ScriptedReply[], body: (test: ChainTest) => Promise<void>) =>
  withWorker({ agents: [clerk, paying.agent], replies, worker }, body);

const start = ({ longhand, taskQueue }: ChainTest, type: string, ...args: readonly unknown[]) =>
  longhand.client.workflow.start(type, { taskQueue, workflowId: `own-${randomUUID()}`, args: [...args] });

const finish: ScriptedReply = { text: 'Done.', calls: [{ name: 'finish', input: { result: { total: 42 } } }] };

it('a workflow of the user runs an agent and its own activities in one worker', async () => {
  await withOwnWorkflows([finish], async (test) => {
    const own = await start(test, 'settleInvoice', 'invoice 7');
    expect(await own.result()).toBe('charged 42');
    expect(await (await start(test, 'measure', new Uint8Array([1, 2, 255]))).result()).toBe('1 2 255');
  });
});

it('a workflow task that takes longer than the SDK permits is not interrupted, and the worker runs the other chains', async () => {
  const threads = { ...worker, temporal: { debugMode: false } };
  await withWorker({ agents: [clerk, paying.agent], replies: [finish], worker: threads }, async (test) => {
    const slow = await start(test, 'blockThread', 5_500);
    const own = await start(test, 'settleInvoice', 'invoice 7');
    expect(await own.result()).toBe('charged 42');
    expect(await slow.result()).toBe('done');
    const { events } = await slow.fetchHistory();
    expect(events?.some((event) => event.workflowTaskFailedEventAttributes)).toBe(false);
  });
});

it('runAgent returns the result of the chain for every outcome, and its limits are enforced', async () => {
  await withOwnWorkflows([calls(look), done], async (test) => {
    paying.finishLook();
    const chainId = `chain-${randomUUID()}`;
    const own = await start(test, 'runOne', 'payer', 'Look it up.', { chainId, limits: { steps: 1, time: '1m' } });
    const result: ChainResult = await own.result();
    expect(result).toMatchObject({ chainId, outcome: 'max_iterations', answer: null, steps: 1 });
    const chain = test.longhand.getHandle(chainId);
    expect(await chain.result()).toEqual(result);
    expect((await chain.read()).state.agent?.limits).toMatchObject({ steps: 1, timeMs: 60_000 });
    await expectOneTruth(test.longhand, chain);
  });
});

it('a cancel of the workflow cancels the chain, and the workflow closes as cancelled', async () => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [calls(look)], worker }, async (test) => {
    const chainId = `chain-${randomUUID()}`;
    const own = await start(test, 'runOne', 'payer', 'Look it up.', { chainId });
    await expect.poll(async () => (await test.longhand.getHandle(chainId).describe()).doing).toContain('look');
    await own.cancel();
    await expect(own.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await test.longhand.getHandle(chainId).result()).toMatchObject({ outcome: 'cancelled' });
  });
});

it.each([
  [
    'a person cancels',
    'cancelled',
    ({ longhand }: ChainTest, id: string) => longhand.getHandle(id).cancel({ by: 'ann' }),
  ],
  [
    'is terminated',
    'terminated',
    ({ longhand }: ChainTest, id: string) => longhand.client.workflow.getHandle(id).terminate(),
  ],
])('a chain that %s has its result in the workflow, as for the client', async (_, outcome, end) => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [calls(look)], worker }, async (test) => {
    const chainId = `chain-${randomUUID()}`;
    const own = await start(test, 'runOne', 'payer', 'Look it up.', { chainId });
    const chain = test.longhand.getHandle(chainId);
    await expect.poll(async () => (await chain.describe()).doing).toContain('look');
    await end(test, chainId);
    const result: ChainResult = await own.result();
    expect(result).toMatchObject({ chainId, outcome, answer: null, steps: 1 });
    const { endedAt: _end, durationMs: _duration, ...rest } = await chain.result();
    expect(result).toMatchObject(rest);
  });
});

it('an approval of the child waits in the inbox until a person decides, and the workflow continues', async () => {
  await withOwnWorkflows([calls(pay('Ada')), done], async (test) => {
    const tenant = `t-${randomUUID()}`;
    const own = await start(test, 'runOne', 'payer', 'Pay Ada.', { tenant });
    const list = () => test.longhand.listInbox({ tenant });
    await expect.poll(list).toHaveLength(1);
    const [waiting] = await list();
    expect(waiting).toMatchObject({ agent: 'payer', task: 'Pay Ada.', requests: [{ tool: 'pay' }] });
    await test.longhand.getHandle(waiting?.chainId ?? '').approve('1.1', { by: 'ann' });
    expect(await own.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
  });
});

it('a workflow may forward the decisions of another service to its agent', async () => {
  await withOwnWorkflows([calls(pay('Ada')), done], async (test) => {
    const chainId = `chain-${randomUUID()}`;
    const own = await start(test, 'payAndForward', chainId);
    const chain = test.longhand.getHandle(chainId);
    await expect.poll(async () => (await chain.listRequests().catch(() => [])).length).toBe(1);
    await own.signal('approve', 'the other service');
    expect(await own.result()).toBe('success');
  });
});

it.each([
  ['an empty task', ['payer', ' '], 'The task is empty'],
  ['an invalid limit', ['payer', 'Pay.', { limits: { steps: 0 } }], 'limits.steps must be'],
  ['an empty chain id', ['payer', 'Pay.', { chainId: '' }], "The chain's id is empty"],
  ['a letter that is too large', ['payer', `Pay. ${'x'.repeat(1_950_000)}`], "Temporal's limit is 1900000"],
])('%s fails the workflow instead of repeating its task for ever', async (_, args, message) => {
  await withOwnWorkflows([], async (test) => {
    const own = await start(test, 'runOne', ...args);
    const error: unknown = await own.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect(error).toMatchObject({
      cause: { type: 'longhand.InvalidStart', message: expect.stringContaining(message) },
    });
  });
});

it('a chain that is deleted while it runs is terminated for the workflow, which continues', {
  timeout: 60_000,
}, async () => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [calls(look)], worker: { ...worker, store: null } }, async (test) => {
    const chainId = `chain-${randomUUID()}`;
    const own = await start(test, 'runOne', 'payer', 'Look it up.', { chainId });
    await expect.poll(async () => (await test.longhand.getHandle(chainId).describe()).doing).toContain('look');
    const { client } = test.longhand;
    const workflowExecution = { workflowId: chainId };
    const { namespace } = client.options;
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    expect(await own.result()).toMatchObject({
      ...{ chainId, outcome: 'terminated', success: false, answer: null, steps: 0, costUsd: null },
      reason: 'It was terminated in Temporal. Its history cannot be read, so its steps and cost are unknown.',
    });
  });
});

it('an activity that no worker has fails with the option that would add it', async () => {
  await withOwnWorkflows([], async (test) => {
    const own = await start(test, 'callMissingActivity');
    const error: unknown = await own.result().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      cause: { cause: { message: expect.stringContaining('no activity named missing. Pass it with the option') } },
    });
  });
});
