/**
 * Archives the runs whose end a worker has seen, off the path of every chain.
 *
 * V1 No chain waits for the archiver. Its queue is bounded; the sweep archives runs that it drops, gives up or leaves
 *    at shutdown.
 * V2 A run is read after it has closed: its history is final then.
 * V3 A failed attempt is retried with increasing pauses: an hour without the store loses no archive.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { type Archive, type ArchiveResult, archiveRun } from '../activities/index.js';
import { isNotFound } from '../contract/index.js';
import { toErrorMessage } from '../core/lib/index.js';
import type { HistoryService, RunReference } from '../history/index.js';
import type { Instruments } from '../telemetry/index.js';

export interface Archiver {
  /** Queues a run that is about to close. */
  readonly enqueue: (run: RunReference) => void;
  /** Number of runs queued or being archived. */
  readonly backlog: () => number;
  /** Accepts no more runs; resolves when all are archived or the time is over. */
  readonly stop: (patienceMs: number) => Promise<void>;
}

interface ArchiverOptions {
  readonly archive: Archive;
  readonly history: HistoryService;
  readonly instruments: Instruments;
  readonly warn: (sentence: string) => void;
  /** Milliseconds before the next attempt. Default: from a second to five minutes. */
  readonly pauseMs?: (attempt: number) => number;
}

/** Runs archived at the same time, and runs queued. */
const maxConcurrentRuns = 4;
const maxWaitingRuns = 10_000;
const maxAttempts = 20;

export function createArchiver(options: ArchiverOptions): Archiver {
  const { archive, history, instruments, warn, pauseMs = computeBackoff } = options;
  const waiting = new Map<string, RunReference>();
  const underWay = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let dropped = 0;
  let warned = false;

  const backlog = () => waiting.size + underWay.size;
  const recordBacklog = () => instruments.recordArchiving({ type: 'backlog', runs: backlog() });

  const take = (run: RunReference) => {
    if (stopping.signal.aborted || underWay.has(run.runId)) return;
    if (waiting.size >= maxWaitingRuns) {
      dropped += 1;
      if (dropped === 1) warn(`More than ${maxWaitingRuns} runs wait to be archived; the sweep will archive the rest.`);
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
      const done = archiveWithRetries(run).finally(() => {
        underWay.delete(runId);
        next();
      });
      underWay.set(runId, done);
    }
    recordBacklog();
  };

  /** Never rejects. */
  const archiveWithRetries = async (run: RunReference) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      try {
        await waitForClose(history, run);
        const result: ArchiveResult = await archiveRun(archive, history, run);
        if (result === 'put' || result === 'erased') instruments.recordArchiving({ type: 'archived' });
        warned = false;
        return;
      } catch (error) {
        // The server has deleted the run: no attempt can find it.
        if (isNotFound(error)) return;
        instruments.recordArchiving({ type: 'failed' });
        if (!warned) warn(`Archiving failed and will be retried; chains continue: ${toErrorMessage(error)}`);
        warned = true;
      }
      if (stopping.signal.aborted) return;
      await sleep(pauseMs(attempt), undefined, { signal: stopping.signal }).catch(() => {});
      // A stop ends the pause: one last attempt follows.
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
    if (backlog() > 0)
      warn(`${backlog()} runs were not archived before the worker stopped; the sweep will archive them.`);
    waiting.clear();
  };

  return { enqueue: take, backlog, stop };
}

/**
 * Returns true once the run has closed. The server answers each poll at the close, or after a while without it.
 *
 * @param polls returns false after so many. Default: polls until the run has closed
 */
export async function waitForClose(
  { service, namespace }: HistoryService,
  execution: RunReference,
  polls = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const historyEventFilterType =
    proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
  let nextPageToken: Uint8Array = new Uint8Array();
  for (let poll = 0; poll < polls; poll++) {
    const request = { namespace, execution, waitNewEvent: true, historyEventFilterType, nextPageToken };
    const { history, nextPageToken: token } = await service.getWorkflowExecutionHistory(request);
    if ((history?.events?.length ?? 0) > 0) return true;
    nextPageToken = token ?? new Uint8Array();
  }
  return false;
}

function computeBackoff(attempt: number): number {
  return Math.min(300_000, 1_000 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}
