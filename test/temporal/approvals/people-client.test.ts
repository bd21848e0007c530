/** Commands through the client: accepted, rejected, or stored for the first worker that starts. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { listLongestWaiting } from '../../../src/client/list/inbox.js';
import {
  type ChainHandle,
  ChainNotFoundError,
  CommandRejectedError,
  type InboxOptions,
} from '../../../src/entries/client.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { deployer } from '../../support/deciding-agents.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const push: ScriptedReply = { text: 'I push.', calls: [{ name: 'git_push', input: { branch: 'main' } }] };
const drop: ScriptedReply = { text: 'I drop.', calls: [{ name: 'drop_table', input: { table: 'users' } }] };
const done: ScriptedReply = { text: 'Done.' };
const tenant = `t-${randomUUID()}`;

async function withWaitingChain(
  replies: readonly ScriptedReply[],
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [deployer], replies }, async (test) => {
    const chain = await test.longhand.start(deployer, 'Release it', { tenant });
    await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
    await body(chain, test);
  });
}

it('the client lists open requests and sends a decision with the digest that was read', async () => {
  await withWaitingChain([drop, done], async (chain) => {
    const [request] = await chain.listRequests();
    expect(request).toEqual({
      call: '1.1',
      kind: 'approval',
      tool: 'drop_table',
      input: { table: 'users' },
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      risk: 'high',
      reason: 'It is gone then.',
      roles: ['dba'],
      byRequester: true,
      approvers: 1,
      votes: [],
      askedAt: expect.any(Number),
      expiresAt: expect.any(Number),
      onExpiry: 'deny',
      escalates: null,
    });
    const receipt = await chain.approve('1.1', { digest: request?.digest, by: 'ann', roles: ['dba'] });
    expect(receipt).toEqual({ id: expect.any(String), status: 'accepted' });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(await chain.listRequests()).toEqual([]);
  });
});

it('the inbox returns the requests that have waited longest', async () => {
  const own = `t-${randomUUID()}`;
  await withWorker({ agents: [deployer], replies: [push, push, push] }, async ({ longhand }) => {
    const started: string[] = [];
    for (const _ of [1, 2, 3]) {
      const chain = await longhand.start(deployer, 'Release it', { tenant: own });
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      started.push(chain.chainId);
    }
    const ids = async (limit: number) =>
      (await longhand.listInbox({ tenant: own, limit })).map(({ chainId }) => chainId);
    await expect.poll(() => ids(3)).toEqual(started);
    expect(await ids(2)).toEqual(started.slice(0, 2));
    const { others } = await listLongestWaiting(longhand.client, { tenant: own, limit: 1 });
    expect(others).toBe(2);
    for (const id of started) await longhand.getHandle(id).cancel();
  });
});

it('a rejected command throws a CommandRejectedError with code and sentence', async () => {
  await withWaitingChain([drop, done], async (chain, { longhand }) => {
    const rejected = await chain.approve('1.1', { by: 'bob' }).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(CommandRejectedError);
    expect(rejected).toMatchObject({
      chainId: chain.chainId,
      code: 'command_rejected',
      rejection: 'not_entitled',
      message: 'Call 1.1 requires a decision by the role dba; bob has no role.',
    });
    await chain.deny('1.1', { by: 'ann', roles: ['dba'] });
    await chain.result();
    await expect(chain.steer('Too late.')).rejects.toMatchObject({ name: 'CommandRejectedError', code: 'chain_ended' });
    await expect(longhand.getHandle(`no-${randomUUID()}`).approve('1.1')).rejects.toThrow(ChainNotFoundError);
    expect(await chain.cancel()).toEqual({ id: null, status: 'ended' });
  });
});

it('a command that no worker accepts in time is accepted once when a worker starts', async () => {
  await withWaitingChain([push, done], async (chain, { longhand, worker, startWorker }) => {
    await worker.stop();
    const receipt = await chain.approve('1.1', { by: 'ann' });
    expect(receipt.status).toBe('sent');
    const list = async () =>
      (await longhand.listInbox({ tenant })).map(({ chainId, requests }) => [chainId, requests.length]);
    await expect.poll(list).toEqual([[chain.chainId, 1]]);
    await startWorker();
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const read = await chain.read();
    expect(read.steps[0]?.calls[0]?.requests?.[0]?.decisions).toMatchObject([{ kind: 'approved', by: 'ann' }]);
    expect(read.state.seenCommandIds).toEqual([receipt.id]);
    // The command also arrived as an update, which was rejected as a duplicate without a notice.
    expect(read.notices.filter(({ code }) => code === 'command_rejected')).toEqual([]);
  });
});

it('the inbox lists the longest waiting first, and filters by role and agent', async () => {
  await withWaitingChain([push, drop], async (first, { longhand }) => {
    const second = await longhand.start(deployer, 'And drop it', { tenant });
    await expect.poll(async () => (await second.listRequests()).length).toBe(1);
    const list = async (filter: InboxOptions = {}) =>
      (await longhand.listInbox({ tenant, ...filter })).map(({ chainId }) => chainId);
    await expect.poll(() => list()).toEqual([first.chainId, second.chainId]);
    expect(await list({ roles: ['intern'] })).toEqual([first.chainId]);
    expect(await list({ agent: 'nobody' })).toEqual([]);
    await first.cancel();
    await second.cancel();
  });
});
