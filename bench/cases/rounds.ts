/** Runs the same chains in both systems: what a step adds to the history, and what it takes of the worker and of time. */

import { performance } from 'node:perf_hooks';
import type { CaseOptions } from '../case.js';
import { between, type Expected, type Range } from '../plausible.js';
import { medianRow, round, sum, takeTurns } from '../repeat.js';
import type { Columns } from '../report.js';
import type { Placement, Run, System, SystemName } from '../rig/rig.js';

/** Chains of one length, some at once, measured some times. */
export interface Round {
  readonly steps: number;
  readonly chains: number;
  readonly times: number;
  readonly contestants: readonly Contestant[];
}

/** A system, and where it runs calls: null for a hand-written loop, whose calls are activities. */
export type Contestant =
  | { readonly system: 'longhand'; readonly placement: Placement }
  | { readonly system: 'hand-written'; readonly placement: null };

export const ordinary = { system: 'longhand', placement: 'activity' } as const satisfies Contestant;
export const local = { system: 'longhand', placement: 'local' } as const satisfies Contestant;
export const handWritten = { system: 'hand-written', placement: null } as const satisfies Contestant;
export const contestants = [ordinary, local, handWritten] as const;

/** Returns the row of a contestant. */
export function findRow(rows: readonly SystemRow[], { placement }: Contestant, steps?: number): SystemRow | undefined {
  return rows.find((row) => row.placement === placement && (steps === undefined || row.steps === steps));
}

/** Returns a measure of Longhand's row in ratio to that of the hand-written loop. */
export function compareToLoop(
  rows: readonly SystemRow[],
  contestant: Contestant,
  read: (row: SystemRow) => number,
  steps?: number,
): number {
  const [ours, theirs] = [contestant, handWritten].map((one) => findRow(rows, one, steps));
  return ours && theirs ? read(ours) / read(theirs) : Number.NaN;
}

export function describe({ placement }: Contestant): string {
  return placement === 'local' ? 'Local calls' : 'Activities';
}

/**
 * A step is a reply of the model, as everywhere in Longhand: the last one is the answer, the others ask for a call.
 * `steps` is what each chain was asked for; everything per step is divided by the steps that were made, so that the row
 * of a chain which died is still right. Bytes and events are those of all runs of a chain.
 */
export interface SystemRow {
  readonly system: SystemName;
  readonly placement: Placement | null;
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
  /** Whether every chain ended with its answer. */
  readonly completed: boolean;
}

export const systemColumns: Columns<SystemRow> = [
  ['system', (row) => row.system],
  ['calls', (row) => row.placement ?? ''],
  ['chains', (row) => String(row.chains)],
  ['steps', (row) => String(row.steps)],
  ['bytes/step', (row) => row.bytesPerStep.toFixed(0)],
  ['events/step', (row) => row.eventsPerStep.toFixed(2)],
  ['CPU ms/step', (row) => row.cpuMsPerStep.toFixed(1)],
  ['ms/step', (row) => row.msPerStep.toFixed(1)],
  ['steps/s', (row) => row.stepsPerSecond.toFixed(1)],
  ['completed', (row) => (row.completed ? 'yes' : 'no')],
];

/**
 * @param warmUp is run by each system before anything counts
 * @returns one row for each system of each round, in the order of the rounds
 */
export async function measureRounds(
  warmUp: Omit<Round, 'contestants'>,
  rounds: readonly Round[],
  { rig, progress }: CaseOptions,
): Promise<readonly SystemRow[]> {
  for (const system of rig.systems) {
    for (let time = 0; time < warmUp.times; time += 1) {
      const { completed } = await measureRound(system, warmUp);
      if (!completed) throw new Error(`${system.name} did not complete a chain of ${warmUp.steps} steps.`);
    }
  }
  const rows: SystemRow[] = [];
  for (const round of rounds) {
    const taking = rig.systems.filter(({ placement }) => round.contestants.some((one) => one.placement === placement));
    const measured = await takeTurns(
      taking,
      { warmUp: 0, times: round.times },
      (system) => measureRound(system, round),
      (_, { system, placement, chains, steps, msPerStep, cpuMsPerStep }) =>
        progress(
          `${placement === 'local' ? `${system}, local calls` : system}, ${chains} × ${steps} steps: ${msPerStep} ms and ${cpuMsPerStep} ms of CPU a step`,
        ),
    );
    for (const system of taking) rows.push(medianRow(measured.get(system) ?? []));
  }
  return rows;
}

/** After this time a chain that does not end is terminated. */
const patienceMs = 150_000;

async function measureRound(system: System, { steps, chains }: Pick<Round, 'steps' | 'chains'>): Promise<SystemRow> {
  const before = await system.usage();
  const began = performance.now();
  const ended = await Promise.all(Array.from({ length: chains }, () => runOne(system, steps)));
  const wallMs = performance.now() - began;
  const after = await system.usage();
  const sizes = await Promise.all(ended.map(({ run }) => run.size()));

  const answers = ended.filter(({ completed }) => completed).length;
  const made = Math.max(1, after.lookUps - before.lookUps + answers);
  return {
    system: system.name,
    placement: system.placement,
    chains,
    steps,
    bytesPerStep: round(sum(sizes.map(({ bytes }) => bytes)) / made, 1),
    eventsPerStep: round(sum(sizes.map(({ events }) => events)) / made, 3),
    cpuMsPerStep: round((after.cpuMs - before.cpuMs) / made, 2),
    msPerStep: round(sum(ended.map(({ ms }) => ms)) / made, 2),
    stepsPerSecond: round(made / (wallMs / 1_000), 2),
    completed: answers === chains && made === chains * steps,
  };
}

interface Ended {
  readonly run: Run;
  readonly completed: boolean;
  readonly ms: number;
}

async function runOne(system: System, steps: number): Promise<Ended> {
  const began = performance.now();
  // The answer is a step too.
  const run = await system.start(steps - 1);
  const impatient = setTimeout(() => void run.terminate().catch(() => {}), patienceMs);
  const completed = await run.completed();
  clearTimeout(impatient);
  return { run, completed, ms: performance.now() - began };
}

/**
 * Longhand's bytes per step are the same at any length, but for the state that each further run starts with: in runs of a
 * few steps it weighs as much as some steps.
 */
export const longhandBytes = { longRuns: between(4_000, 6_000), shortRuns: between(4_000, 9_000) } as const;

export function expectedRow(
  { system, placement }: Contestant,
  { steps, chains }: Pick<Round, 'steps' | 'chains'>,
  ofLonghand: Range = longhandBytes.longRuns,
): Expected<SystemRow> {
  return {
    system,
    placement,
    chains,
    steps,
    // Who passes the conversation pays for all steps before.
    bytesPerStep: system === 'longhand' ? ofLonghand : between(2_000 + steps * 1_000, 4_000 + steps * 1_350),
    // Two activities and their workflow tasks are twelve; a local call takes five less. A chain adds a few once, and each further run
    // some more.
    eventsPerStep: placement === 'local' ? between(6.5, 10) : between(11, 14),
    cpuMsPerStep: between(0.5, 1_000),
    msPerStep: between(1, 60_000),
    stepsPerSecond: between(0.1, 10_000),
    completed: true,
  };
}

/** Chains that run at once share the wall time; steps per second times wall time is their number. */
export function systemContradictions(rows: readonly SystemRow[]): readonly string[] {
  return rows.flatMap(({ system, chains, steps, msPerStep, stepsPerSecond }) => {
    const atOnce = (stepsPerSecond * msPerStep) / 1_000;
    // One alone is never idle; of several, more than one has to run most of the time.
    const least = chains === 1 ? 0.8 : 1.2;
    if (atOnce >= least && atOnce <= chains * 1.25) return [];
    const measured = `${stepsPerSecond} steps/s at ${msPerStep} ms/step`;
    return [`${system}, ${chains} × ${steps} steps: ${measured} are ${atOnce.toFixed(2)} chains at once.`];
  });
}

export function ratio(of: number): string {
  return `× ${of.toFixed(2)}`;
}
