/** The verdicts of approval policies are in the fact of the reply: the rules of a request, or a denial. */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import type { RequestRules } from '../../../src/core/model/request.js';
import type { Longhand } from '../../../src/entries/client.js';
import { askUser } from '../../../src/entries/tools.js';
import type { WorkerApprovals } from '../../../src/entries/worker.js';
import {
  type Agent,
  type AgentDefinition,
  type Approval,
  type Duration,
  defineAgent,
  defineTool,
  type Effects,
  type Json,
  type Tool,
} from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { findRejection, sendCommand, waitForRequests } from '../../support/people.js';
import { acts, answers } from '../../support/react-reply.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const done: ScriptedReply = { text: 'All done.' };
const calls = (...made: readonly (readonly [string, Json])[]): ScriptedReply => ({
  text: 'I act.',
  calls: made.map(([name, input]) => ({ name, input })),
});

/** Creates tools that record their executions. */
function createNotebook(more: { readonly timeout?: Duration } = {}) {
  const ran: string[] = [];
  const tool = (name: string, effects: Effects, approval?: Approval<{ readonly cents: number }>): Tool =>
    defineTool({
      name,
      description: `Does ${name}`,
      inputSchema: z.object({ cents: z.int() }),
      effects,
      ...more,
      ...(approval === undefined ? {} : { approval }),
      execute: ({ cents }) => {
        ran.push(`${name} ${cents}`);
        return 'done';
      },
    });
  return { ran, tool };
}

function createPayer(tools: readonly Tool[], approval?: AgentDefinition['approval']): Agent {
  const own = approval === undefined ? {} : { approval };
  return defineAgent({ name: 'payer', model: 'claude-sonnet-5-5', strategy: 'tools', tools, ...own });
}

/** The approvals in the fact of each reply. */
async function readVerdicts(
  longhand: Longhand,
  chainId: string,
): Promise<readonly (readonly (RequestRules | null)[] | null)[]> {
  const { turns } = await readRecordedChain(await resolveChainSource(longhand.client, chainId));
  return turns
    .flatMap(({ facts }) => facts)
    .flatMap((fact) => (fact.type === 'modelReplied' ? [fact.reply.approvals ?? null] : []));
}

it('only unsafe calls need approval by default', async () => {
  const { ran, tool } = createNotebook();
  const agent = createPayer([tool('pay', 'unsafe'), tool('note', 'idempotent'), tool('ring', 'unsafe', false)]);
  const replies = [calls(['pay', { cents: 5 }], ['note', { cents: 5 }], ['ring', { cents: 5 }]), done];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Act');
    await waitForRequests(longhand, chain.chainId, '1.1');
    await expect.poll(() => [...ran].sort()).toEqual(['note 5', 'ring 5']);
    await sendCommand(longhand, chain.chainId, 'approve', { call: '1.1', by: 'ana' });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(ran.at(-1)).toBe('pay 5');
    expect(ran).toHaveLength(3);
  });
});

it('policies see arguments, tenant and cost, and the fact records the strictest of their rules', async () => {
  const { ran, tool } = createNotebook();
  const large: Approval<{ readonly cents: number }> = ({ input }) =>
    input.cents > 1_000 && { reason: 'It is much.', roles: ['lead', 'boss'], risk: 'medium' };
  const agent = createPayer(
    [tool('pay', 'unsafe', large), tool('note', 'idempotent')],
    ({ tool: name, costUsd, user }) =>
      name === 'note' && (costUsd ?? 0) > 0.01 ? { reason: `It has cost ${user} more than a cent.` } : null,
  );
  const twice: Approval = ({ input }) =>
    (input as { readonly cents: number }).cents > 5_000 && {
      reason: 'Acme looks twice.',
      approvers: 2,
      roles: ['boss'],
    };
  const approvals: WorkerApprovals = { tenants: { acme: { pay: twice } } };
  const replies: ScriptedReply[] = [
    {
      ...calls(['pay', { cents: 5 }], ['pay', { cents: 2_000 }], ['note', { cents: 1 }]),
      usage: { input: 100, output: 10 },
    },
    { ...calls(['pay', { cents: 9_000 }], ['note', { cents: 2 }]), usage: { input: 10_000, output: 10 } },
    done,
  ];
  await withWorker({ agents: [agent], replies, worker: { approvals } }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Pay', { tenant: 'acme', user: 'uwe' });
    await waitForRequests(longhand, chain.chainId, '1.2');
    expect(await findRejection(longhand, chain.chainId, 'approve', { call: '1.2', by: 'uwe' })).toMatchObject({
      code: 'not_entitled',
    });
    await sendCommand(longhand, chain.chainId, 'approve', { call: '1.2', by: 'ana', roles: ['lead'] });
    await waitForRequests(longhand, chain.chainId, '2.1', '2.2');
    await sendCommand(longhand, chain.chainId, 'approve', { call: '2.2' });
    await sendCommand(longhand, chain.chainId, 'approve', { call: '2.1', by: 'ana', roles: ['boss'] });
    await sendCommand(longhand, chain.chainId, 'approve', { call: '2.1', by: 'ben', roles: ['boss'] });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect([...ran].sort()).toEqual(['note 1', 'note 2', 'pay 2000', 'pay 5', 'pay 9000']);
    expect(await readVerdicts(longhand, chain.chainId)).toMatchObject([
      [null, { reason: 'It is much.', risk: 'medium', roles: ['lead', 'boss'], approvers: 1 }, null],
      [
        { reason: 'Acme looks twice. It is much.', risk: 'high', roles: ['boss'], approvers: 2 },
        { reason: 'It has cost uwe more than a cent.', risk: 'medium', roles: [] },
      ],
      null,
    ]);
  });
});

it('a platform denies a call, a tenant grants an approval, and a policy that throws requires one', async () => {
  const { ran, tool } = createNotebook();
  const agent = createPayer([tool('pay', 'unsafe'), tool('ring', 'unsafe'), tool('note', 'idempotent')], {
    pay: { roles: ['lead'] },
    note: () => {
      throw new Error('no database');
    },
  });
  const approvals: WorkerApprovals = {
    platform: { ring: { deny: 'Nobody rings at night.' } },
    tenants: { acme: { pay: { grant: true } } },
  };
  const replies = [calls(['pay', { cents: 5 }], ['ring', { cents: 5 }], ['note', { cents: 5 }]), done];
  await withWorker({ agents: [agent], replies, worker: { approvals } }, async ({ longhand, models }) => {
    const chain = await longhand.start(agent, 'Pay', { tenant: 'acme' });
    await waitForRequests(longhand, chain.chainId, '1.3');
    await sendCommand(longhand, chain.chainId, 'approve', { call: '1.3' });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect([...ran].sort()).toEqual(['note 5', 'pay 5']);
    const [facts] = await readVerdicts(longhand, chain.chainId);
    expect(facts).toMatchObject([null, null, { reason: expect.stringContaining('policy of agent payer failed') }]);
    expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain(
      'Error: ring was denied and did not run: Nobody rings at night.',
    );
  });
});

it('a policy of the platform ends a chain by what the model thought, or by arguments that a person changed', async () => {
  const { ran, tool } = createNotebook();
  const agent = createPayer([tool('look', 'read'), tool('pay', 'unsafe')]);
  const approvals: WorkerApprovals = {
    platform: ({ tool: name, thought, input, readSteps }) => {
      const thoughts = [...readSteps().map((step) => step.thought), thought];
      if (name === 'pay' && thoughts.some((text) => text?.includes('divorced')))
        return { end: 'The marital status is a prohibited factor.' };
      return (input as { readonly cents: number }).cents > 1_000 ? { end: 'Nobody pays this much.' } : null;
    },
  };
  const thinks = (text: string, name: string): ScriptedReply => ({ text, calls: [{ name, input: { cents: 5 } }] });
  const replies = [
    thinks('The client is divorced.', 'look'),
    thinks('I pay the bill.', 'pay'),
    thinks('The bill is due.', 'pay'),
  ];
  await withWorker({ agents: [agent], replies, worker: { approvals } }, async ({ longhand }) => {
    const biased = await longhand.start(agent, 'Pay');
    expect(await biased.result()).toMatchObject({
      outcome: 'failure',
      reasonCode: 'policy',
      reason:
        'A policy ended the chain at a call of pay, which did not run: The marital status is a prohibited factor.',
    });
    expect((await biased.read()).steps.flatMap(({ calls: made }) => made.map(({ status }) => status))).toEqual([
      'ok',
      'not_run',
    ]);
    const changed = await longhand.start(agent, 'Pay');
    await waitForRequests(longhand, changed.chainId, '1.1');
    await sendCommand(longhand, changed.chainId, 'approve', { call: '1.1', input: { cents: 9_999 } });
    expect(await changed.result()).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining('Nobody pays this much.'),
    });
  });
  expect(ran).toEqual(['look 5']);
});

describe('arguments that a person changed', () => {
  const byAmount: Approval<{ readonly cents: number }> = ({ input: { cents } }) => {
    if (cents === 666) return { deny: 'Not this number.' };
    return cents > 1_000 ? { roles: ['treasury'], approvers: 2 } : true;
  };

  async function approveChanged(
    cents: readonly number[],
    worker: { readonly approvals?: WorkerApprovals } = {},
    more: { readonly timeout?: Duration } = {},
  ) {
    const { ran, tool } = createNotebook(more);
    const agent = createPayer([tool('pay', 'unsafe', byAmount)]);
    const replies = [calls(...cents.map((): [string, Json] => ['pay', { cents: 20 }])), done];
    const observed = await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Pay', { tenant: 'acme' });
      const ids = cents.map((_, index) => `1.${index + 1}`);
      await waitForRequests(longhand, chain.chainId, ...ids);
      for (const [index, call] of ids.entries()) {
        await sendCommand(longhand, chain.chainId, 'approve', { call, input: { cents: cents[index] } });
      }
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      return (await chain.read()).steps[0]?.calls.map(({ status, observation }) => [status, observation]);
    });
    return { ran: [...ran].sort(), observed };
  }

  it('are executed if the policies require no other approval for them', async () => {
    expect(await approveChanged([30, 40])).toEqual({
      ran: ['pay 30', 'pay 40'],
      observed: [
        ['ok', 'done'],
        ['ok', 'done'],
      ],
    });
  });

  it('are not executed if a policy denies them or requires other people', async () => {
    expect(await approveChanged([666, 9_999_999])).toEqual({
      ran: [],
      observed: [
        ['error', 'pay was denied and did not run: Not this number.'],
        [
          'error',
          expect.stringContaining('needs a person with the role treasury, and 2 different people to approve it'),
        ],
      ],
    });
  });

  it('are checked by the policies of the tenant', async () => {
    const policy: Approval = ({ input, tenant, step, tokens }) =>
      (input as { readonly cents: number }).cents === 30 &&
      step === 1 &&
      (tokens ?? 0) > 0 && { deny: `Nobody of ${tenant} pays 30.` };
    const { ran, observed } = await approveChanged([30], { approvals: { tenants: { acme: policy } } });
    expect(ran).toEqual([]);
    expect(observed).toEqual([['error', 'pay was denied and did not run: Nobody of acme pays 30.']]);
  });

  it('are denied by a policy that takes longer than the timeout of the tool', async () => {
    const policy: Approval = async ({ input }) => {
      if ((input as { readonly cents: number }).cents === 20) return null;
      await setTimeout(4_000);
      return { deny: 'The books forbid it.' };
    };
    const { ran, observed } = await approveChanged([30], { approvals: { platform: policy } }, { timeout: '3 seconds' });
    expect(ran).toEqual([]);
    expect(observed).toEqual([['error', 'pay was denied and did not run: The books forbid it.']]);
  });
});

it('Request Clarification in react waits for the user, whose answer is the observation', async () => {
  const agent = defineAgent({ name: 'asker', model: 'claude-sonnet-5-5', strategy: 'react', tools: [askUser()] });
  const question = 'Which of the two cities do you mean?';
  const replies: ScriptedReply[] = [
    { text: `Thought: There are two cities of that name.\nAction: Request Clarification\nAction Input: ${question}` },
    answers('They mean the one in Texas, and it is sunny there.', 'Sunny.'),
  ];
  await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(agent, 'How is the weather in Paris?');
    await waitForRequests(longhand, chain.chainId, '1.1');
    const [step] = (await chain.read()).steps;
    expect(step?.calls).toMatchObject([{ tool: 'ask_user', input: { question }, requests: [{ kind: 'question' }] }]);
    await sendCommand(longhand, chain.chainId, 'answer', { call: '1.1', answer: 'The one in Texas' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Sunny.' });
    expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('Observation: The one in Texas');
  });
});

it('only the roles in the permissions of the agent may send commands to its chains', async () => {
  const { tool } = createNotebook();
  const agent = defineAgent({
    ...{ name: 'strict', model: 'claude-sonnet-5-5', strategy: 'react', tools: [tool('pay', 'unsafe')] },
    permissions: { steer: ['lead'], cancel: [] },
  });
  const replies = [
    acts('I pay what is due, as the task requires.', 'pay', { cents: 5 }),
    answers('It is paid now, all of it.', 'Paid.'),
  ];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Pay');
    await waitForRequests(longhand, chain.chainId, '1.1');
    expect(await findRejection(longhand, chain.chainId, 'steer', { text: 'Hurry.' })).toMatchObject({
      code: 'not_permitted',
    });
    expect(await findRejection(longhand, chain.chainId, 'cancel', {})).toMatchObject({ code: 'not_permitted' });
    expect(await findRejection(longhand, chain.chainId, 'steer', { text: 'Hurry.', roles: ['lead'] })).toBeNull();
    await sendCommand(longhand, chain.chainId, 'approve', { call: '1.1' });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
  });
});
