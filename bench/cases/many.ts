/**
 * A thousand chains at once on one worker, with a model that thinks: what the worker gets done, and the memory that it takes,
 * beside the hand-written loop. Each system has a worker of its own, so that its memory is that of these chains.
 */

import type { Case, CaseOptions } from '../case.js';
import { between, type Expected } from '../plausible.js';
import { promises } from '../promises.js';
import { percentile, round } from '../repeat.js';
import { measureChains, readStepTimes } from '../rig/measure-chains.js';
import { withOwnWorkers } from '../rig/own-workers.js';
import type { SystemName } from '../rig/rig.js';
import { computeKnownShare } from '../rig/worker-process.js';
import { ratio } from './rounds.js';

const bothSystems = ['longhand', 'hand-written'] as const;

interface ManySize {
  readonly chains: number;
  readonly steps: number;
  /** Milliseconds that the model thinks before each reply. */
  readonly pauseMs: number;
  /** Chains whose steps are timed, after all have ended. */
  readonly timedChains: number;
  /** Required values: megabytes, and the share of model calls whose chain need not be read from the start. */
  readonly required: { readonly maxPeakMb: number; readonly minKnownShare: number };
}

export interface ManyRow {
  readonly system: SystemName;
  /** What runs the model calls: an activity of Longhand's own; null for the hand-written loop, which has no other. */
  readonly placement: 'activity' | null;
  readonly chains: number;
  readonly steps: number;
  readonly stepsPerSecond: number;
  /** CPU time of the worker's process, user and system. */
  readonly cpuMsPerStep: number;
  /** Most resident memory of the worker's process. */
  readonly peakRssMb: number;
  /** Whether every chain ended with its answer. */
  readonly completed: boolean;
  /** From reply to reply, without the time that the model thinks. */
  readonly p99StepOverheadMs: number;
  /** Model calls whose chain was in the worker's cache, or was read from there on; null without such a cache. */
  readonly knownShare: number | null;
}

export const many: Case<ManyRow, ManySize> = {
  full: {
    ...{ chains: 1_000, steps: 10, pauseMs: 300, timedChains: 200 },
    required: { maxPeakMb: promises.manyPeakMb, minKnownShare: promises.manyKnownShare },
  },
  smoke: {
    ...{ chains: 6, steps: 4, pauseMs: 50, timedChains: 6 },
    // Few chains prove nothing about memory: only a gross excess is certain.
    required: { maxPeakMb: 2_000, minKnownShare: 0.5 },
  },
  measure: async (options, size) => {
    const rows: ManyRow[] = [];
    for (const system of bothSystems) rows.push(await measureSystem(options, system, size));
    return rows;
  },
  columns: [
    ['system', (row) => row.system],
    ['placement', (row) => row.placement ?? ''],
    ['chains', (row) => String(row.chains)],
    ['steps', (row) => String(row.steps)],
    ['steps/s', (row) => row.stepsPerSecond.toFixed(1)],
    ['CPU ms/step', (row) => row.cpuMsPerStep.toFixed(1)],
    ['peak MB', (row) => row.peakRssMb.toFixed(0)],
    ['completed', (row) => (row.completed ? 'yes' : 'no')],
    ['p99 overhead ms', (row) => row.p99StepOverheadMs.toFixed(0)],
    ['known', (row) => (row.knownShare === null ? '' : row.knownShare.toFixed(3))],
  ],
  expected: ({ chains, steps }) =>
    bothSystems.map(
      (system): Expected<ManyRow> => ({
        ...{ system, chains, steps },
        placement: system === 'longhand' ? 'activity' : null,
        stepsPerSecond: between(0.1, 10_000),
        cpuMsPerStep: between(0.5, 1_000),
        peakRssMb: between(50, 20_000),
        completed: true,
        p99StepOverheadMs: between(0, 600_000),
        knownShare: system === 'longhand' ? between(0, 1) : null,
      }),
    ),
  contradictions: () => [],
  misses: ([ours], { required: { maxPeakMb, minKnownShare } }) => {
    const { peakRssMb, knownShare } = ours ?? { peakRssMb: Number.NaN, knownShare: Number.NaN };
    return [
      ...(peakRssMb <= maxPeakMb
        ? []
        : [`The worker takes ${peakRssMb.toFixed(0)} MB; at most ${maxPeakMb} MB are allowed.`]),
      ...(knownShare !== null && knownShare >= minKnownShare
        ? []
        : [`Only ${knownShare} of the model calls find their chain in the cache; ${minKnownShare} are required.`]),
    ];
  },
  findings: ([ours, theirs]) => {
    if (!ours || !theirs) return [];
    return [
      `${ours.chains} chains at once, Longhand against the hand-written loop: steps per second ` +
        `${ratio(ours.stepsPerSecond / theirs.stepsPerSecond)}, CPU per step ${ratio(ours.cpuMsPerStep / theirs.cpuMsPerStep)}, ` +
        `memory ${ratio(ours.peakRssMb / theirs.peakRssMb)}.`,
    ];
  },
};

/** Chains that run before any counts. */
const warmUps = 2;

async function measureSystem({ rig, progress }: CaseOptions, system: SystemName, size: ManySize): Promise<ManyRow> {
  const { chains, steps, pauseMs, timedChains } = size;
  return withOwnWorkers(rig, { system, taskQueue: `many-${system}` }, async (workers) => {
    const set = { system, steps, pauseMs };
    await measureChains(workers, { ...set, chains: warmUps, prefix: `many-warm-up-${system}` });
    const measured = await measureChains(workers, { ...set, chains, prefix: `many-${system}` });
    const times = await readStepTimes(workers, measured.ids.slice(0, timedChains));
    const row: ManyRow = {
      ...{ system, chains, steps },
      placement: system === 'longhand' ? 'activity' : null,
      stepsPerSecond: round(measured.stepsPerSecond, 2),
      cpuMsPerStep: round(measured.cpuMsPerStep, 2),
      peakRssMb: round(measured.peakRssMb, 1),
      completed: measured.answers === chains,
      p99StepOverheadMs: round(Math.max(0, percentile(times, 0.99) - pauseMs), 1),
      knownShare: system === 'longhand' ? round(computeKnownShare(measured.folds), 4) : null,
    };
    progress(`${system}: ${row.stepsPerSecond} steps/s, ${row.cpuMsPerStep} ms of CPU a step, ${row.peakRssMb} MB`);
    return row;
  });
}
