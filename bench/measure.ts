/** Runs chains of one system and makes a row of what they took. */

import { performance } from 'node:perf_hooks';
import type { System, SystemName } from './rig.js';

/**
 * What a case prints. A step is a reply of the model, as everywhere in Longhand: the last one is the answer, the others
 * ask for a call. `steps` is what each chain was asked for; everything per step is divided by the steps that were made,
 * so that a chain which died still says what its steps took.
 */
export interface Row {
  readonly system: SystemName;
  readonly chains: number;
  readonly steps: number;
  /** History, over all chains. */
  readonly bytesPerStep: number;
  readonly eventsPerStep: number;
  /** CPU time of the worker's process, user and system. */
  readonly cpuMsPerStep: number;
  /** Wall time of one chain, from its start to its answer, on average over the chains. */
  readonly msPerStep: number;
  /** Of all chains together. */
  readonly stepsPerSecond: number;
  /** Whether every chain came to its answer. */
  readonly completed: boolean;
}

/** Milliseconds after which a chain that does not end is ended. */
const patienceMs = 150_000;

export async function measure(system: System, steps: number, chains = 1): Promise<Row> {
  const before = await system.usage();
  const began = performance.now();
  const ended = await Promise.all(Array.from({ length: chains }, () => runOne(system, steps)));
  const wallMs = performance.now() - began;
  const after = await system.usage();

  const sum = (of: (end: Ended) => number) => ended.reduce((total, end) => total + of(end), 0);
  const answers = ended.filter(({ completed }) => completed).length;
  const made = Math.max(1, after.lookUps - before.lookUps + answers);
  return {
    system: system.name,
    chains,
    steps,
    bytesPerStep: rounded(sum(({ bytes }) => bytes) / made, 1),
    eventsPerStep: rounded(sum(({ events }) => events) / made, 3),
    cpuMsPerStep: rounded((after.cpuMs - before.cpuMs) / made, 2),
    msPerStep: rounded(sum(({ ms }) => ms) / made, 2),
    stepsPerSecond: rounded(made / (wallMs / 1_000), 2),
    completed: ended.every(({ completed }) => completed) && made === chains * steps,
  };
}

/** Number by number: each is the middle one of its kind, so that one disturbed run spoils none. */
export function medianRow(rows: readonly Row[]): Row {
  const [first] = rows;
  if (first === undefined) throw new Error('There is nothing to take the median of.');
  const middle = (of: (row: Row) => number) => median(rows.map(of));
  return {
    ...first,
    bytesPerStep: middle((row) => row.bytesPerStep),
    eventsPerStep: middle((row) => row.eventsPerStep),
    cpuMsPerStep: middle((row) => row.cpuMsPerStep),
    msPerStep: middle((row) => row.msPerStep),
    stepsPerSecond: middle((row) => row.stepsPerSecond),
    completed: rows.every((row) => row.completed),
  };
}

interface Ended {
  readonly completed: boolean;
  readonly ms: number;
  readonly bytes: number;
  readonly events: number;
}

async function runOne(system: System, steps: number): Promise<Ended> {
  const began = performance.now();
  const run = await system.start(steps - 1);
  const impatient = setTimeout(() => void run.terminate().catch(() => {}), patienceMs);
  const completed = await run.completed();
  clearTimeout(impatient);
  const ms = performance.now() - began;
  return { completed, ms, ...(await run.size()) };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : rounded((upper + (sorted[half - 1] ?? upper)) / 2, 3);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
