/**
 * Workers and the database are killed at random moments (SIGKILL) while a hundred chains run and are archived. Afterwards each
 * chain is in the archive once, complete and verified; so are its audit entries.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultDataConverter } from '@temporalio/common';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chainFormat, chainVersion, findDefinition } from '../../../src/core/record/chain-file.js';
import { verifyFile } from '../../../src/core/record/verify-file.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/entries/store.js';
import { readRuns } from '../../../src/store/archive/archived-runs.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import { sweep } from '../../../src/worker/sweep.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { createKillableAgent } from '../../support/killable-agent.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { startPostgres } from '../../support/postgres.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress, getWorkflowBundlePath, useOwnServer } from '../../support/temporal.js';
import { startWorkerProcess, type WorkerProcess } from '../../support/worker-process.js';

useOwnServer();

const chains = 100;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-archive-killed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Looks once, then answers. */
function reply({ body }: RecordedRequest): ScriptedReply {
  const looked = JSON.stringify(body).includes('"tool_result"');
  return looked ? { text: 'It is there.' } : { text: 'I look.', calls: [{ name: 'look_up', input: { thing: 'it' } }] };
}

/** Runs the chains on a worker that is killed and replaced repeatedly, each time after a random while. */
async function runUnderFire(
  test: ChainTest,
  where: string,
  breakDatabase: () => Promise<void>,
): Promise<readonly string[]> {
  await test.worker.stop();
  const start = () =>
    startWorkerProcess({
      address: getTemporalAddress(),
      taskQueue: test.taskQueue,
      modelUrl: test.models.url,
      bundlePath: getWorkflowBundlePath(),
      marks: join(folder, 'marks'),
      holds: null,
      store: where,
      sweepInterval: '1s',
    });
  const ids = Array.from({ length: chains }, (_, at) => `killed-${test.taskQueue.slice(-8)}-${at}`);
  let worker: WorkerProcess = await start();
  try {
    const agent = createKillableAgent({ marks: join(folder, 'marks'), holds: null });
    for (const chainId of ids) {
      await test.longhand.client.workflow.start('agent', {
        workflowId: chainId,
        taskQueue: test.taskQueue,
        args: [
          { rules: 1, agent: agent.name, task: 'Look', model: null, limits: {}, tenant: 'acme', user: null, roles: [] },
        ],
      });
    }
    for (let kill = 0; kill < 3; kill += 1) {
      // The worker has begun, and is killed at a random moment.
      await pause(2_500 + Math.random() * 2_000);
      if (kill === 1) await breakDatabase();
      await worker.kill();
      worker = await start();
    }
    await Promise.all(ids.map((chainId) => test.longhand.client.workflow.getHandle(chainId).result()));
  } finally {
    await worker.kill();
  }
  return ids;
}

async function sweepAll({ longhand }: ChainTest, store: Store) {
  const { workflow, workflowService } = longhand.client;
  const by = { converter: defaultDataConverter, retention: [], visibility: {}, audit: {} };
  return sweep({
    archive: { store, namespace: 'default', server: null, ...by },
    history: { service: workflowService, namespace: 'default' },
    list: (query) => workflow.list({ query, pageSize: 100 }),
    all: true,
  });
}

async function expectAllOnce(store: Store, ids: readonly string[]): Promise<void> {
  for (const chainId of ids) {
    const runs = (await readRuns(store, { namespace: 'default', chainId })) ?? [];
    const { chains: found } = await queryArchive(store, { namespace: 'default', chainId });
    expect([runs.length, found.length, found[0]?.outcome]).toEqual([1, 1, 'success']);
    const about = { format: chainFormat, version: chainVersion, chainId, definition: findDefinition(runs) } as const;
    expect(verifyFile({ ...about, runs, digest: found[0]?.head ?? '' }).divergence).toBeNull();
  }
  const count = async (table: string, where: string) =>
    Number(
      (
        await sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${sql.raw(where)}`.execute(
          store.db,
        )
      ).rows[0]?.n,
    );
  const prefix = ids[0]?.slice(0, -1);
  const ours = `chain in (select id from archive_chains where chain_id like '${prefix}%')`;
  expect(await count('archive_runs', ours)).toBe(chains);
  expect(await count('audit_entries', `chain_id like '%${prefix}%' and type = 'chain_ended'`)).toBe(chains);
}

it('killed workers and a killed Postgres lose no chain and store none twice', async () => {
  let postgres = await startPostgres();
  try {
    const agents = [createKillableAgent({ marks: join(folder, 'marks'), holds: null })];
    await withWorker({ agents, replies: reply }, async (test) => {
      const ids = await runUnderFire(test, postgres.url, async () => {
        process.kill(postgres.pid, 'SIGKILL');
        await postgres.ended;
        postgres = await startPostgres(postgres);
      });
      const store = await openStore(postgres.url);
      try {
        expect((await sweepAll(test, store))?.failed).toEqual([]);
        await expectAllOnce(store, ids);
      } finally {
        await store.close();
      }
    });
  } finally {
    await postgres.stop();
    await postgres.remove();
  }
});

it('killed workers with SQLite lose no chain and store none twice', async () => {
  const where = `sqlite:${join(folder, 'store.db')}`;
  const agents = [createKillableAgent({ marks: join(folder, 'marks'), holds: null })];
  await withWorker({ agents, replies: reply }, async (test) => {
    const ids = await runUnderFire(test, where, async () => {});
    const store = await openStore(where);
    try {
      expect((await sweepAll(test, store))?.failed).toEqual([]);
      await expectAllOnce(store, ids);
    } finally {
      await store.close();
    }
  });
});
