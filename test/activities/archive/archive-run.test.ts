/** A run whose history the server has deleted is not archived, and is not retried. */

import { expect, it } from 'vitest';
import { archiveRun } from '../../../src/activities/archive/archive-run.js';
import type { Archive } from '../../../src/activities/context/dependencies.js';
import type { HistoryService } from '../../../src/history/read-history.js';
import { openStore } from '../../../src/store/db/open.js';
import { noInstruments } from '../../../src/telemetry/telemetry.js';
import { createArchiver } from '../../../src/worker/archiver.js';
import { readStoredHistories } from '../../histories/stored.js';
import { archiveIn } from '../../support/archived.js';
import { createPagedHistory } from '../../support/paged-history.js';

const run = { workflowId: 'chain-1', runId: 'run-1' };

/** A server that rejects each read with a gRPC code. */
function createHistory(code: number) {
  const reads: string[] = [];
  const getWorkflowExecutionHistory = async () => {
    reads.push(run.runId);
    throw Object.assign(new Error('workflow not found'), { code });
  };
  const history = { namespace: 'default', service: { getWorkflowExecutionHistory } } as unknown as HistoryService;
  return { history, reads };
}

it('a deleted run has no chain; other errors of the server are thrown', async () => {
  const store = await openStore('memory:');
  expect(await archiveRun(archiveIn(store), createHistory(5).history, run)).toBe('noChain');
  await expect(archiveRun(archiveIn(store), createHistory(14).history, run)).rejects.toMatchObject({ code: 14 });
  await store.close();
});

it('the archiver reads a deleted run once', async () => {
  const store = await openStore('memory:');
  const { history, reads } = createHistory(5);
  const warned: string[] = [];
  const archiver = createArchiver({
    archive: archiveIn(store),
    history,
    instruments: noInstruments,
    warn: (sentence) => void warned.push(sentence),
    pauseMs: () => 1,
  });
  archiver.enqueue(run);
  await expect.poll(archiver.backlog).toBe(0);
  expect({ reads, warned }).toEqual({ reads: [run.runId], warned: [] });
  await store.close();
});

it('with `audit: false` of the worker, a run is archived and leaves no entries in the audit log', async () => {
  const [stored] = readStoredHistories();
  const { service } = createPagedHistory(new Map([[run.runId, stored?.events ?? []]]));
  const countEntries = async (audit: Archive['audit']) => {
    const store = await openStore('memory:');
    expect(await archiveRun(archiveIn(store, { audit }), { namespace: 'default', service }, run)).toBe('put');
    const entries = await store.db.selectFrom('audit_entries').select('type').execute();
    await store.close();
    return entries.length;
  };
  expect(await countEntries({})).toBeGreaterThan(2);
  expect(await countEntries(null)).toBe(0);
});
