/** Chains in a worker that a user creates with Temporal's SDK. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { anthropicProvider } from '../../../src/entries/models.js';
import { longhandPlugin } from '../../../src/entries/worker.js';
import { expectOneTruth } from '../../support/chain-test.js';
import { matchError } from '../../support/match-error.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { clerk, ownActivities } from '../../support/own-agents.js';
import { getTemporalAddress } from '../../support/temporal.js';

const workflowsPath = fileURLToPath(new URL('../../support/own-workflows.ts', import.meta.url));

async function createWorker(models: { readonly url: string }, more: Partial<WorkerOptions> = {}) {
  const connection = await NativeConnection.connect({ address: getTemporalAddress() });
  onTestFinished(() => connection.close());
  const providers = [anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' })];
  const plugin = longhandPlugin({ agents: [clerk], providers });
  const taskQueue = `plugin-${randomUUID()}`;
  const options = { connection, taskQueue, workflowsPath, activities: ownActivities, plugins: [plugin] };
  return { taskQueue, connection, plugin, worker: await Worker.create({ ...options, ...more }) };
}

it("a worker of Temporal's SDK runs chains, and its own workflows and activities", async () => {
  const reply = { text: 'Done.', calls: [{ name: 'finish', input: { result: { total: 42 } } }] };
  const models = await startMessagesServer([reply, reply]);
  onTestFinished(() => models.close());
  const { worker, plugin, taskQueue } = await createWorker(models);
  const longhand = await connect({ address: getTemporalAddress(), taskQueue });
  onTestFinished(() => longhand.close());
  await worker.runUntil(async () => {
    const own = await longhand.client.workflow.start('settleInvoice', {
      ...{ taskQueue, workflowId: `own-${randomUUID()}`, args: ['invoice 7'] },
    });
    expect(await own.result()).toBe('charged 42');
    const chain = await longhand.start(clerk, 'Sum up invoice 8.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: { total: 42 } });
    await expectOneTruth(longhand, chain);
    const histories = [own, longhand.client.workflow.getHandle(chain.chainId)].map(async (handle) => ({
      workflowId: handle.workflowId,
      history: await handle.fetchHistory(),
    }));
    // A plugin is for one worker, and for any number of replays.
    const options = { workflowsPath, plugins: [plugin] };
    for await (const { error } of Worker.runReplayHistories(options, await Promise.all(histories)))
      expect(error).toBeUndefined();
  });
});

it('rejects what it cannot host, before the worker exists', async () => {
  const models = { url: 'http://127.0.0.1:1' };
  await expect(createWorker(models, { workflowBundle: { code: '' } })).rejects.toThrow(
    matchError('invalid_options', 'Pass `workflowsPath` to Worker.create instead of `workflowBundle`'),
  );
  await expect(createWorker(models, { activities: { 'longhand.own': () => 1 } })).rejects.toThrow(
    matchError('invalid_options', 'Rename your activity'),
  );
  const { plugin, connection, worker } = await createWorker(models);
  await expect(Worker.create({ connection, taskQueue: 'q', workflowsPath, plugins: [plugin] })).rejects.toThrow(
    matchError('invalid_options', 'Create a plugin for each worker'),
  );
  await worker.runUntil(Promise.resolve());
});
