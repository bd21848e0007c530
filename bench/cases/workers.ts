/**
 * Workers that share a task queue: a chain's calls then run on workers other than that of its workflow, whose cache has not
 * its turns. What a step reads of the history and takes of CPU time, beside one worker.
 */

import type { Case, CaseOptions } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { round } from '../repeat.js';
import { measureChains } from '../rig/measure-chains.js';
import { withOwnWorkers } from '../rig/own-workers.js';
import { computeKnownShare } from '../rig/worker-process.js';
import { ratio } from './rounds.js';

interface WorkersSize {
  /** Numbers of workers; the first one is the measure of the others. */
  readonly counts: readonly number[];
  /** Chains of each worker before it is measured: its code is compiled then, however many share the chains. */
  readonly warmUps: number;
  readonly chains: number;
  readonly steps: number;
  readonly pauseMs: number;
  /** CPU time of a step at most, in ratio to one worker. */
  readonly maxCpuRatio: number;
}

export interface WorkersRow {
  readonly workers: number;
  readonly chains: number;
  readonly steps: number;
  readonly stepsPerSecond: number;
  /** CPU time of all workers, user and system. */
  readonly cpuMsPerStep: number;
  /** Model calls that read nothing. */
  readonly cachedShare: number;
  /** Model calls that read nothing, or only what came since the last call on their worker. */
  readonly knownShare: number;
  /** Bytes of history. */
  readonly readBytesPerStep: number;
  readonly completed: boolean;
}

export const workers: Case<WorkersRow, WorkersSize> = {
  full: { counts: [1, 2, 4], warmUps: 50, chains: 100, steps: 10, pauseMs: 300, maxCpuRatio: promises.workersCpuRatio },
  // Few steps on a busy machine: only a gross excess is certain.
  smoke: { counts: [1, 2], warmUps: 4, chains: 6, steps: 5, pauseMs: 50, maxCpuRatio: 5 },
  measure: async (options, size) => {
    const rows: WorkersRow[] = [];
    for (const count of size.counts) rows.push(await measureWorkers(options, count, size));
    return rows;
  },
  columns: [
    ['workers', (row) => String(row.workers)],
    ['chains', (row) => String(row.chains)],
    ['steps', (row) => String(row.steps)],
    ['steps/s', (row) => row.stepsPerSecond.toFixed(1)],
    ['CPU ms/step', (row) => row.cpuMsPerStep.toFixed(1)],
    ['cached', (row) => row.cachedShare.toFixed(3)],
    ['known', (row) => row.knownShare.toFixed(3)],
    ['bytes read/step', (row) => row.readBytesPerStep.toFixed(0)],
    ['completed', (row) => (row.completed ? 'yes' : 'no')],
  ],
  expected: ({ counts, chains, steps }) =>
    counts.map((count) => ({
      ...{ workers: count, chains, steps, completed: true },
      stepsPerSecond: between(0.1, 10_000),
      cpuMsPerStep: between(0.5, 1_000),
      cachedShare: between(0, 1),
      knownShare: between(0, 1),
      readBytesPerStep: between(1, 1_000_000),
    })),
  contradictions: (rows) =>
    rows.flatMap(({ workers: count, cachedShare, knownShare }) =>
      cachedShare <= knownShare ? [] : [`${count} workers: more chains were cached than known.`],
    ),
  misses: ([one, ...others], { maxCpuRatio }) =>
    others.flatMap(({ workers: count, cpuMsPerStep }) => {
      const excess = cpuMsPerStep / (one?.cpuMsPerStep ?? Number.NaN);
      return excess <= maxCpuRatio
        ? []
        : [
            `A step on ${count} workers takes ${ratio(excess)} of the CPU time on one; at most × ${maxCpuRatio} are allowed.`,
          ];
    }),
  findings: ([one, ...others]) =>
    others.map(
      ({ workers: count, cpuMsPerStep, readBytesPerStep }) =>
        `${count} workers against one: CPU per step ${ratio(cpuMsPerStep / (one?.cpuMsPerStep ?? Number.NaN))}, ` +
        `${readBytesPerStep.toFixed(0)} bytes read a step.`,
    ),
};

async function measureWorkers({ rig, progress }: CaseOptions, count: number, size: WorkersSize): Promise<WorkersRow> {
  const { warmUps, chains, steps, pauseMs } = size;
  const system = 'longhand';
  return withOwnWorkers(rig, { system, taskQueue: `workers-${count}`, count }, async (own) => {
    const set = { system, steps, pauseMs } as const;
    await measureChains(own, { ...set, chains: warmUps * count, prefix: `workers-${count}-warm-up` });
    const measured = await measureChains(own, { ...set, chains, prefix: `workers-${count}` });
    const { folds } = measured;
    const row: WorkersRow = {
      ...{ workers: count, chains, steps },
      stepsPerSecond: round(measured.stepsPerSecond, 2),
      cpuMsPerStep: round(measured.cpuMsPerStep, 2),
      cachedShare: round(folds.cache / (folds.cache + folds.since + folds.start), 4),
      knownShare: round(computeKnownShare(folds), 4),
      readBytesPerStep: round(folds.readBytes / (chains * steps), 1),
      completed: measured.answers === chains,
    };
    progress(`${count} workers: ${row.cpuMsPerStep} ms of CPU and ${row.readBytesPerStep} bytes a step`);
    return row;
  });
}
