/** Readers return the same for a chain on the server, and in the archive, with or without a server. */

import { expect, it } from 'vitest';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { ChainNotFoundError, connect, type Longhand } from '../../../src/entries/client.js';
import { allPreferencesOn, createViewer, type StepView, type Viewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { readRuns } from '../../../src/store/archive/archived-runs.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { createPreferenceStore } from '../../../src/store/preferences/preferences.js';
import { typicalSegment } from '../../support/archived.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { deleteRun } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

useOwnServer();

const file = useFileStore();

const below = defineAgent({
  name: 'below',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  description: 'Looks deeper',
});
const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, below] });

const replies: readonly ScriptedReply[] = [
  replyWithLook('key'),
  replyWithLook('door'),
  { text: 'Deeper.', calls: [{ name: 'below', input: { task: 'Look deeper' } }] },
  { text: 'A cellar.' },
  replyWithLook('bell'),
  { text: 'All is there.' },
];

interface Archived {
  readonly test: ChainTest;
  readonly chainId: string;
}

/** Runs a chain that continues as new and has a sub-chain, until all its runs are archived. */
async function withArchived(body: (archived: Archived) => Promise<void>): Promise<void> {
  const worker = { store: file.store, continueAfter: { steps: 2 } };
  await withWorker({ agents: [agent], replies, worker }, async (test) => {
    // Not the client of the test, which reads each chain that it started from the server at the end.
    const longhand = await connect({ address: getTemporalAddress(), taskQueue: test.taskQueue, store: null });
    const chain = await longhand.start(agent, 'See all that is there', { tenant: 'acme' });
    await chain.result();
    const { chainId } = chain;
    const all = async (id: string) =>
      (await readRuns(file.store, { namespace: 'default', chainId: id }).catch(() => null))?.length;
    await expect.poll(async () => [await all(chainId), await all(`${chainId}/3.1`)]).toEqual([3, 1]);
    await longhand.close();
    await body({ test, chainId });
  });
}

/** Deletes the chain as the server does after its retention, and waits until it is gone. */
async function deleteChain(longhand: Longhand, chainId: string): Promise<void> {
  const deleting: Promise<void>[] = [];
  for (const id of [chainId, `${chainId}/3.1`]) {
    const runs = (await readRuns(file.store, { namespace: 'default', chainId: id })) ?? [];
    deleting.push(...runs.map(({ runId }) => deleteRun(longhand, id, runId)));
  }
  await Promise.all(deleting);
}

/** The output of all read functions of the client. */
async function readOutlets(longhand: Longhand, chainId: string) {
  const chain = longhand.getHandle(chainId);
  const followed = [];
  for await (const event of chain.follow()) followed.push(event);
  const watched = [];
  for await (const event of chain.watch(createViewer('developer'))) watched.push(event);
  return {
    result: await chain.result(),
    view: await chain.view(createViewer('developer'), {}, { depth: 2 }),
    description: await chain.describe(),
    followed,
    watched,
  };
}

const connectReader = (more: object = {}) => connect({ address: getTemporalAddress(), store: file.store, ...more });

it('a reader returns the same for a chain that the server has deleted as for the live chain', async () => {
  await withArchived(async ({ test, chainId }) => {
    const longhand = await connectReader();
    const live = await readOutlets(longhand, chainId);
    expect(live.view.children['3.1']?.[0]?.level).toBe('full');
    await deleteChain(test.longhand, chainId);
    expect(await readOutlets(longhand, chainId)).toEqual(live);
    const forked = await longhand.fork(chainId, { atStep: 1, message: 'Try another way.' });
    await longhand.client.workflow.getHandle(forked.chainId).terminate();
    await longhand.close();
    const without = await connectReader({ store: null });
    await expect(without.getHandle(chainId).result()).rejects.toThrow(ChainNotFoundError);
    await without.close();
  });
});

it('every command reads an archived chain without a server and reports that once', async () => {
  await withArchived(async ({ test, chainId }) => {
    const at = (address: string) => ({ TEMPORAL_ADDRESS: address, LONGHAND_STORE: file.where });
    const runCommand = (args: readonly string[], address = getTemporalAddress()) => longhandHere(args, at(address));
    const commands = [
      ['chain', 'show', chainId, '--json', '--tree'],
      ['chain', 'cost', chainId, '--json'],
      ['chain', 'at', chainId, '2', '--json'],
      ['chain', 'explain', chainId, '--json'],
      ['chain', 'verify', chainId, '--json'],
      ['chain', 'replay', chainId, '--json'],
      ['chain', 'diff', chainId, chainId, '--json'],
      ['chain', 'export', chainId],
    ];
    const live = [];
    for (const args of commands) live.push(await runCommand(args));
    for (const { code, stderr } of live) expect([code, stderr]).toEqual([0, '']);
    await deleteChain(test.longhand, chainId);
    for (const [at, args] of commands.entries()) expect(await runCommand(args)).toEqual(live[at]);
    const unusedAddress = `127.0.0.1:${await findFreePort()}`;
    for (const [at, args] of commands.entries()) {
      const { stdout, stderr, code } = await runCommand(args, unusedAddress);
      expect([code, stdout]).toEqual([0, live[at]?.stdout]);
      expect(stderr).toBe(
        `No Temporal server answers at ${unusedAddress}: read from the archive (sqlite:${file.where.replace('sqlite:', '')}).\n`,
      );
    }
    const { total, branches } = JSON.parse(live[1]?.stdout ?? '');
    const summed = JSON.parse((await runCommand(['cost', '--by', 'agent', '--json'], unusedAddress)).stdout);
    expect(summed.groups.map(({ name }: { name: string }) => name)).toEqual(['looker', 'below']);
    expect(summed.groups[0]).toMatchObject({ chains: 1, steps: 5, tokens: total.tokens, costUsd: total.costUsd });
    expect(summed.groups[1]).toMatchObject({ chains: 1, tokens: branches[0].own.tokens });
    const used = JSON.parse((await runCommand(['cost', '--by', 'tool', '--json'], unusedAddress)).stdout);
    expect(used.groups).toMatchObject([
      { name: 'look', calls: 3, failures: 0 },
      { name: 'below', calls: 1, failures: 0 },
    ]);
    const listed = JSON.parse((await runCommand(['chain', 'list', '--json', '--text', 'bell', '--all'])).stdout);
    expect(listed).toMatchObject([{ chainId, agent: 'looker', tenant: 'acme', outcome: 'success', steps: 5 }]);
    const watched = await runCommand(['chain', 'watch', chainId.slice(0, 12)]);
    expect(watched.stdout).toContain('All is there.');
    await eraseChains(file.store, { chainId }, { namespace: 'default', by: 'dpo', now: Date.UTC(2026, 10, 22) });
    const erased = await runCommand(['chain', 'show', chainId]);
    expect([erased.code, erased.stderr]).toEqual([
      1,
      `longhand: Chain ${chainId} was erased on 2026-11-22 by dpo: only its digests remain.\n`,
    ]);
    expect((await runCommand(['chain', 'list'])).stdout).toContain('erased on 2026-11-22 by dpo');
  });
});

it('a chain is listed once, whether the server has it or only the archive', async () => {
  await withArchived(async ({ test, chainId }) => {
    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: file.where };
    const rows = async () => {
      const { stdout } = await longhandHere(['chain', 'list', '--json', '--agent', 'looker', '--limit', '1000'], env);
      return (JSON.parse(stdout) as { chainId: string }[]).filter((row) => row.chainId === chainId);
    };
    const [live, ...twice] = await rows();
    expect(twice).toEqual([]);
    await deleteChain(test.longhand, chainId);
    const [archived, ...others] = await rows();
    expect(others).toEqual([]);
    expect(archived).toEqual({
      ...live,
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      tokens: expect.any(Number),
    });
  });
});

it('archived chains of another server with the same namespace are listed only while no server answers', async () => {
  const chain = { chainId: 'elsewhere-1', input: { task: 'Go.' }, startedAt: Date.now(), steps: 2 };
  await putRun(file.store, { ...typicalSegment(chain), server: 'another' });
  const list = (address: string) =>
    longhandHere(['chain', 'list'], { TEMPORAL_ADDRESS: address, LONGHAND_STORE: file.where });
  expect((await list(getTemporalAddress())).stdout).not.toContain('elsewhere-1');
  expect((await list(`127.0.0.1:${await findFreePort()}`)).stdout).toContain('elsewhere-1');
  const longhand = await connectReader();
  expect((await longhand.getHandle('elsewhere-1').read()).state.chainId).toBe('elsewhere-1');
  await longhand.close();
});

it('views and watched events of a viewer with a user apply the stored preferences of that user', async () => {
  const key = { namespace: 'default', tenant: 'acme', user: 'ana' };
  await createPreferenceStore(file.store).put(key, { ...allPreferencesOn, thinking: false });
  await withArchived(async ({ chainId }) => {
    const longhand = await connectReader();
    const chain = longhand.getHandle(chainId);
    const countThoughts = async (viewer: Viewer) => {
      const { steps } = await chain.view(viewer);
      const isThought = ({ kind, level }: StepView) => kind === 'thinking' && level !== 'hidden';
      let watched = 0;
      for await (const event of chain.watch(viewer))
        if (event.type === 'step-changed' && isThought(event.step)) watched++;
      return [steps.filter(isThought).length, watched];
    };
    const ana = { tenant: 'acme', user: 'ana' };
    expect(await countThoughts(createViewer('developer', ana))).toEqual([0, 0]);
    const [viewed, watched] = await countThoughts(createViewer('developer', { ...ana, user: 'bob' }));
    expect(viewed).toBeGreaterThan(0);
    expect(watched).toBeGreaterThan(0);
    // Preferences that the program passes are the viewer's.
    const own = createViewer('developer', { ...ana, preferences: allPreferencesOn });
    expect(await countThoughts(own)).toEqual([viewed, watched]);
    await longhand.close();
  });
});
