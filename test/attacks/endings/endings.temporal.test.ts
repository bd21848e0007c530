/** L7 on the running product: no input of a provider, a worker or an operator leads to a chain that never ends. */

import { randomUUID } from 'node:crypto';
import type { WorkerOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { activityNames, messageNames, workflowType } from '../../../src/contract/names.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import { defineAgent, defineTool, NotDone, type Usage } from '../../../src/index.js';
import { type LoopBlock, watchLoop } from '../../../src/timing/loop-guard.js';
import { type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { createActor, playRoles } from '../../support/delegating.js';

const input = z.object({});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: input,
  effects: 'read',
  execute: () => 'seen',
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: input,
  effects: 'unsafe',
  approval: false,
  execute: () => 'paid',
});
const agent = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, pay] });

type Tamper = (result: unknown) => unknown;

/** Replaces the results of activities on their way to the server. */
function tamperResults(activities: { readonly [type: string]: Tamper }): Pick<ChainTestOptions, 'temporal'> {
  const interceptors: NonNullable<WorkerOptions['interceptors']> = {
    activity: [
      ({ info }) => ({
        inbound: {
          execute: async (given, next) => {
            const result = await next(given);
            return (activities[info.activityType] ?? ((same: unknown) => same))(result);
          },
        },
      }),
    ],
  };
  return { temporal: { interceptors } };
}

const calls = (tool: string) => ({ calls: [{ name: tool, input: {} }] });

it('a reply of 30 MB does not block its worker: what is too large for a history is not read', async () => {
  const usage: Usage = { input: 10_000, output: 1_000, cacheRead: 0, cacheWrite: 0, thinking: 0 };
  const content = [{ type: 'text', text: '\n'.repeat(30_000_000) }] as const;
  const reply = { model: 'm', content, stopReason: 'end_turn', usage } as const;
  const provider: ModelProvider = { name: 'anthropic', call: async () => ({ ok: true, reply }) };
  const reader = defineAgent({ name: 'reader', model: 'claude-sonnet-5-5', strategy: 'react', tools: [look] });
  const blocks: LoopBlock[] = [];
  const end = watchLoop((block) => blocks.push(block));
  await withWorker({ agents: [reader], worker: { providers: [provider] } }, async ({ longhand }) => {
    const { outcome, reason } = await (await longhand.start(reader, 'Talk')).result();
    expect([outcome, reason]).toEqual(['failure', expect.stringContaining("Temporal's limit is 1900000")]);
  });
  end();
  // Reading it took half a minute.
  expect(Math.max(0, ...blocks.map(({ ms }) => ms))).toBeLessThan(5_000);
});

describe('an activity with a forged text as result', () => {
  it.each([
    ['the preparation', activityNames.prepareAgent, 'not_prepared'],
    ['a model call', activityNames.callModel, 'model_failed'],
  ])('ends the chain as failure, with the text in the reason (%s)', async (_what, type, code) => {
    await withWorker(
      { agents: [agent], replies: () => ({ text: 'Hello.' }), ...tamperResults({ [type]: () => 'done' }) },
      async ({ longhand }) => {
        const { outcome, reasonCode, reason } = await (await longhand.start(agent, 'Talk')).result();
        expect([outcome, reasonCode]).toEqual(['failure', code]);
        expect(reason).toContain('"done"');
      },
    );
  });

  it('is an error of a read call and an unknown outcome of an unsafe call', async () => {
    const replies = [calls('look'), calls('pay'), { text: 'Done.' }];
    await withWorker(
      { agents: [agent], replies, ...tamperResults({ look: () => 'done', pay: () => ({ paid: true }) }) },
      async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Pay');
        await expect.poll(async () => (await chain.listRequests()).map(({ kind }) => kind)).toEqual(['outcome']);
        await chain.resolveOutcome('2.1', 'happened', { by: 'ada' });
        const { outcome } = await chain.result();
        const read = await chain.read();
        expect(outcome).toBe('success');
        expect(read.steps[0]?.calls[0]).toMatchObject({
          status: 'error',
          observation: expect.stringContaining('invalid result'),
        });
      },
    );
  });
});

describe('a worker that reports impossible usage', () => {
  it.each([5e18, 1e300])('ends the chain as failure (%d tokens)', async (tokens) => {
    const usage: Usage = { input: tokens, output: tokens, cacheRead: 0, cacheWrite: 0, thinking: 0 };
    const tamper: Tamper = (result) => {
      const { reply, ...rest } = result as { readonly reply: object };
      return { ...rest, reply: { ...reply, usage } };
    };
    await withWorker(
      { agents: [agent], replies: [{ text: 'Hello.' }], ...tamperResults({ [activityNames.callModel]: tamper }) },
      async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Talk');
        expect(await chain.result()).toMatchObject({ outcome: 'failure' });
      },
    );
  });
});

describe('a fault in the code of a chain', () => {
  /** An invalid snapshot, as a completion by hand can produce it: the first message to the chain is then a fault. */
  const faulty: Tamper = (snapshot) => ({ ...(snapshot as AgentSnapshot), permissions: { steer: 5 } });
  const waits = defineTool({
    name: 'waits',
    description: 'Waits.',
    inputSchema: input,
    effects: 'read',
    execute: async (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new NotDone('stopped')))),
  });
  const waiting = defineAgent({ name: 'waiting', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [waits] });

  it('ends the chain as failure, interrupts running calls, and its history replays', async () => {
    await withWorker(
      { agents: [waiting], replies: [calls('waits')], ...tamperResults({ [activityNames.prepareAgent]: faulty }) },
      async ({ longhand }) => {
        const chain = await longhand.start(waiting, 'Wait');
        await expect.poll(async () => (await chain.read()).steps.length).toBe(1);
        await longhand.client.workflow
          .getHandle(chain.chainId)
          .signal(messageNames.steer, { text: 'hello', by: 'ada' });
        const result = await chain.result();
        expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'fault' });
        expect(result.reason).toContain('commandReceived');
        const read = await chain.read();
        expect(read.steps[0]?.calls[0]?.status).not.toBe('pending');
        expect((await longhand.client.workflow.getHandle(chain.chainId).describe()).status.name).toBe('FAILED');
      },
    );
  });
});

describe('an undecodable payload', () => {
  const unreadable = { metadata: { encoding: Buffer.from('foo/bar') }, data: Buffer.from('?') };
  const notJson = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') };

  it.each([
    ['of an unknown encoding', unreadable],
    ['that is not JSON', notJson],
  ])('in a signal does not stop the chain (%s)', async (_what, payload) => {
    const replies = [{ hang: true, afterEvents: 1 } as const, { text: 'Done.' }];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Talk');
      await expect.poll(() => models.requests.length).toBe(1);
      const { namespace } = longhand.client.options;
      const signalName = messageNames.steer;
      const workflowExecution = { workflowId: chain.chainId };
      await longhand.client.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution,
        signalName,
        input: { payloads: [payload] },
      });
      await chain.cancel({ by: 'ada' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
    });
  });
});

it('a signal with a name that Temporal reserves stops no chain', async () => {
  const replies = [{ hang: true, afterEvents: 1 } as const, { text: 'Done.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand, models, worker, startWorker }) => {
    const reserve = (workflowId: string) =>
      longhand.client.workflowService.signalWorkflowExecution({
        namespace: longhand.client.options.namespace,
        workflowExecution: { workflowId },
        signalName: '__temporal_anything',
      });
    await worker.stop();
    const chain = await longhand.start(agent, 'Talk');
    await reserve(chain.chainId);
    await reserve(chain.chainId);
    await longhand.client.workflow.getHandle(chain.chainId).signal(messageNames.steer, { text: 'hello', by: 'ada' });
    await startWorker();
    await expect.poll(() => models.requests.length).toBe(1);
    expect(JSON.stringify(models.requests[0]?.body.messages)).toContain('hello');
    await reserve(chain.chainId);
    await chain.cancel({ by: 'ada' });
    expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('a forged start with long texts', () => {
  it('leads to a chain that ends, with an id of 998 bytes and names of 100 KB', async () => {
    const boss = createActor('boss', { tools: [createActor('aide')] });
    const roles = {
      boss: ({ step, last }: { step: number; last: string }) =>
        step === 1 ? { calls: [{ name: 'aide', input: { task: 'Look' } }] } : { text: `Results: ${last}` },
    };
    await withWorker({ agents: [boss], replies: playRoles(roles) }, async ({ longhand, taskQueue }) => {
      const input = {
        rules: 1,
        agent: 'boss',
        task: 'Do it',
        model: null,
        limits: {},
        tenant: 't'.repeat(100_000),
        user: null,
        roles: [],
      };
      const start = (more: object) => {
        const workflowId = `${'x'.repeat(998 - 36)}${randomUUID()}`;
        return longhand.client.workflow.start(workflowType, { workflowId, taskQueue, args: [{ ...input, ...more }] });
      };
      const [long, unknown] = await Promise.all([start({}), start({ agent: 'a'.repeat(100_000) })]);
      expect((await longhand.getHandle(long.workflowId).result()).answer).toContain(
        'Not delegated: the id of the sub-chain',
      );
      expect(await longhand.getHandle(unknown.workflowId).result()).toMatchObject({
        outcome: 'failure',
        reasonCode: 'invalid_start',
      });
    });
  });
});

it('a retry-after header of 30,000 years is a wait of an hour, which a cancel ends', async () => {
  const replies = [{ status: 429, headers: { 'retry-after': '1000000000000' } }];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Talk');
    await expect
      .poll(async () => (await chain.read()).state.flight)
      .toMatchObject({ kind: 'modelRetry', retryDelayMs: 3_600_000 });
    await chain.cancel({ by: 'ann' });
    expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
  });
});
