/** Checks of the archive on a real server: sweeps of one task queue, and comparisons of the archive with the history. */

import type { Client, Connection } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { expect } from 'vitest';
import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readRecordedChain, toChainFile } from '../../src/client/read/recorded-chain.js';
import { chainFormat, chainVersion, findDefinition } from '../../src/core/record/chain-file.js';
import { verifyFile } from '../../src/core/record/verify-file.js';
import type { Store } from '../../src/entries/store.js';
import { readRuns } from '../../src/store/archive/archived-runs.js';
import { queryArchive } from '../../src/store/archive/query-archive.js';
import { verifyStore } from '../../src/store/audit/verify-store.js';
import { type SweepOptions, type SweepResult, sweep } from '../../src/worker/sweep.js';
import { archiveIn } from './archived.js';
import { createEnvironmentConverter } from './opened.js';

export const namespace = 'default';

/** Creates a sweep of one task queue, because other tests use the same server. */
export function createSweep({ workflow, connection }: Client, store: Store, taskQueue: string) {
  const service = (connection as Connection).workflowService;
  const converter = loadDataConverter(createEnvironmentConverter());
  const archive = archiveIn(store, { converter });
  return (more: Partial<SweepOptions> = {}): Promise<SweepResult | null> =>
    sweep({
      archive,
      history: { service, namespace },
      list: (query) => workflow.list({ query: `${query} AND TaskQueue = '${taskQueue}'`, pageSize: 100 }),
      ...more,
    });
}

/** Resolves when the server lists this number of closed runs of the task queue. Its list is updated with a delay. */
export async function waitForClosed({ workflow }: Client, taskQueue: string, runs: number): Promise<void> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus != 'Running'`;
  await expect.poll(async () => (await workflow.count(query)).count).toBe(runs);
}

/** Expects the archive to have the same runs as the history, with valid digests. */
export async function expectArchived(store: Store, client: Client, chainId: string): Promise<void> {
  const runs = (await readRuns(store, { namespace, chainId })) ?? [];
  const recorded = await readRecordedChain(await resolveChainSource(client, chainId));
  expect(runs).toEqual(toChainFile(recorded).runs);
  const { chains } = await queryArchive(store, { namespace, idPrefix: chainId });
  expect(chains).toHaveLength(1);
  const about = { format: chainFormat, version: chainVersion, chainId, definition: findDefinition(runs) } as const;
  expect(verifyFile({ ...about, runs, digest: chains[0]?.head ?? '' }).divergence).toBeNull();
}

/** Expects no duplicate in the archive or in the audit log, and valid hashes in the log. */
export async function expectNoneTwice(store: Store, chainIds: readonly string[]): Promise<void> {
  const runs = await store.db
    .selectFrom('archive_runs as run')
    .innerJoin('archive_chains as chain', 'chain.id', 'run.chain')
    .select(['chain.chain_id', 'run.run_id'])
    .execute();
  expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(runs.length);
  // A worker's own sweep also archives chains of other tests.
  const ours = new Set<string | null>(chainIds);
  const found = new Set(runs.map(({ chain_id }) => chain_id).filter((id) => ours.has(id)));
  expect([...found].toSorted()).toEqual([...chainIds].toSorted());
  const entries = await store.db
    .selectFrom('audit_entries')
    .select(['chain_id', 'run_id', 'event_id', 'item', 'type'])
    .execute();
  const places = entries.map(({ type: _, ...place }) => JSON.stringify(place));
  expect(new Set(places).size).toBe(entries.length);
  // Each chain has one start and one end, with any number of runs.
  for (const type of ['chain_started', 'chain_ended']) {
    const chainIds = entries
      .filter((entry) => entry.type === type && ours.has(entry.chain_id))
      .map(({ chain_id }) => chain_id);
    expect(chainIds.toSorted()).toEqual([...chainIds].toSorted());
  }
  const verified = await verifyStore(store, namespace, null);
  expect(verified.findings).toEqual([]);
  // A concurrent sweep may have added other entries.
  expect(verified.entries).toBeGreaterThanOrEqual(entries.length);
}
