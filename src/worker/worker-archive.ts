/** Archives the runs that a worker sees end, and sweeps regularly for missed runs. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionLike, WorkflowClient } from '@temporalio/client';
import type { InjectedSinks, NativeConnection } from '@temporalio/worker';
import type { Archive } from '../activities/index.js';
import { type ArchiveSinks, opaqueMemoConverter } from '../contract/index.js';
import { toErrorMessage } from '../core/lib/index.js';
import {
  type AuditKey,
  formatLogFault,
  logFaultRemedy,
  openConfiguredBlobs,
  type Store,
  signHeads,
} from '../store/index.js';
import type { Instruments } from '../telemetry/index.js';
import { maxTimerMs } from '../timing/index.js';
import { type Archiver, createArchiver } from './archiver.js';
import { sweep } from './sweep.js';
import type { WebhookNotifier } from './webhook-notifier.js';
import { createForget } from './worker-store.js';

interface WorkerArchive {
  readonly archive: Archive;
  readonly sinks: InjectedSinks<ArchiveSinks>;
  /** Starts regular sweeps, which also report to webhooks what workers missed. */
  readonly start: () => void;
  /** Stops; queued runs are archived in time or left to the sweep. */
  readonly stop: () => Promise<void>;
}

interface WorkerArchiveOptions extends Archive {
  readonly instruments: Instruments;
  readonly notifier: WebhookNotifier;
  readonly connection: NativeConnection;
  /** Key that signs heads of the audit log; null when none is configured. */
  readonly auditKey: AuditKey | null;
  readonly sweepIntervalMs: number;
  readonly warn: (sentence: string) => void;
}

/** Default milliseconds between sweeps, and milliseconds to finish at a stop. */
export const defaultSweepMs = 5 * 60_000;
const stopTimeoutMs = 10_000;

export function createWorkerArchive({
  instruments,
  notifier,
  connection,
  auditKey,
  sweepIntervalMs,
  warn,
  ...archive
}: WorkerArchiveOptions): WorkerArchive {
  const { store, namespace } = archive;
  const history = { service: connection.workflowService, namespace };
  const stopping = new AbortController();
  let archiver: Archiver | null = null;
  let sweeping = Promise.resolve();

  const sweepOnce = async () => {
    const workflow = new WorkflowClient({
      connection: connection as ConnectionLike,
      namespace,
      dataConverter: opaqueMemoConverter,
    });
    const blobs = openConfiguredBlobs(store, process.env);
    const reports = await notifier.beginSweep();
    const swept = await sweep({
      archive,
      history,
      list: (query) => workflow.list({ query, pageSize: 100 }),
      ...(reports === null ? {} : { onClosed: reports.sweepEnd }),
      forget: createForget(store, namespace, blobs),
    });
    if (auditKey !== null) await sign(store, auditKey);
    if (swept === null) return;
    await reports
      ?.sweepWaits()
      .catch((error: unknown) => warn(`Waiting chains were not swept for webhooks: ${toErrorMessage(error)}`));
    await blobs.sweep();
    const [first] = swept.failed;
    if (first === undefined) return;
    warn(
      `${swept.failed.length} closed runs could not be archived, the first of chain ${first.chainId}: ${first.reason}`,
    );
  };

  /** Signs the audit log. A failure does not stop archiving. */
  const sign = async (store: Store, key: AuditKey) => {
    try {
      const { faults } = await signHeads(store, key, Date.now());
      for (const fault of faults) warn(`${formatLogFault(fault)}. ${logFaultRemedy}.`);
    } catch (error) {
      warn(`The audit log was not signed: ${toErrorMessage(error)}`);
    }
  };

  const start = () => {
    archiver = createArchiver({ archive, history, instruments, warn });
    sweeping = (async () => {
      // Workers that were started together must not sweep together.
      for (let pause = Math.random() * sweepIntervalMs; ; pause = (0.8 + 0.4 * Math.random()) * sweepIntervalMs) {
        await sleep(Math.min(pause, maxTimerMs), undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        if (stopping.signal.aborted) return;
        await sweepOnce().catch((error: unknown) =>
          warn(`The sweep of the archive failed and will be retried: ${toErrorMessage(error)}`),
        );
      }
    })();
  };

  const stop = async () => {
    stopping.abort();
    await Promise.race([sweeping, sleep(stopTimeoutMs, undefined, { ref: false })]);
    await archiver?.stop(stopTimeoutMs);
  };
  const sinks = createArchiveSinks((run) => archiver?.enqueue(run));
  return { archive, sinks, start, stop };
}

/** Present also without a store: the SDK warns about a sink that a workflow calls and the worker lacks. */
export function createArchiveSinks(enqueue: Archiver['enqueue']): InjectedSinks<ArchiveSinks> {
  return { longhandArchive: { ending: { fn: ({ workflowId, runId }) => enqueue({ workflowId, runId }) } } };
}
