/** L5 after a reset in Temporal: a sub-chain that the earlier run started is not started again automatically. */

import { describe, expect, it } from 'vitest';
import { type ChainHandle, connect, type Longhand } from '../../../src/entries/client.js';
import { type ChainTest, expectOneTruth, withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, delegateOnce, listCalls, playRoles, type Role } from '../../support/delegating.js';
import { resetToTask } from '../../support/reset.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** Resets a chain to the workflow task that started its first sub-chain, which is repeated. */
async function resetPastDelegation(longhand: Longhand, workflowId: string): Promise<void> {
  const { workflow } = longhand.client;
  const { runId } = await workflow.getHandle(workflowId).describe();
  const events = (await workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const [initiated] = events.flatMap((event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? []);
  await resetToTask(longhand, { workflowId, runId }, initiated?.workflowTaskCompletedEventId);
}

const worker = createActor('worker');
const lead = createActor('lead', { tools: [worker] });

interface Scene extends ChainTest {
  /** The chain by its id, and so its latest run. */
  readonly chain: ChainHandle;
}

/** Uses a separate client: the client of the test would compare the first run with the latest. */
async function withWorkers(plays: Role, body: (scene: Scene) => Promise<void>): Promise<void> {
  const replies = playRoles({ lead: delegateOnce(callAgent('worker')), worker: plays });
  await withWorker({ agents: [lead], replies }, async (test) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue: test.taskQueue });
    const { chainId } = await longhand.start('lead', 'Work');
    const chain = longhand.getHandle(chainId);
    await body({ ...test, longhand, chain });
    await expectOneTruth(longhand, chain);
    await longhand.close();
  });
}

describe('a run that is reset past a delegation', () => {
  it('requires a decision by a person before the sub-chain starts again under another id', async () => {
    let answers = 0;
    const plays: Role = () => ({ text: `Answer ${++answers}.` });
    await withWorkers(plays, async ({ longhand, chain }) => {
      const first = `${chain.chainId}/1.1`;
      expect(await chain.result()).toMatchObject({ answer: 'Results: Answer 1.' });
      await resetPastDelegation(longhand, chain.chainId);
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      const [request] = await chain.listRequests();
      expect(request).toMatchObject({ call: '1.1', kind: 'outcome', tool: 'worker' });
      expect(request?.reason).toContain(`already started chain ${first} for call 1.1 (worker)`);
      expect(answers).toBe(1);
      await chain.resolveOutcome('1.1', 'not_happened', { by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Results: Answer 2.' });
      expect(await longhand.getHandle(`${first}~2`).result()).toMatchObject({ answer: 'Answer 2.' });
      expect(await longhand.getHandle(first).result()).toMatchObject({ answer: 'Answer 1.' });
    });
  });

  it('takes the result from a person who resolves the outcome as happened', async () => {
    await withWorkers(
      () => ({ text: 'The answer.' }),
      async ({ longhand, chain, models }) => {
        await chain.result();
        await resetPastDelegation(longhand, chain.chainId);
        await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
        await chain.resolveOutcome('1.1', 'happened', { by: 'ann', observation: 'It answered: 42.' });
        expect(await chain.result()).toMatchObject({
          outcome: 'success',
          answer: expect.stringContaining('It answered: 42.'),
        });
        expect((await listCalls(longhand, chain.chainId))[0]).toMatchObject({ status: 'answered' });
        expect(models.requests.length).toBe(1 + 1 + 1 + 1);
      },
    );
  });

  it('requires a decision while the sub-chain still runs and does not stop it', async () => {
    await withWorkers(
      () => ({ hang: true, afterEvents: 1 }),
      async ({ longhand, chain, models }) => {
        const first = `${chain.chainId}/1.1`;
        await expect.poll(() => models.requests.length).toBe(2);
        await resetPastDelegation(longhand, chain.chainId);
        await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
        const child = longhand.client.workflow.getHandle(first);
        expect((await child.describe()).status.name).toBe('RUNNING');
        await chain.resolveOutcome('1.1', 'give_up', { by: 'ann' });
        expect(await chain.result()).toMatchObject({ outcome: 'failure' });
        await longhand.getHandle(first).cancel({ by: 'ann' });
        expect(await longhand.getHandle(first).result()).toMatchObject({ outcome: 'cancelled' });
      },
    );
  });
});
