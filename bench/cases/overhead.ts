/**
 * A task of ten steps, beside the same activities in a hand-written workflow: what Longhand adds to a whole task, and where.
 *
 * The parts are taken from the events' own times: from the client's start to the first model call, from there to the last
 * reply, from there to the close, and from the close to the result in the client's hands.
 */

import type { Longhand } from '../../src/client/connect.js';
import type { HistoryEvent } from '../../src/history/event.js';
import type { Case } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { medianRow, type Repeats, round, takeTurns } from '../repeat.js';
import type { SystemName } from '../rig/rig.js';
import { listRuns, readRuns } from '../rig/runs.js';
import { taskOf, tool } from '../rig/task.js';

interface OverheadSize extends Repeats {
  readonly steps: number;
  /** What Longhand may add to a task. */
  readonly maxAddedMs: number;
}

/** Milliseconds. */
export interface OverheadRow {
  readonly system: SystemName;
  readonly steps: number;
  readonly totalMs: number;
  readonly startMs: number;
  readonly stepsMs: number;
  readonly closeMs: number;
  readonly resultMs: number;
}

const systems = ['longhand', 'hand-written'] as const;

export const overhead: Case<OverheadRow, OverheadSize> = {
  full: { steps: 10, warmUp: 3, times: 25, maxAddedMs: promises.taskAddedMs },
  // Three tasks on a busy machine: only a gross excess is certain.
  smoke: { steps: 4, warmUp: 1, times: 3, maxAddedMs: 500 },
  measure: async ({ rig: { longhand }, progress }, size) => {
    const rows = await takeTurns(
      systems,
      size,
      (system, turn) => measureTask(longhand, system, { id: `overhead-${system}-${turn}`, steps: size.steps }),
      (system, { totalMs }) => progress(`${system}: ${totalMs} ms`),
    );
    return systems.map((system) => medianRow(rows.get(system) ?? []));
  },
  columns: [
    ['system', (row) => row.system],
    ['steps', (row) => String(row.steps)],
    ['total ms', (row) => row.totalMs.toFixed(0)],
    ['start', (row) => row.startMs.toFixed(0)],
    ['steps', (row) => row.stepsMs.toFixed(0)],
    ['close', (row) => row.closeMs.toFixed(0)],
    ['result', (row) => row.resultMs.toFixed(0)],
  ],
  expected: ({ steps }) =>
    systems.map((system) => ({
      system,
      steps,
      totalMs: between(1, 600_000),
      startMs: between(0, 600_000),
      stepsMs: between(1, 600_000),
      closeMs: between(0, 600_000),
      resultMs: between(0, 600_000),
    })),
  contradictions: (rows) =>
    rows.flatMap(({ system, totalMs, startMs, stepsMs, closeMs, resultMs }) =>
      // Medians of parts need not add up; parts that are far off were not measured on one clock.
      Math.abs(totalMs - startMs - stepsMs - closeMs - resultMs) <= 0.25 * totalMs + 50
        ? []
        : [`${system}: the parts differ from ${totalMs} ms.`],
    ),
  misses: (rows, { maxAddedMs }) => {
    const addedMs = computeAddedMs(rows);
    if (addedMs <= maxAddedMs) return [];
    return [
      `A task takes ${addedMs.toFixed(0)} ms more than the same activities; at most ${maxAddedMs} ms are allowed.`,
    ];
  },
  findings: (rows, { maxAddedMs }) => {
    const [ours, theirs] = rows;
    if (!ours || !theirs) return [];
    const added = (part: (row: OverheadRow) => number) => (part(ours) - part(theirs)).toFixed(0);
    const addedMs = computeAddedMs(rows);
    return [
      `A task of ${ours.steps} steps takes ${addedMs.toFixed(0)} ms more than the same activities (at most ${maxAddedMs} ms: ` +
        `${addedMs <= maxAddedMs ? 'kept' : 'exceeded'}): start ${added((row) => row.startMs)}, steps ${added((row) => row.stepsMs)}, ` +
        `close ${added((row) => row.closeMs)}, result ${added((row) => row.resultMs)}.`,
    ];
  },
};

function computeAddedMs([ours, theirs]: readonly OverheadRow[]): number {
  return (ours?.totalMs ?? Number.NaN) - (theirs?.totalMs ?? Number.NaN);
}

interface Task {
  readonly id: string;
  readonly steps: number;
}

/** The answer is a step too. */
const run: { readonly [system in SystemName]: (longhand: Longhand, task: Task) => Promise<unknown> } = {
  longhand: async (longhand, { id, steps }) => {
    const chain = await longhand.start('stock_taker', taskOf(steps - 1), { chainId: id });
    const { success } = await chain.result();
    if (!success) throw new Error(`Chain ${id} did not complete.`);
  },
  'hand-written': ({ client }, { id, steps }) =>
    client.workflow.execute('takeStock', { workflowId: id, taskQueue: 'hand-written', args: [taskOf(steps - 1)] }),
};

async function measureTask(longhand: Longhand, system: SystemName, task: Task): Promise<OverheadRow> {
  const now = () => performance.timeOrigin + performance.now();
  const began = now();
  await run[system](longhand, task);
  const ended = now();
  const events = (await readRuns(longhand.client, await listRuns(longhand.client, task.id))).flat();
  const firstCall = events.find(isModelCall);
  const lastReply = events.findLast((event) => event.activityTaskCompletedEventAttributes);
  const close = events.findLast((event) => event.workflowExecutionCompletedEventAttributes);
  if (!firstCall || !lastReply || !close) throw new Error(`The history of ${task.id} is not that of a completed task.`);
  return {
    system,
    steps: task.steps,
    totalMs: round(ended - began, 1),
    startMs: round(timeOf(firstCall) - began, 1),
    stepsMs: round(timeOf(lastReply) - timeOf(firstCall), 1),
    closeMs: round(timeOf(close) - timeOf(lastReply), 1),
    // The server's clock has other digits than ours.
    resultMs: round(Math.max(0, ended - timeOf(close)), 1),
  };
}

/** The first activity that is neither a preparation nor the tool. */
function isModelCall({ activityTaskScheduledEventAttributes: scheduled }: HistoryEvent): boolean {
  const name = scheduled?.activityType?.name;
  return scheduled !== undefined && scheduled !== null && name !== tool.name && scheduled.activityId !== 'prepare';
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000;
}
