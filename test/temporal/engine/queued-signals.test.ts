/** L7: thousands of signals that wait for a worker are taken in turns of a bounded size, in their order. */

import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import { expect, it } from 'vitest';
import type { MessageName } from '../../../src/contract/messages.js';
import { defaults } from '../../../src/core/model/defaults.js';
import type { ChainHandle, CommandRejectedError, Longhand } from '../../../src/entries/client.js';
import { type RunReference, readForward } from '../../../src/history/read-history.js';
import { defineAgent } from '../../../src/index.js';
import { describeLong } from '../../support/budget.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { done } from '../../support/paying-agent.js';
import { type CommandFields, sendCommand, sendSignal } from '../../support/people.js';

const agent = defineAgent({ name: 'listener', model: 'claude-sonnet-5-5', strategy: 'tools' });

/** Starts a chain that no worker takes. */
async function startQueued({ longhand, worker }: ChainTest): Promise<ChainHandle> {
  await worker.stop();
  return longhand.start(agent, 'Listen', { chainId: `chain-${randomUUID()}` });
}

async function findRun({ client }: Longhand, { chainId }: ChainHandle): Promise<RunReference> {
  const { runId } = await client.workflow.getHandle(chainId).describe();
  return { workflowId: chainId, runId };
}

async function sendMany(
  longhand: Longhand,
  chainId: string,
  count: number,
  message: (index: number) => readonly [MessageName, CommandFields],
): Promise<void> {
  for (let sent = 0; sent < count; sent += 100) {
    const batch = Array.from({ length: Math.min(100, count - sent) }, (_, at) => message(sent + at));
    await Promise.all(batch.map(([name, fields]) => sendSignal(longhand, chainId, name, fields)));
  }
}

/** Reads the senders in the order in which the server stored their signals, and how the workflow tasks ended. */
async function readSignals({ client }: Longhand, firstRun: RunReference) {
  const senders: string[] = [];
  const failedTasks: string[] = [];
  let completedTasks = 0;
  const service = { service: client.workflowService, namespace: client.options.namespace };
  for await (const events of readForward(service, firstRun)) {
    for (const event of events) {
      if (event.workflowTaskCompletedEventAttributes) completedTasks += 1;
      const failed = event.workflowTaskFailedEventAttributes;
      if (failed) failedTasks.push(`${failed.cause} ${failed.failure?.message}`);
      // Where the worker that had the chain does not poll in time, the task goes to the queue of all: it has not begun.
      const timeout = event.workflowTaskTimedOutEventAttributes?.timeoutType;
      if (timeout && timeout !== proto.temporal.api.enums.v1.TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START)
        failedTasks.push(`timeout ${timeout}`);
      const data = event.workflowExecutionSignaledEventAttributes?.input?.payloads?.[0]?.data;
      if (data) senders.push(...findSender(Buffer.from(data).toString()));
    }
  }
  return { senders, completedTasks, failedTasks };
}

function findSender(text: string): readonly string[] {
  return /sender \d+/.exec(text) ?? [];
}

it('signals that wait for a worker are taken in bounded turns, and a command beyond the queue is rejected', {
  timeout: 60_000,
}, async () => {
  await withWorker({ agents: [agent], replies: [done] }, async (test) => {
    const { longhand, startWorker } = test;
    const chain = await startQueued(test);
    const { queuedCommands, messagesPerTurn } = defaults;
    await sendSignal(longhand, chain.chainId, 'pause');
    await sendMany(longhand, chain.chainId, queuedCommands - 1, (at) => ['signal', { name: 'built', data: at }]);
    const rejected = await chain.steer('Stop.', { by: 'ann' }).catch((error: CommandRejectedError) => error);
    expect(rejected).toMatchObject({
      rejection: 'queue_full',
      message:
        '1,000 commands wait, and no worker takes them. Start a worker of its agent, and send the command again when it runs.',
    });
    const firstRun = await findRun(longhand, chain);
    await startWorker();
    await expect.poll(async () => (await chain.read()).state.facts).toBeGreaterThan(queuedCommands);
    await expect.poll(async () => (await chain.read()).state.history.deferred).toBeUndefined();
    const { completedTasks, failedTasks } = await readSignals(longhand, firstRun);
    expect(completedTasks).toBeGreaterThanOrEqual(queuedCommands / messagesPerTurn);
    expect(failedTasks).toEqual([]);
    await sendCommand(longhand, chain.chainId, 'resume');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
  });
});

describeLong('as many signals as the server stores', () => {
  it('the chain takes 9,900 signals in order, without a failed task', { timeout: 180_000 }, async () => {
    await withWorker({ agents: [agent], replies: [done] }, async (test) => {
      const { longhand, startWorker } = test;
      const chain = await startQueued(test);
      await sendSignal(longhand, chain.chainId, 'pause');
      const count = 9_900;
      await sendMany(longhand, chain.chainId, count - 1, (at) => ['signal', { name: 'built', by: `sender ${at}` }]);
      const firstRun = await findRun(longhand, chain);
      await startWorker();
      const countFacts = async () => (await chain.read()).state.facts;
      await expect.poll(countFacts, { interval: 2_000, timeout: 90_000 }).toBeGreaterThan(count);
      const history = await readSignals(longhand, firstRun);
      expect(history).toMatchObject({ failedTasks: [] });
      expect(history.senders).toHaveLength(count - 1);
      // Each one is rejected, with a notice: the first ones, which the chain keeps until it knows its agent, since the
      // agent has no tool that waits for a signal; the others at once.
      const { notices } = await chain.read();
      const rejected = notices.flatMap(({ text }) => findSender(text));
      const keptSignals = history.senders.slice(0, defaults.pendingCommands - 1);
      expect(rejected.filter((sender) => keptSignals.includes(sender))).toEqual(keptSignals);
      expect(rejected.filter((sender) => !keptSignals.includes(sender))).toEqual(
        history.senders.slice(keptSignals.length),
      );
      await chain.cancel({ by: 'ann' });
    });
  });

  it('a command beyond the limit of the server is rejected', { timeout: 180_000 }, async () => {
    await withWorker({ agents: [agent], replies: [done] }, async (test) => {
      const chain = await startQueued(test);
      await sendMany(test.longhand, chain.chainId, 10_000, () => ['pause', {}]);
      const rejected = await chain.cancel({ by: 'ann' }).catch((error: CommandRejectedError) => error);
      expect(rejected).toMatchObject({
        rejection: 'queue_full',
        message: expect.stringContaining('The server stores no more signals for this run.'),
      });
      await test.startWorker();
      await expect.poll(() => chain.cancel({ by: 'ann' })).toMatchObject({ status: 'accepted' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
    });
  });
});
