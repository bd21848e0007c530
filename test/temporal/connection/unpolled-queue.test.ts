/** A chain whose task queue no worker polls is reported as such, wherever somebody waits for it. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkServer } from '../../../src/cli/doctor/temporal-server.js';
import { connect } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';

const agent = defineAgent({ name: 'clerk', instructions: 'Answer.', model: 'claude-sonnet-5-5', strategy: 'tools' });
const env = () => ({ TEMPORAL_ADDRESS: getTemporalAddress() });
const createQueue = () => `nobody-${randomUUID()}`;
const report = (queue: string) => `No worker polls task queue ${queue}. Start one with`;

it('describe() names the task queue, within 2 seconds', async () => {
  const taskQueue = createQueue();
  const client = await connect({ address: getTemporalAddress(), taskQueue });
  const chain = await client.start('clerk', 'Wait.');
  const started = Date.now();
  expect(await chain.describe()).toMatchObject({ status: 'running', unpolledQueue: taskQueue });
  expect(Date.now() - started).toBeLessThan(2_000);
  await client.close();
});

it('describe() names none while a worker polls it, and none for a chain that has ended', async () => {
  await withWorker({ agents: [agent], replies: [{ hang: true }] }, async (test) => {
    const chain = await test.longhand.start(agent, 'Do it.');
    // The worker has polled before it makes the call.
    await expect.poll(() => test.models.requests.length).toBe(1);
    expect(await chain.describe()).toMatchObject({ status: 'running', unpolledQueue: null });
    await chain.cancel();
    await chain.result();
    expect(await chain.describe()).toMatchObject({ status: 'ended', unpolledQueue: null });
  });
});

it('chain explain gives it as the first reason', async () => {
  const taskQueue = createQueue();
  const client = await connect({ address: getTemporalAddress(), taskQueue });
  const { chainId } = await client.start('clerk', 'Wait.');
  const { stdout } = await longhandHere(['chain', 'explain', chainId, '--json'], env());
  expect(JSON.parse(stdout).why[0]).toContain(report(taskQueue));
  await client.close();
});

it('chain show of a chain that no worker has taken shows agent, task and id, and reports the task queue', async () => {
  const taskQueue = createQueue();
  const client = await connect({ address: getTemporalAddress(), taskQueue });
  const chain = await client.start('clerk', 'Wait for somebody.', { user: 'ann' });
  const { stdout, stderr } = await longhandHere(['chain', 'show', chain.chainId], env());
  expect(stdout).toMatch(/^clerk {2}Wait for somebody\.\n/);
  expect(stdout).toContain(`${chain.chainId} · user ann`);
  expect(stdout).toContain('● not started: no worker has taken it');
  expect(stderr).toContain(report(taskQueue));
  expect(await chain.describe()).toMatchObject({ agent: 'clerk', task: 'Wait for somebody.', steps: 0 });
  expect(await chain.view(createViewer('developer'))).toMatchObject({ chainId: chain.chainId, agent: 'clerk' });
  await client.close();
});

it('start reports it after the id, and start --wait while it follows', async () => {
  const taskQueue = createQueue();
  const args = ['start', 'clerk', 'Wait.', '--task-queue', taskQueue];
  const { code, stdout, stderr } = await longhandHere(args, env());
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^clerk-\S+\n$/),
    expect.stringContaining(report(taskQueue)),
  ]);
  const following = longhand([...args, '--wait'], env());
  await expect.poll(following.readStderr).toContain(report(taskQueue));
  following.process.kill('SIGINT');
  await following.end;
});

it('doctor counts the workers of the default task queue', async () => {
  const workers = (await checkServer(env())).find(({ name }) => name === 'Workers');
  expect(workers?.found).toMatch(/^(?:no worker polls|\d+ on) task queue longhand$/);
});
