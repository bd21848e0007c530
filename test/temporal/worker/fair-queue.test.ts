/**
 * Fair queues: the chains of a tenant do not wait behind the backlog of another, and chains with a priority come before others. With one
 * partition, because each has an order of its own.
 */

import { expect, it } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { defineAgent, delegate } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';

useOwnServer(['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1']);

const many = budget(200, 1_000);
const few = 10;
const helper = defineAgent({ name: 'helper', description: 'Helps', model: 'claude-haiku-5-5' });
const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', localCalls: false });

it('ten chains of a tenant end while the backlog of another waits, and an urgent chain comes first', async () => {
  /** The tasks in the order of their model calls. */
  const order: string[] = [];
  const replies = ({ body }: { readonly body: { readonly messages: unknown } }) => {
    order.push(/Task of (\w+)/.exec(JSON.stringify(body.messages))?.[1] ?? '');
    return { text: 'Done.' };
  };
  await withWorker({ agents: [clerk], replies }, async ({ worker, taskQueue, startWorker }) => {
    await worker.stop();
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    const start = (name: string, more: { readonly tenant: string; readonly priority?: number }) =>
      longhand.start(clerk, `Task of ${name}`, { awaitAgent: true, ...more });
    const startMany = (count: number, tenant: string) =>
      Promise.all(Array.from({ length: count }, () => start(tenant, { tenant })));
    for (let started = 0; started < many; started += 50) await startMany(50, 'acme');
    const small = await startMany(few, 'zeta');
    const urgent = await start('urgent', { tenant: 'acme', priority: 1 });
    const { priority } = await longhand.client.workflow.getHandle(urgent.chainId).describe();
    expect(priority).toMatchObject({ fairnessKey: 'acme', priorityKey: 1 });
    const limits = { maxConcurrentWorkflowTaskExecutions: 2, maxConcurrentActivityTaskExecutions: 2 };
    await startWorker({ temporal: { ...limits, maxCachedWorkflows: many + few + 1 } });
    await Promise.all([urgent, ...small].map((chain) => chain.result()));
    const before = order.slice(0, order.lastIndexOf('zeta'));
    expect(before.filter((name) => name === 'acme').length).toBeLessThanOrEqual(few * 2);
    expect(before.indexOf('urgent')).toBeLessThanOrEqual(3);
    await longhand.close();
  });
});

it('sub-chains and later runs have the tenant and the priority of their chain', async () => {
  const boss = defineAgent({ name: 'boss', model: 'claude-sonnet-5-5', tools: [delegate(helper)], priority: 2 });
  const replies = [
    { text: 'I delegate.', calls: [{ name: 'helper', input: { task: 'Help.' } }] },
    { text: 'Helped.' },
    { text: 'Done.' },
  ];
  const worker = { continueAfter: { steps: 1 } };
  await withWorker({ agents: [boss, helper], replies, worker }, async ({ longhand }) => {
    const chain = await longhand.start(boss, 'Do it.', { tenant: 'acme' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
    expect((await chain.read()).state.run.runs).toBe(1);
    for (const id of [chain.chainId, `${chain.chainId}/1.1`]) {
      const { priority } = await longhand.client.workflow.getHandle(id).describe();
      expect(priority).toMatchObject({ fairnessKey: 'acme', priorityKey: 2 });
    }
  });
});
