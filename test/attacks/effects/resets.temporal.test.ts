/** L5 after an operator's reset: effects that the new run does not know are not repeated, in the whole tree of chains. */

import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connect, type Longhand, type OpenRequest } from '../../../src/entries/client.js';
import type { LonghandWorkerOptions } from '../../../src/entries/worker.js';
import { buildRecordedRun } from '../../../src/history/recorded-run.js';
import { type Agent, defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, playRoles, type Role, type Turn } from '../../support/delegating.js';
import { deleteRun, resetToStart } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

let paid = 0;
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ whom: z.string() }),
  effects: 'unsafe',
  approval: false,
  execute: () => `paid ${++paid}`,
});
const worker = createActor('worker', { tools: [pay] });
const payer = createActor('payer', { tools: [pay, look] });
const lead = createActor('lead', { tools: [worker, pay, look] });
const retrying = createActor('lead', { tools: [delegate(worker, { retry: { attempts: 2 } })] });

const paying: ScriptedReply = { text: 'I pay.', calls: [{ name: 'pay', input: { whom: 'Ada' } }] };
const looking: ScriptedReply = replyWithLook('it');
const asking: ScriptedReply = { text: 'I ask.', calls: [callAgent('worker')] };
const done: ScriptedReply = { text: 'Done.' };

/** Returns its replies in order, also after a reset. */
function replyInOrder(...replies: readonly ScriptedReply[]): Role {
  const left = [...replies];
  return () => left.shift() ?? done;
}

/** Pays in its first step. */
const paysOnce = ({ step }: Turn): ScriptedReply => (step === 1 ? paying : done);

interface Scene {
  readonly agent: Agent;
  readonly roles: Readonly<Record<string, Role>>;
  readonly worker?: Partial<LonghandWorkerOptions>;
}

/** Uses a separate client: the client of the test would expect the first run to be the chain. */
async function playScene(scene: Scene, body: (longhand: Longhand, chainId: string) => Promise<void>): Promise<void> {
  paid = 0;
  const { agent, roles, worker = {} } = scene;
  await withWorker({ agents: [agent], replies: playRoles(roles), worker }, async ({ taskQueue }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    try {
      const chain = await longhand.start(agent, 'Work');
      expect((await chain.result()).outcome).toBe('success');
      expect(paid).toBe(1);
      await body(longhand, chain.chainId);
    } finally {
      await longhand.close();
    }
  });
}

async function readFirstRun({ client }: Longhand, workflowId: string): Promise<string> {
  const [first] = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  return first?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? '';
}

async function waitForRequest(longhand: Longhand, chainId: string): Promise<OpenRequest | undefined> {
  const requests = await vi.waitUntil(
    async () => {
      // A sub-chain that has not started yet is not found.
      const open = await longhand
        .getHandle(chainId)
        .listRequests()
        .catch(() => []);
      return open.length > 0 ? open : null;
    },
    { timeout: 60_000, interval: 50 },
  );
  return requests[0];
}

it('a run that was reset and then continued as new repeats a call only after a decision by a person', async () => {
  const roles = { payer: replyInOrder(looking, paying, done, looking, looking, paying, done) };
  await playScene({ agent: payer, roles, worker: { continueAfter: { steps: 1 } } }, async (longhand, chainId) => {
    const base = await readFirstRun(longhand, chainId);
    const made = await resetToStart(longhand, chainId, base);
    const request = await waitForRequest(longhand, chainId);
    expect(request).toMatchObject({ call: '3.1', kind: 'outcome', tool: 'pay' });
    expect(paid).toBe(1);
    const { events } = await longhand.client.workflow.getHandle(chainId, made).fetchHistory();
    const { run } = await buildRecordedRun(events ?? [], longhand.client.options.loadedDataConverter, undefined, made);
    expect(run.reset).toEqual({ runId: base, cut: expect.any(Number) });
    await longhand.getHandle(chainId).resolveOutcome('3.1', 'not_happened', { by: 'ann' });
    expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    expect(paid).toBe(2);
  });
});

it('a sub-chain that another call starts after a reset requires a decision before it repeats an effect', async () => {
  const roles = { lead: replyInOrder(asking, done, looking, asking, done), worker: paysOnce };
  await playScene({ agent: lead, roles }, async (longhand, chainId) => {
    await resetToStart(longhand, chainId);
    const request = await waitForRequest(longhand, `${chainId}/2.1`);
    expect(request).toMatchObject({ call: '1.1', kind: 'outcome', tool: 'pay' });
    expect(request?.reason).toContain(`Above, in chain ${chainId}: The run was reset in Temporal`);
    expect(paid).toBe(1);
    await longhand.getHandle(`${chainId}/2.1`).resolveOutcome('1.1', 'happened', { by: 'ann' });
    expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    expect(paid).toBe(1);
  });
});

it('a chain requires a decision before it repeats an effect of its sub-chain after a reset', async () => {
  const roles = { lead: replyInOrder(asking, done, paying, done), worker: paysOnce };
  await playScene({ agent: lead, roles }, async (longhand, chainId) => {
    await resetToStart(longhand, chainId);
    const request = await waitForRequest(longhand, chainId);
    expect(request).toMatchObject({ call: '1.1', kind: 'outcome', tool: 'pay' });
    expect(request?.reason).toContain(`had started chain ${chainId}/1.1, which may have called pay`);
    expect(paid).toBe(1);
    await longhand.getHandle(chainId).resolveOutcome('1.1', 'give_up', { by: 'ann' });
  });
});

it('a call requires a decision if the server has deleted the run that may have executed it', async () => {
  const roles = { payer: replyInOrder(paying, done, done, looking, paying, done) };
  await playScene({ agent: payer, roles }, async (longhand, chainId) => {
    const { runId } = await longhand.client.workflow.getHandle(chainId).describe();
    await resetToStart(longhand, chainId);
    expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    await deleteRun(longhand, chainId, runId);
    await resetToStart(longhand, chainId);
    const request = await waitForRequest(longhand, chainId);
    expect(request).toMatchObject({ call: '2.1', kind: 'outcome', tool: 'pay' });
    expect(request?.reason).toContain('The server has deleted runs of the chain, which may have started pay');
    await longhand.getHandle(chainId).resolveOutcome('2.1', 'not_happened', { by: 'ann' });
    expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    expect(paid).toBe(2);
  });
});

it('a second attempt of a sub-chain requires a decision before it repeats an effect of the first', async () => {
  paid = 0;
  const failing: ScriptedReply = { status: 400, error: { type: 'invalid_request_error', message: 'no' } };
  const hanging: ScriptedReply = { hang: true, afterEvents: 1 };
  const roles = { lead: replyInOrder(asking, done), worker: replyInOrder(paying, hanging, failing, paying, done) };
  await withWorker({ agents: [retrying], replies: playRoles(roles) }, async ({ taskQueue, models }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    try {
      const { chainId } = await longhand.start(retrying, 'Work');
      await expect.poll(() => models.requests.length).toBe(3);
      await resetToStart(longhand, `${chainId}/1.1`);
      const request = await waitForRequest(longhand, `${chainId}/1.1~2`);
      expect(request).toMatchObject({ call: '1.1', kind: 'outcome', tool: 'pay' });
      expect(paid).toBe(1);
      await longhand.getHandle(`${chainId}/1.1~2`).resolveOutcome('1.1', 'happened', { by: 'ann' });
      expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    } finally {
      await longhand.close();
    }
  });
});

it('a second chain of the same id requires no decision about effects of the first', async () => {
  const roles = { payer: replyInOrder(paying, done, done, paying, done) };
  await playScene({ agent: payer, roles }, async (longhand, chainId) => {
    await resetToStart(longhand, chainId);
    expect((await longhand.getHandle(chainId).result()).outcome).toBe('success');
    const second = await longhand.start(payer, 'Work', { chainId, ifExists: 'again' });
    expect((await second.result()).outcome).toBe('success');
    expect(paid).toBe(2);
  });
});
