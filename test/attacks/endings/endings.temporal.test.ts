/** L7, on the running product: nothing that a provider, a worker or an operator writes makes a chain that never ends. */

import type { WorkerOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/agents/define-agent.js';
import { activityNames, messageNames } from '../../../src/contract/names.js';
import type { AgentSnapshot } from '../../../src/core/agent.js';
import type { Usage } from '../../../src/core/model.js';
import { defineTool } from '../../../src/tools/define-tool.js';
import { NotDone } from '../../../src/tools/errors.js';
import { type ChainTestOptions, withWorker } from '../../support/chain-test.js';

const input = z.object({});
const look = defineTool({ name: 'look', description: 'Looks.', input, effects: 'read', run: () => 'seen' });
const pay = defineTool({ name: 'pay', description: 'Pays.', input, effects: 'unsafe', run: () => 'paid' });
const agent = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, pay] });

type Tamper = (result: unknown) => unknown;

/** Stands for whoever completes activities by hand: what the worker returned is replaced on its way to the server. */
function completing(activities: { readonly [type: string]: Tamper }): Pick<ChainTestOptions, 'temporal'> {
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

describe('an activity that is completed by hand with a text', () => {
  it.each([
    ['the preparation', activityNames.prepareAgent, 'could not be prepared'],
    ['a call of the model', activityNames.callModel, 'could not be called'],
  ])('ends the chain as failure, and says with what (%s)', async (_what, type, says) => {
    await withWorker(
      { agents: [agent], replies: () => ({ text: 'Hello.' }), ...completing({ [type]: () => 'done' }) },
      async ({ longhand }) => {
        const { outcome, reason } = await (await longhand.start(agent, 'Talk')).result();
        expect(outcome).toBe('failure');
        expect(reason).toContain(says);
        expect(reason).toContain('"done"');
      },
    );
  });

  it('is an observation of a failed call, and a question to a person where the call is unsafe', async () => {
    const replies = [calls('look'), calls('pay'), { text: 'Done.' }];
    await withWorker(
      { agents: [agent], replies, ...completing({ look: () => 'done', pay: () => ({ paid: true }) }) },
      async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Pay');
        await expect.poll(async () => (await chain.requests()).map(({ kind }) => kind)).toEqual(['outcome']);
        await chain.outcome('2.1', 'happened', { by: 'ada' });
        const { outcome } = await chain.result();
        const { chain: read } = await chain.describe();
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
  it.each([5e18, 1e300])('is charged the whole reservation of %d tokens, and the chain ends', async (tokens) => {
    const usage: Usage = { input: tokens, output: tokens, cacheRead: 0, cacheWrite: 0, thinking: 0 };
    const tamper: Tamper = (result) => {
      const { reply, ...rest } = result as { readonly reply: object };
      return { ...rest, reply: { ...reply, usage } };
    };
    await withWorker(
      { agents: [agent], replies: [{ text: 'Hello.' }], ...completing({ [activityNames.callModel]: tamper }) },
      async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Talk');
        expect(await chain.result()).toMatchObject({ outcome: 'failure' });
      },
    );
  });
});

describe('a fault in the code of the chain', () => {
  /** Nobody defines an agent like this; a completion by hand can. The first message to the chain is then a fault. */
  const faulty: Tamper = (snapshot) => ({ ...(snapshot as AgentSnapshot), permissions: { steer: 5 } });
  const waits = defineTool({
    name: 'waits',
    description: 'Waits.',
    input,
    effects: 'read',
    run: async (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new NotDone('stopped')))),
  });
  const waiting = defineAgent({ name: 'waiting', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [waits] });

  it('ends the chain as failure, stops what runs, and its closed history replays', async () => {
    await withWorker(
      { agents: [waiting], replies: [calls('waits')], ...completing({ [activityNames.prepareAgent]: faulty }) },
      async ({ longhand }) => {
        const chain = await longhand.start(waiting, 'Wait');
        await expect.poll(async () => (await chain.describe()).chain.steps.length).toBe(1);
        await longhand.client.workflow
          .getHandle(chain.chainId)
          .signal(messageNames.steer, { text: 'hello', by: 'ada' });
        const result = await chain.result();
        expect(result.outcome).toBe('failure');
        expect(result.reason).toContain('TypeError at the fact directed');
        const { chain: read } = await chain.describe();
        expect(read.steps[0]?.calls[0]?.status).not.toBe('pending');
        expect((await longhand.client.workflow.getHandle(chain.chainId).describe()).status.name).toBe('FAILED');
      },
    );
  });
});
