/** The archiver retries failures, keeps every run that fits its queue, and stops in time. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/entries/store.js';
import type { HistoryService } from '../../src/history/read-history.js';
import { openStore } from '../../src/store/db/open.js';
import { type ArchiveEvent, noInstruments } from '../../src/telemetry/telemetry.js';
import { createArchiver } from '../../src/worker/archiver.js';
import { archiveIn } from '../support/archived.js';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

/** A server on which every run has closed and has no chain, after a number of failures. */
function scene(failures = 0) {
  const asked: string[] = [];
  const news: ArchiveEvent[] = [];
  const warned: string[] = [];
  let left = failures;
  const getWorkflowExecutionHistory = async ({
    execution,
  }: {
    readonly execution?: { runId?: string | null } | null;
  }) => {
    asked.push(execution?.runId ?? '');
    left -= 1;
    if (left >= 0) throw new Error('the server is away');
    return { history: { events: [{ eventId: 1 }] }, nextPageToken: null };
  };
  const history = { namespace: 'default', service: { getWorkflowExecutionHistory } } as unknown as HistoryService;
  const archiver = createArchiver({
    archive: archiveIn(store),
    history,
    instruments: { ...noInstruments, recordArchiving: (each) => void news.push(each) },
    warn: (sentence) => void warned.push(sentence),
    pauseMs: () => 1,
  });
  return { archiver, asked, news, warned };
}

const run = (at: number) => ({ workflowId: `chain-${at}`, runId: `run-${at}` });

it('the archiver reads each queued run once', async () => {
  const { archiver, asked } = scene();
  for (let at = 0; at < 50; at += 1) archiver.enqueue(run(at));
  archiver.enqueue(run(0));
  expect(archiver.backlog()).toBe(50);
  await expect.poll(archiver.backlog).toBe(0);
  expect(new Set(asked).size).toBe(50);
});

it('the archiver retries failures, warns once, and counts each attempt', async () => {
  const { archiver, news, warned } = scene(3);
  archiver.enqueue(run(1));
  await expect.poll(archiver.backlog).toBe(0);
  expect(news.filter(({ type }) => type === 'failed')).toHaveLength(3);
  expect(warned).toEqual(['Archiving failed and will be retried; chains continue: the server is away']);
  expect(news.at(-1)).toEqual({ type: 'backlog', runs: 0 });
});

it('the archiver gives a run up after 20 attempts', async () => {
  const { archiver, news } = scene(1_000);
  archiver.enqueue(run(1));
  await expect.poll(archiver.backlog).toBe(0);
  expect(news.filter(({ type }) => type === 'failed')).toHaveLength(20);
});

it('a stop archives the queued runs, and ends in time', async () => {
  const done = scene();
  for (let at = 0; at < 10; at += 1) done.archiver.enqueue(run(at));
  await done.archiver.stop(5_000);
  expect(new Set(done.asked).size).toBe(10);
  expect(done.warned).toEqual([]);
  done.archiver.enqueue(run(11));
  expect(done.archiver.backlog()).toBe(0);

  const stuck = createArchiver({
    archive: archiveIn(store),
    history: {
      namespace: 'default',
      service: { getWorkflowExecutionHistory: () => new Promise(() => {}) },
    } as unknown as HistoryService,
    instruments: noInstruments,
    warn: (sentence) => expect(sentence).toContain('1 runs were not archived before the worker stopped'),
  });
  stuck.enqueue(run(1));
  // Its request never ends.
  await stuck.stop(50);
});

it('the archiver bounds its queue, with a warning', async () => {
  const { archiver, warned } = scene(Number.POSITIVE_INFINITY);
  for (let at = 0; at < 10_100; at += 1) archiver.enqueue(run(at));
  expect(archiver.backlog()).toBeLessThanOrEqual(10_004);
  expect(warned).toContain('More than 10000 runs wait to be archived; the sweep will archive the rest.');
  await archiver.stop(0);
});
