/**
 * What a tool call costs: the CPU time of the worker's process for each call of a step with many calls, beside the same bare
 * activity in a hand-written workflow.
 *
 * A step with few calls is subtracted, so that the start, the model calls and the end of a task do not count.
 */

import type { Case, CaseOptions } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { medianRow, type Repeats, round, takeTurns } from '../repeat.js';
import type { System, SystemName } from '../rig/rig.js';

const compared = ['longhand', 'hand-written'] as const;

interface ToolsSize extends Repeats {
  readonly fewCalls: number;
  readonly manyCalls: number;
  readonly tasks: number;
  /** Milliseconds of CPU time that Longhand may add to a call. */
  readonly maxAddedMs: number;
}

export interface ToolsRow {
  readonly system: SystemName;
  /** In a step. */
  readonly calls: number;
  /** Of the worker's process: workflow, activity and their part of the SDK. */
  readonly cpuMsPerCall: number;
}

export const tools: Case<ToolsRow, ToolsSize> = {
  full: { fewCalls: 1, manyCalls: 16, tasks: 10, warmUp: 3, times: 15, maxAddedMs: promises.callAddedCpuMs },
  // Few calls on a busy machine: only a gross excess is certain.
  smoke: { fewCalls: 1, manyCalls: 16, tasks: 2, warmUp: 1, times: 3, maxAddedMs: 30 },
  measure: async ({ rig, progress }, size) => {
    const systems = rig.systems.filter(({ placement }) => placement !== 'local');
    const rows = await takeTurns(
      systems,
      size,
      (system) => measureCalls(system, size),
      ({ name }, { cpuMsPerCall }) => progress(`${name}: ${cpuMsPerCall} ms of CPU time a call`),
    );
    return systems.map((system) => medianRow(rows.get(system) ?? []));
  },
  columns: [
    ['system', (row) => row.system],
    ['calls', (row) => String(row.calls)],
    ['CPU ms/call', (row) => row.cpuMsPerCall.toFixed(2)],
  ],
  expected: ({ manyCalls, fewCalls }) =>
    compared.map((system) => ({ system, calls: manyCalls - fewCalls, cpuMsPerCall: between(0.05, 1_000) })),
  contradictions: () => [],
  misses: (rows, { maxAddedMs }) => {
    const addedMs = computeAddedMs(rows);
    if (addedMs <= maxAddedMs) return [];
    return [
      `A call takes ${addedMs.toFixed(2)} ms of CPU time more than a bare activity; at most ${maxAddedMs} ms are allowed.`,
    ];
  },
  findings: (rows, { maxAddedMs }) => {
    const addedMs = computeAddedMs(rows);
    const kept = addedMs <= maxAddedMs ? 'kept' : 'exceeded';
    return [
      `A call takes ${addedMs.toFixed(2)} ms of CPU time more than a bare activity (at most ${maxAddedMs} ms: ${kept}).`,
    ];
  },
};

function computeAddedMs([ours, theirs]: readonly ToolsRow[]): number {
  return (ours?.cpuMsPerCall ?? Number.NaN) - (theirs?.cpuMsPerCall ?? Number.NaN);
}

async function measureCalls(system: CaseOptions['rig']['systems'][number], size: ToolsSize): Promise<ToolsRow> {
  const { fewCalls, manyCalls, tasks } = size;
  const few = await measureTasks(system, tasks, fewCalls);
  const many = await measureTasks(system, tasks, manyCalls);
  const calls = manyCalls - fewCalls;
  // A disturbed pair may come out negative; the median of all pairs does not.
  return { system: system.name, calls, cpuMsPerCall: round((many - few) / (tasks * calls), 3) };
}

/** Returns the CPU time of tasks of one step, in milliseconds. */
async function measureTasks(system: System, tasks: number, callsAtOnce: number): Promise<number> {
  const before = await system.usage();
  for (let nth = 0; nth < tasks; nth += 1) {
    const run = await system.start(1, callsAtOnce);
    if (!(await run.completed())) throw new Error(`A task of ${system.name} did not complete.`);
  }
  const after = await system.usage();
  const calls = after.lookUps - before.lookUps;
  if (calls !== tasks * callsAtOnce) throw new Error(`${system.name} made ${calls} calls in ${tasks} tasks.`);
  return after.cpuMs - before.cpuMs;
}
