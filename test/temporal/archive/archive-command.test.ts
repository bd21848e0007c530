/** `longhand archive`: sweeps archive missed runs, and erasures delete content. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';

useOwnServer();

const agent = defineAgent({ name: 'forgetful', model: 'claude-sonnet-5-5', strategy: 'tools' });
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhand-archive-command-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runCommand(...args: readonly string[]) {
  return runCommandAt(getTemporalAddress(), ...args);
}

async function runCommandAt(address: string, ...args: readonly string[]) {
  return longhandHere(args, { TEMPORAL_ADDRESS: address, LONGHAND_STORE: join(folder, 'store.db') });
}

async function listErasedIds(): Promise<readonly string[]> {
  const { stdout } = await runCommand('archive', 'list', '--json');
  const rows = JSON.parse(stdout) as readonly { readonly chainId: string; readonly erased?: object }[];
  return rows.filter(({ erased }) => erased !== undefined).map(({ chainId }) => chainId);
}

async function sweep() {
  const { stdout } = await runCommand('archive', 'sweep', '--json');
  return JSON.parse(stdout) as {
    readonly archived: number;
    readonly alreadyArchived: number;
    readonly failed: readonly unknown[];
  };
}

/** Sweeps until the server's list, which follows its chains with a delay, has a chain to archive. */
async function sweepFirst() {
  for (;;) {
    const swept = await sweep();
    if (swept.archived > 0 || swept.failed.length > 0) return swept;
  }
}

describe('longhand archive', () => {
  it('archives the chains of workers without a store once, and erases the chains of a user', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'It is in the blue box.' }] }, async ({ longhand }) => {
      const user = `ada-${Date.now()}`;
      const chain = await longhand.start(agent, 'Where is it?', { user, tenant: 'acme' });
      await chain.result();

      const first = await sweepFirst();
      expect(first.failed).toEqual([]);
      expect((await sweep()).alreadyArchived).toBeGreaterThanOrEqual(first.archived);

      const unconfirmed = await runCommand('archive', 'erase', '--user', user);
      expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining('Confirm with --yes')]);
      const erased = await runCommand('archive', 'erase', '--user', user, '--by', 'grace', '--yes', '--json');
      expect(JSON.parse(erased.stdout)).toMatchObject({ erased: [chain.chainId], by: 'grace' });
      const audited = await runCommand('audit', 'query', '--tenant', 'acme', '--type', 'erased', '--json');
      expect(audited.stdout).toContain(chain.chainId);
    });
  });

  it('erases a chain before it is archived, and rejects an id that no chain has', async () => {
    await withWorker({ agents: [agent], replies: [{ text: 'It is in the red box.' }] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Where is it?', { chainId: `box-${Date.now()}` });
      await chain.result();

      const mistyped = `${chain.chainId}0`;
      const unknown = await runCommand('archive', 'erase', '--chain', mistyped, '--yes');
      expect([unknown.code, unknown.stderr]).toEqual([
        1,
        expect.stringContaining('neither in the store nor on the server'),
      ]);
      const unreachable = await runCommandAt('127.0.0.1:1', 'archive', 'erase', '--chain', chain.chainId, '--yes');
      expect([unreachable.code, unreachable.stderr]).toEqual([
        1,
        expect.stringContaining('No Temporal server answers'),
      ]);
      const recorded = await runCommand('audit', 'query', '--type', 'erased', '--json');
      expect(recorded.stdout).not.toContain(chain.chainId);

      const early = await runCommand('archive', 'erase', '--chain', chain.chainId, '--by', 'grace', '--yes');
      expect([early.code, early.stderr]).toEqual([0, expect.stringContaining('The chain is not in the archive.')]);
      const sweepAndList = async () => {
        await sweep();
        return listErasedIds();
      };
      await expect.poll(sweepAndList).toContain(chain.chainId);

      const prefix = await runCommand('archive', 'erase', '--chain', chain.chainId.slice(0, -1), '--yes');
      expect([prefix.code, prefix.stderr]).toEqual([
        1,
        expect.stringContaining(`these begin with it: ${chain.chainId}.`),
      ]);
    });
  });

  it('rejects an erasure without a chain, user or tenant', async () => {
    const { code, stderr } = await runCommand('archive', 'erase', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--chain, --user or --tenant')]);
  });
});
