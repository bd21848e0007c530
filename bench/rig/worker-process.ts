/** The worker's side of a measurement: its process reports its own CPU time and work between two questions. */

import { DefaultLogger, Runtime, type Worker } from '@temporalio/worker';
import { lookUpsMade } from './task.js';

/** What a worker's process is started with: its only argument, as JSON. */
export interface Places {
  readonly address: string;
  readonly modelUrl: string;
  readonly taskQueue: string;
  /** Address of Longhand's store. Absent or null for none. */
  readonly store?: string | null;
  /** Of Longhand's chains; null for the server's own suggestion. */
  readonly continueAfterEvents: number | null;
  /** File of the hand-written loop's bundle: bundling takes memory that no deployed worker needs. Absent: the worker bundles. */
  readonly bundlePath?: string;
}

export type WorkerQuestion = 'usage' | 'stop';

export interface WorkerUsage {
  /** Milliseconds of CPU time of the whole process so far, in user and system mode. */
  readonly cpuMs: number;
  /** Calls of the tool so far. */
  readonly lookUps: number;
  /** Megabytes of resident memory, now and at most. */
  readonly residentMb: number;
  readonly peakResidentMb: number;
  /** Chains that model calls needed, by where they were; empty for a worker without a cache of chains. */
  readonly folds: FoldCounts;
}

/** Model calls by the source of their chain, and the bytes of history that they read. */
export interface FoldCounts {
  readonly cache: number;
  readonly since: number;
  readonly start: number;
  readonly readBytes: number;
}

/** NaN without model calls. @returns the share of model calls that had no need to read their chain from its start */
export function computeKnownShare({ cache, since, start }: FoldCounts): number {
  return (cache + since) / (cache + since + start);
}

export const noFolds: FoldCounts = { cache: 0, since: 0, start: 0, readBytes: 0 };

export type WorkerAnswer = { readonly type: 'ready' } | ({ readonly type: 'usage' } & WorkerUsage);

export function readPlaces(): Places {
  // Both sides are ours.
  return JSON.parse(process.argv[2] ?? '') as Places;
}

/** Has the runtime log warnings alone; to be called before the worker is made. */
export function quietRuntime(): void {
  Runtime.install({ logger: new DefaultLogger('WARN') });
}

/** Runs the worker until the process that started this one asks it to stop, or is gone. */
export async function serve(
  worker: Pick<Worker, 'getState' | 'shutdown'>,
  run: () => Promise<void>,
  countFolds: () => FoldCounts = () => noFolds,
): Promise<void> {
  const running = run();
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.on('message', (question: WorkerQuestion) => {
    if (question === 'stop') return shutdown();
    const { user, system } = process.cpuUsage();
    send({
      type: 'usage',
      cpuMs: (user + system) / 1_000,
      lookUps: lookUpsMade(),
      residentMb: process.memoryUsage.rss() / 1024 ** 2,
      peakResidentMb: process.resourceUsage().maxRSS / 1_024,
      folds: countFolds(),
    });
  });
  process.once('disconnect', shutdown);
  send({ type: 'ready' });
  await running;
  if (process.connected) process.disconnect();
}

function send(answer: WorkerAnswer): void {
  process.send?.(answer);
}
