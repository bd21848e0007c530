/**
 * The same task at growing length: what a step adds to the history, and what it takes of the worker and of time. A
 * system that passes the conversation pays for all earlier steps at each; one that refers to it should not.
 */

import type { CaseOptions, Round } from './case.js';
import { runRounds } from './case.js';
import type { Row } from './measure.js';
import { observationBytes, replyBytes } from './task.js';

const both = ['longhand', 'hand-written'] as const;

const warmUp = { steps: 50, chains: 1, times: 3 };

/** The longest is Longhand's alone, and before the one that fills the server with a copy of the conversation a step. */
const rounds: readonly Round[] = [
  { steps: 10, chains: 1, times: 9, systems: both },
  { steps: 50, chains: 1, times: 7, systems: both },
  { steps: 500, chains: 1, times: 2, systems: ['longhand'] },
  { steps: 200, chains: 1, times: 1, systems: both },
];

export async function measureHistory(options: CaseOptions): Promise<readonly Row[]> {
  const rows = await runRounds(warmUp, rounds, options);
  return rows.toSorted((a, b) => a.steps - b.steps);
}

/** What the rows come to, for people. */
export function historyFindings(rows: readonly Row[]): readonly string[] {
  const find = (system: Row['system'], steps: number) =>
    rows.find((row) => row.system === system && row.steps === steps);
  const [at10, at50, at200, at500] = [10, 50, 200, 500].map((steps) => find('longhand', steps));
  const other = find('hand-written', 50);
  if (!at10 || !at50 || !at200 || !at500 || !other) return [];
  const bytes = slope(at10, at200, (row) => row.bytesPerStep);
  const new200 = observationBytes + replyBytes(200);
  return [
    `Longhand, an added step: ${slope(at10, at200, (row) => row.eventsPerStep).toFixed(2)} events and ${bytes.toFixed(0)} bytes, ` +
      `${(bytes - new200).toFixed(0)} above its observation and reply (${new200}).`,
    `Longhand, bytes per step at 200 against 10: ${percent(at200.bytesPerStep / at10.bytesPerStep)} ` +
      `(${(10 * (at10.bytesPerStep - bytes)).toFixed(0)} bytes are fixed: start, agent, answer, end, less a call).`,
    `At 50 steps, Longhand against the hand-written loop: CPU ${ratio(at50.cpuMsPerStep / other.cpuMsPerStep)}, ` +
      `time ${ratio(at50.msPerStep / other.msPerStep)}, bytes ${ratio(at50.bytesPerStep / other.bytesPerStep)}.`,
    `Longhand, time per step at 500 against 50: ${ratio(at500.msPerStep / at50.msPerStep)}, CPU ${ratio(at500.cpuMsPerStep / at50.cpuMsPerStep)}.`,
  ];
}

/** What one more step adds, of something that rows give per step. */
function slope(short: Row, long: Row, perStep: (row: Row) => number): number {
  return (perStep(long) * long.steps - perStep(short) * short.steps) / (long.steps - short.steps);
}

function percent(of: number): string {
  return `${of >= 1 ? '+' : ''}${((of - 1) * 100).toFixed(1)} %`;
}

function ratio(of: number): string {
  return `× ${of.toFixed(2)}`;
}
