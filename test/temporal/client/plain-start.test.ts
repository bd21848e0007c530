/** The workflow `agent`, started by its type with plain JSON, as from Go, Java or Python: with Temporal's own client alone. */

import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import { type ChainTest, expectOneTruth, withWorker } from '../../support/chain-test.js';
import { calls, createPayingAgent, done, look, pay } from '../../support/paying-agent.js';
import { getTemporalAddress } from '../../support/temporal.js';
import '../../support/own-environment.js';

// A client without keys reads no sealed result.
process.env.LONGHAND_ENCRYPTION_KEY = '';

/** Starts a chain without Longhand: no memo, no search attributes, one plain JSON payload. */
async function withPlainStart(
  { longhand, taskQueue }: ChainTest,
  input: object,
  body: (started: Awaited<ReturnType<Client['workflow']['start']>>) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address: getTemporalAddress() });
  try {
    const { workflow } = new Client({ connection });
    const workflowId = `plain-${randomUUID()}`;
    await body(await workflow.start('agent', { workflowId, taskQueue, args: [JSON.parse(JSON.stringify(input))] }));
    await expectOneTruth(longhand, longhand.getHandle(workflowId));
  } finally {
    await connection.close();
  }
}

async function readAttributes(started: Pick<WorkflowHandle, 'describe'>) {
  const { typedSearchAttributes } = await started.describe();
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}

it('an agent and a task suffice, and the result of the workflow is plain JSON', async () => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [done] }, async (test) => {
    await withPlainStart(test, { agent: 'payer', task: 'Confirm that all is done.' }, async (started) => {
      expect(await started.result()).toMatchObject({
        chainId: started.workflowId,
        outcome: 'success',
        answer: 'All done.',
        steps: 1,
      });
    });
  });
});

it('its limits are enforced', async () => {
  const { agent, finishLook } = createPayingAgent();
  finishLook();
  await withWorker({ agents: [agent], replies: [calls(look), done] }, async (test) => {
    await withPlainStart(test, { agent: 'payer', task: 'Look it up.', limits: { steps: 1 } }, async (started) => {
      expect(await started.result()).toMatchObject({ outcome: 'max_iterations', steps: 1, answer: null });
    });
  });
});

it('its approvals wait in the inbox, although its start set no search attributes', async () => {
  const { agent, payments } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [calls(pay('Ada')), done] }, async (test) => {
    const tenant = `t-${randomUUID()}`;
    await withPlainStart(test, { agent: 'payer', task: 'Pay Ada.', tenant, roles: null }, async (started) => {
      await expect.poll(() => test.longhand.listInbox({ tenant, agent: 'payer' })).toHaveLength(1);
      await test.longhand.getHandle(started.workflowId).approve('1.1', { by: 'ann' });
      expect(await started.result()).toMatchObject({ outcome: 'success' });
      expect(payments).toEqual(['Ada 5']);
      expect(await readAttributes(started)).toMatchObject({
        LonghandAgent: 'payer',
        LonghandTenant: tenant,
        LonghandRoot: started.workflowId,
        LonghandThread: started.workflowId,
        LonghandStatus: 'ended',
        LonghandOutcome: 'success',
      });
    });
  });
});

it('a chain whose agent no worker has is found by its search attributes, although its start set none', async () => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [] }, async (test) => {
    await withPlainStart(test, { agent: 'pyaer', task: 'Pay.', tenant: 'acme' }, async (started) => {
      await expect
        .poll(() => readAttributes(started))
        .toMatchObject({
          ...{ LonghandAgent: 'pyaer', LonghandTenant: 'acme', LonghandStatus: 'running' },
          ...{ LonghandRoot: started.workflowId, LonghandThread: started.workflowId },
        });
      const chain = test.longhand.getHandle(started.workflowId);
      await chain.cancel({ by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
      expect(await readAttributes(started)).toMatchObject({ LonghandStatus: 'ended', LonghandOutcome: 'cancelled' });
    });
  });
});

it.each([
  [{ task: 'Pay.' }, 'incomplete_start'],
  [{ agent: 'payer', task: 'Pay.', limits: { steps: 'ten' } }, 'not_prepared'],
])('an invalid start %j fails with its result in the details', async (input, reasonCode) => {
  const { agent } = createPayingAgent();
  await withWorker({ agents: [agent], replies: [] }, async (test) => {
    await withPlainStart(test, input, async (started) => {
      const error: unknown = await started.result().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        cause: { type: 'longhand.ChainFailed', details: [{ outcome: 'failure', reasonCode }] },
      });
    });
  });
});
