/** A chain of an agent that no worker has: rejected at its start where all workers are known, else it waits for minutes. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { workflowType } from '../../../src/contract/names.js';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { withGateway } from '../../support/gateway.js';
import { clerk, ownActivities } from '../../support/own-agents.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const file = useFileStore();
const unknown = { code: 'unknown_agent', message: expect.stringContaining('an agent named clrk. Did you mean clerk?') };

/** Runs a worker with the store, and a client that knows the store. */
async function withStore(body: (test: ChainTest, client: Longhand) => Promise<void>): Promise<void> {
  const worker = {
    store: file.store,
    workflowsPath: fileURLToPath(new URL('../../support/own-workflows.ts', import.meta.url)),
    activities: ownActivities,
  };
  await withWorker({ agents: [clerk], worker }, async (test) => {
    const client = await connect({ address: getTemporalAddress(), taskQueue: test.taskQueue, store: file.store });
    // The server lists a worker once it has polled.
    await expect
      .poll(() =>
        client.start('clrk', 'Wait.').then(
          (chain) => chain.cancel(),
          (error) => error.code,
        ),
      )
      .toBe('unknown_agent');
    await body(test, client);
    await client.close();
  });
}

describe('where the store lists all workers of the queue', () => {
  it('start, schedule, the gateway and the commands reject a misspelt agent with the nearest name', async () => {
    await withStore(async ({ taskQueue }, client) => {
      await expect(client.start('clrk', 'Do it.')).rejects.toMatchObject(unknown);
      await expect(client.start('nobody-has-this', 'Do it.')).rejects.toThrow('Known agents: clerk.');
      await expect(client.schedules.create(randomUUID(), 'clrk', 'Do it.', { every: '1h' })).rejects.toMatchObject(
        unknown,
      );
      await withGateway({ longhand: client }, async (gateway) => {
        await expect(gateway.connect().startChain({ agent: 'clrk', task: 'Do it.' })).rejects.toMatchObject({
          ...unknown,
          status: 404,
        });
      });
      const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: file.store.location };
      const started = await longhandHere(['start', 'clrk', 'Do it.', '--task-queue', taskQueue], env);
      expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean clerk?') });
    });
  });

  it('a chain that another program starts, or runAgent, ends at once with the names', async () => {
    await withStore(async ({ longhand, taskQueue }) => {
      const workflowId = `chain-${randomUUID()}`;
      const args = [{ agent: 'clrk', task: 'Do it.' }];
      await longhand.client.workflow.start(workflowType, { taskQueue, workflowId, args });
      const ended = await longhand.getHandle(workflowId).result();
      expect(ended).toMatchObject({
        outcome: 'failure',
        reasonCode: 'unknown_agent',
        reason: expect.stringContaining('Known agents: clerk.'),
      });
      const own = { taskQueue, workflowId: `own-${randomUUID()}`, args: ['clrk', 'Do it.'] };
      expect(await longhand.client.workflow.execute('runOne', own)).toMatchObject({
        outcome: 'failure',
        reasonCode: 'unknown_agent',
      });
    });
  });

  it('an agent that is about to be deployed is awaited, and the notice names the agents that are known', async () => {
    await withStore(async (_, client) => {
      const chain = await client.start('cook', 'Cook.', { awaitAgent: true });
      await expect
        .poll(async () => (await chain.read()).notices)
        .toMatchObject([{ code: 'requeued', text: expect.stringContaining('Known agents: clerk.') }]);
      expect((await chain.cancel({ by: 'ann' })).status).toBe('accepted');
    });
  });
});

it('while a worker is not in the store, as in a rolling deploy, no start is rejected', async () => {
  await withStore(async ({ startWorker, models }, client) => {
    await startWorker({ store: false, temporal: { identity: 'of the version before' } });
    // The server lists it once it has polled.
    const start = () => client.start('clrk', 'Do it.', { chainId: `chain-${randomUUID()}` });
    await expect
      .poll(() =>
        start().then(
          async (chain) => (await chain.cancel({ by: 'ann' })).status,
          ({ code }) => code,
        ),
      )
      .toBe('accepted');
    expect(models.requests).toEqual([]);
  });
});
