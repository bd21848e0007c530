/**
 * Archives the runs that a worker has seen to their end, off the path of every chain.
 *
 * V1 A chain never waits for it: what it is told is remembered, and no more is remembered than there is room for. What it
 *    drops, gives up or takes into its grave, the sweep finds.
 * V2 A run is read once it has closed: its history is final then.
 * V3 What fails is tried again, ever more rarely: a store that is down for an hour costs no chain its archive.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { type ArchiveResult, archiveRun } from '../activities/archive/archive-run.js';
import type { Archive } from '../activities/context/dependencies.js';
import type { HistoryService, Run } from '../history/read-history.js';
import type { Instruments } from '../telemetry/telemetry.js';

export interface Archiver {
  /** That a run is about to close. */
  readonly enqueue: (run: Run) => void;
  /** Runs that wait, or are under way. */
  readonly backlog: () => number;
  /** Takes nothing more, and ends when all is done, or nothing more can be done in time. */
  readonly stop: (patienceMs: number) => Promise<void>;
}

interface ArchiverOptions {
  readonly archive: Archive;
  readonly history: HistoryService;
  readonly instruments: Instruments;
  readonly warn: (sentence: string) => void;
  /** How long to wait before the next try. Default: from a second to five minutes. */
  readonly pauseMs?: (attempt: number) => number;
}

/** Runs at once, and runs that are remembered. */
const maxConcurrentRuns = 4;
const maxWaitingRuns = 10_000;
const maxAttempts = 20;

export function createArchiver(options: ArchiverOptions): Archiver {
  const { archive, history, instruments, warn, pauseMs = computeBackoff } = options;
  const waiting = new Map<string, Run>();
  const underWay = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let dropped = 0;
  let warned = false;

  const backlog = () => waiting.size + underWay.size;
  const tell = () => instruments.recordArchiving({ type: 'backlog', runs: backlog() });

  const take = (run: Run) => {
    if (stopping.signal.aborted || underWay.has(run.runId)) return;
    if (waiting.size >= maxWaitingRuns) {
      dropped += 1;
      if (dropped === 1)
        warn(`More than ${maxWaitingRuns} runs wait to be archived; the sweep will archive the others.`);
      return;
    }
    waiting.set(run.runId, run);
    next();
  };

  const next = () => {
    while (underWay.size < maxConcurrentRuns) {
      const [first] = waiting;
      if (first === undefined) break;
      const [runId, run] = first;
      waiting.delete(runId);
      const done = toTheEnd(run).finally(() => {
        underWay.delete(runId);
        next();
      });
      underWay.set(runId, done);
    }
    tell();
  };

  /** Never rejects. */
  const toTheEnd = async (run: Run) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      try {
        await waitForClose(history, run);
        const came: ArchiveResult = await archiveRun(archive, history, run);
        if (came === 'put' || came === 'erased') instruments.recordArchiving({ type: 'archived' });
        warned = false;
        return;
      } catch (error) {
        instruments.recordArchiving({ type: 'failed' });
        if (!warned) warn(`Chains cannot be archived now, and go on: ${formatError(error)} It is tried again.`);
        warned = true;
      }
      if (stopping.signal.aborted) return;
      await sleep(pauseMs(attempt), undefined, { signal: stopping.signal }).catch(() => {});
      // Once more, and no more, for who stops.
    }
  };

  const stop = async (patienceMs: number) => {
    stopping.abort();
    const out = new AbortController();
    const patience = sleep(patienceMs, undefined, { signal: out.signal }).catch(() => {});
    const all = (async () => {
      while (backlog() > 0) await Promise.all(underWay.values());
    })();
    await Promise.race([all, patience]);
    out.abort();
    if (backlog() > 0) warn(`${backlog()} runs were not archived before the worker stopped; the sweep will do it.`);
    waiting.clear();
  };

  return { enqueue: take, backlog, stop };
}

/** Resolves when the run has closed: the server answers each poll at its close, or after a while without it. */
async function waitForClose({ service, namespace }: HistoryService, execution: Run): Promise<void> {
  const historyEventFilterType =
    proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
  for (let nextPageToken: Uint8Array = new Uint8Array(); ; ) {
    const asked = { namespace, execution, waitNewEvent: true, historyEventFilterType, nextPageToken };
    const { history, nextPageToken: token } = await service.getWorkflowExecutionHistory(asked);
    if ((history?.events?.length ?? 0) > 0) return;
    nextPageToken = token ?? new Uint8Array();
  }
}

function computeBackoff(attempt: number): number {
  return Math.min(300_000, 1_000 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
