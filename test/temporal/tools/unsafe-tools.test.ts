/**
 * L5: an unsafe effect never runs twice by itself. A person resolves the unknown outcome of a tool that must not be repeated;
 * only after `NotDone` is the outcome known. A reset in Temporal to before such a call is detected.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect, type Longhand } from '../../../src/entries/client.js';
import type { HistoryEvent } from '../../../src/history/event.js';
import { type Agent, defineAgent, defineTool, NotDone, type Tool, ToolError } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { giveUpOutcome, sendCommand, waitForRequests } from '../../support/people.js';
import { resetToTask } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

interface Payer {
  readonly agent: Agent;
  /** The number of executions of `pay`. */
  readonly paid: () => number;
}

/** Creates an agent with the unsafe tool `pay`, and `look_up`, which is a read. */
function createPayer(pay: () => unknown = () => {}): Payer {
  let paid = 0;
  const tool = (name: string, effects: 'read' | 'unsafe', run: () => unknown): Tool =>
    defineTool({
      name,
      description: `Does ${name}`,
      inputSchema: z.object({ whom: z.string() }),
      effects,
      approval: false,
      execute: run,
    });
  const paying = tool('pay', 'unsafe', async () => {
    paid += 1;
    await pay();
    return 'paid';
  });
  const tools = [paying, tool('look_up', 'read', () => 'found')];
  const agent = defineAgent({ name: 'payer', model: 'claude-sonnet-5-5', strategy: 'tools', tools });
  return { agent, paid: () => paid };
}

const calls = (...names: readonly string[]): ScriptedReply => ({
  text: 'I act.',
  calls: names.map((name) => ({ name, input: { whom: 'Ada' } })),
});
const done: ScriptedReply = { text: 'All done.' };

describe('an unsafe call', () => {
  it.each([
    ['a plain error', () => new Error('the line broke')],
    ['a ToolError', () => new ToolError('the line broke')],
    ['a fatal ToolError', () => new ToolError('the line broke', { fatal: true })],
  ])('that throws %s is executed once, and a person resolves its outcome', async (_, error) => {
    const { agent, paid } = createPayer(() => {
      throw error();
    });
    await withWorker({ agents: [agent], replies: [calls('look_up', 'pay')] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Pay');
      await giveUpOutcome(longhand, chain.chainId, '1.2');
      expect(await chain.result()).toMatchObject({
        outcome: 'failure',
        reason:
          'The outcome of call 1.2, pay({"whom":"Ada"}), is unknown: the line broke. It may have happened; check before it is done again. Given up by ana.',
      });
      const [step] = (await chain.read()).steps;
      expect(step?.calls.map(({ status }) => status)).toEqual(['ok', 'unknown']);
    });
    expect(paid()).toBe(1);
  });

  it('that throws NotDone is an observation, and the chain continues', async () => {
    const { agent, paid } = createPayer(() => {
      throw new NotDone('The card was declined; nothing was charged.');
    });
    await withWorker({ agents: [agent], replies: [calls('pay'), done] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Pay');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.' });
      const [step] = (await chain.read()).steps;
      expect(step?.calls).toMatchObject([
        { status: 'error', observation: 'The card was declined; nothing was charged.' },
      ]);
    });
    expect(paid()).toBe(1);
  });
});

describe('a reset in Temporal', () => {
  it('to before an unsafe call requires a decision by a person before the call is executed again', async () => {
    const { agent, paid } = createPayer();
    await withClient(agent, [calls('pay'), done, calls('pay')], async (longhand) => {
      const { chainId, again } = await runChain(longhand, agent);
      await resetTo(longhand, chainId, 'longhand.callModel');
      await giveUpOutcome(longhand, chainId, '1.1');
      const { outcome, reasonCode, reason } = await again().result();
      expect([outcome, reasonCode]).toEqual(['failure', 'given_up']);
      expect(reason).toContain('call 1.1, pay({"whom":"Ada"}), is unknown: The run was reset');
      expect(paid()).toBe(1);
    });
  });

  it('is also detected if the model requests the call in another step', async () => {
    const { agent, paid } = createPayer();
    await withClient(agent, [calls('pay'), done, calls('look_up'), calls('pay')], async (longhand) => {
      const { chainId, again } = await runChain(longhand, agent);
      await resetTo(longhand, chainId, 'longhand.callModel');
      await giveUpOutcome(longhand, chainId, '2.1');
      expect(await again().result()).toMatchObject({
        reasonCode: 'given_up',
        reason: expect.stringContaining('call 2.1, pay'),
      });
      expect(paid()).toBe(1);
    });
  });

  it('of a reset run still finds the run that executed the call', async () => {
    const { agent, paid } = createPayer();
    await withClient(agent, [calls('pay'), done, calls('look_up'), done, calls('pay')], async (longhand) => {
      const { chainId, again } = await runChain(longhand, agent);
      await resetTo(longhand, chainId, 'longhand.callModel');
      // This time the model does not request the payment.
      expect((await again().result()).outcome).toBe('success');
      await resetTo(longhand, chainId, 'longhand.callModel');
      await giveUpOutcome(longhand, chainId, '1.1');
      expect(await again().result()).toMatchObject({
        reasonCode: 'given_up',
        reason: expect.stringContaining('call 1.1, pay'),
      });
      expect(paid()).toBe(1);
    });
  });

  it('to before an unsafe call executes it once more if a person resolves it as not happened', async () => {
    const { agent, paid } = createPayer();
    await withClient(agent, [calls('pay'), done, calls('pay'), done], async (longhand) => {
      const { chainId, again } = await runChain(longhand, agent);
      await resetTo(longhand, chainId, 'longhand.callModel');
      await waitForRequests(longhand, chainId, '1.1');
      await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'not_happened' });
      expect((await again().result()).outcome).toBe('success');
      expect(paid()).toBe(2);
    });
  });

  it('to the decision of a person does not execute the call again by the same decision', async () => {
    let attempts = 0;
    const { agent, paid } = createPayer(() => {
      attempts += 1;
      if (attempts === 1) throw new Error('the line broke');
    });
    await withClient(agent, [calls('pay'), done, done], async (longhand) => {
      const chain = await longhand.start(agent, 'Pay');
      const { chainId } = chain;
      const notHappened = () => sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'not_happened' });
      await waitForRequests(longhand, chainId, '1.1');
      await notHappened();
      expect((await chain.result()).outcome).toBe('success');
      // The task that accepted the decision; the server sends it again to the new run.
      await resetTo(longhand, chainId, 'pay', 1);
      const again = longhand.getHandle(chainId);
      const requests = async () => (await again.read()).steps[0]?.calls[0]?.requests?.length;
      await expect.poll(requests).toBe(2);
      expect(paid()).toBe(2);
      await notHappened();
      expect((await again.result()).outcome).toBe('success');
      expect(paid()).toBe(3);
    });
  });

  it('to after an unsafe call keeps its result, and the next call is executed', async () => {
    const { agent, paid } = createPayer();
    const replies = [calls('pay'), calls('look_up'), done, calls('pay'), done];
    await withClient(agent, replies, async (longhand) => {
      const { chainId, again } = await runChain(longhand, agent);
      // The last call of the model.
      await resetTo(longhand, chainId, 'longhand.callModel', 2);
      expect(await again().result()).toMatchObject({ outcome: 'success', steps: 4 });
      const { steps } = await again().read();
      expect(steps.map(({ calls: [call] }) => call?.observation)).toEqual(['paid', 'found', 'paid', undefined]);
      expect(paid()).toBe(2);
    });
  });

  it('while an unsafe call is running does not execute it again', async () => {
    let end = () => {};
    const underWay = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { agent, paid } = createPayer(() => underWay);
    await withClient(agent, [calls('look_up', 'pay'), calls('pay')], async (longhand) => {
      const { chainId } = await longhand.start(agent, 'Pay');
      const again = () => longhand.getHandle(chainId);
      const statuses = async () => (await again().read()).steps[0]?.calls.map(({ status }) => status);
      await expect.poll(async () => [paid(), await statuses()]).toEqual([1, ['ok', 'pending']]);
      // The task that took the result of the first call, while the second one runs.
      await resetLatest(longhand, chainId, (completions) => completions.at(-1));
      await giveUpOutcome(longhand, chainId, '1.2');
      expect(await again().result()).toMatchObject({
        reasonCode: 'given_up',
        reason: expect.stringContaining('call 1.2, pay'),
      });
      expect(paid()).toBe(1);
      end();
    });
  });
});

/** Uses a separate client: the client of the test would also check the run that a reset cuts off. */
async function withClient(
  agent: Agent,
  replies: readonly ScriptedReply[],
  body: (longhand: Longhand) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [agent], replies }, async ({ taskQueue }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    try {
      await body(longhand);
    } finally {
      await longhand.close();
    }
  });
}

/** Runs a chain to its end; `again` returns a handle for its later runs. */
async function runChain(longhand: Longhand, agent: Agent) {
  const chain = await longhand.start(agent, 'Pay');
  expect((await chain.result()).outcome).toBe('success');
  return { chainId: chain.chainId, again: () => longhand.getHandle(chain.chainId) };
}

/** Resets a chain to the workflow task that scheduled an activity of this type (0: the first): it is decided again. */
async function resetTo(longhand: Longhand, chainId: string, activityType: string, which = 0): Promise<void> {
  await resetLatest(longhand, chainId, (_, events) => {
    const scheduled = events
      .map((event) => event.activityTaskScheduledEventAttributes)
      .filter((attributes) => attributes?.activityType?.name === activityType);
    return scheduled[which]?.workflowTaskCompletedEventId;
  });
}

type EventId = HistoryEvent['eventId'];

/** Resets the latest run of a chain to the task that completed at the event which `choose` returns. */
async function resetLatest(
  longhand: Longhand,
  workflowId: string,
  choose: (completions: readonly EventId[], events: readonly HistoryEvent[]) => EventId,
): Promise<void> {
  const { workflow } = longhand.client;
  const { runId } = await workflow.getHandle(workflowId).describe();
  const events = (await workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const completions = events
    .filter((event) => event.workflowTaskCompletedEventAttributes)
    .map(({ eventId }) => eventId);
  await resetToTask(longhand, { workflowId, runId }, choose(completions, events));
}
