/** Runs chains at once on workers of their own: what they take of the workers, and the time of each step. */

import { performance } from 'node:perf_hooks';
import { getEventTimeMs, type HistoryEvent } from '../../src/history/event.js';
import { sum } from '../repeat.js';
import type { OwnWorkers } from './own-workers.js';
import type { SystemName } from './rig.js';
import { listRuns, readRuns } from './runs.js';
import { taskOf } from './task.js';
import type { FoldCounts, WorkerUsage } from './worker-process.js';

export interface ChainSet {
  readonly system: SystemName;
  /** Of the ids. */
  readonly prefix: string;
  readonly chains: number;
  /** Replies of the model, the answer included. */
  readonly steps: number;
  readonly pauseMs: number;
}

export interface MeasuredChains {
  readonly ids: readonly string[];
  /** Chains that ended with their answer. */
  readonly answers: number;
  readonly stepsPerSecond: number;
  /** Of all workers together. */
  readonly cpuMsPerStep: number;
  /** Most resident memory of a worker. */
  readonly peakRssMb: number;
  /** Of all workers together. */
  readonly folds: FoldCounts;
}

export async function measureChains(workers: OwnWorkers, set: ChainSet): Promise<MeasuredChains> {
  const ids = Array.from({ length: set.chains }, (_, nth) => `${set.prefix}-${nth + 1}`);
  const before = await workers.usage();
  const began = performance.now();
  const answers = await Promise.all(ids.map((id) => runChain(workers, set, id)));
  const wallMs = performance.now() - began;
  const after = await workers.usage();
  const steps = set.chains * set.steps;
  const grown = (amount: (usage: WorkerUsage) => number) => sum(after.map(amount)) - sum(before.map(amount));
  return {
    ids,
    answers: answers.filter(Boolean).length,
    stepsPerSecond: steps / (wallMs / 1_000),
    cpuMsPerStep: grown(({ cpuMs }) => cpuMs) / steps,
    peakRssMb: Math.max(...after.map(({ peakResidentMb }) => peakResidentMb)),
    folds: {
      cache: grown(({ folds }) => folds.cache),
      since: grown(({ folds }) => folds.since),
      start: grown(({ folds }) => folds.start),
      readBytes: grown(({ folds }) => folds.readBytes),
    },
  };
}

/** @returns whether it ended with its answer */
async function runChain(
  { longhand, taskQueue }: OwnWorkers,
  { system, steps, pauseMs }: ChainSet,
  id: string,
): Promise<boolean> {
  const task = taskOf(steps - 1, { pauseMs });
  if (system === 'longhand') {
    const chain = await longhand.start('stock_taker', task, { chainId: id });
    return (await chain.result()).success;
  }
  const options = { workflowId: id, taskQueue, args: [task] };
  return longhand.client.workflow.execute('takeStock', options).then(
    () => true,
    () => false,
  );
}

/** Reads the milliseconds from reply to reply, and from the start to the first one, of chains that have ended. */
export async function readStepTimes(
  { longhand: { client } }: OwnWorkers,
  ids: readonly string[],
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const id of ids) {
    const events = (await readRuns(client, await listRuns(client, id))).flat();
    const replies = listReplyTimes(events);
    const start = getEventTimeMs(events[0] ?? {});
    times.push(...replies.map((at, nth) => at - (replies[nth - 1] ?? start)));
  }
  return times;
}

const modelCalls: readonly unknown[] = ['longhand.callModel', 'callModel'];

function listReplyTimes(events: readonly HistoryEvent[]): readonly number[] {
  const calls = new Set<string>();
  return events.flatMap((event) => {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event;
    if (modelCalls.includes(scheduled?.activityType?.name)) calls.add(String(event.eventId));
    return completed && calls.has(String(completed.scheduledEventId)) ? [getEventTimeMs(event)] : [];
  });
}
