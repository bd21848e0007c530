/**
 * Many sub-chains of one call, at once: what they take beside as many bare child workflows, which call the same model in
 * one activity each. Bare children know no budget, no history that is read back, and no snapshot of an agent.
 */

import type { Case } from '../case.js';
import { between } from '../plausible.js';
import { medianRow, type Repeats, takeTurns, timeWork } from '../repeat.js';
import { countingTask, countTasks } from '../rig/counting-task.js';
import type { Rig } from '../rig/rig.js';
import { listRuns, sizeOf } from '../rig/runs.js';
import { ratio } from './rounds.js';

interface FanOutSize extends Repeats {
  readonly children: number;
}

export interface FanOutRow {
  readonly system: 'longhand' | 'bare';
  readonly children: number;
  /** From the start of the parent to its answer. */
  readonly ms: number;
  /** CPU time of the worker's process, user and system. */
  readonly cpuMs: number;
  /** The parent's whole history, from its start to its answer, divided by the number of children. */
  readonly parentBytesPerChild: number;
}

const systems = ['longhand', 'bare'] as const;

export const fanOut: Case<FanOutRow, FanOutSize> = {
  full: { children: 100, times: 15, warmUp: 5 },
  smoke: { children: 8, times: 1, warmUp: 1 },
  measure: async ({ rig, progress }, size) => {
    const rows = await takeTurns(
      systems,
      size,
      (system, turn) => measureParent(rig, system, { id: `fan-out-${system}-${turn}`, children: size.children }),
      (system, { children, ms, cpuMs }) => progress(`${system}, ${children} children: ${ms} ms and ${cpuMs} ms of CPU`),
    );
    return systems.map((system) => medianRow(rows.get(system) ?? []));
  },
  columns: [
    ['system', (row) => row.system],
    ['children', (row) => String(row.children)],
    ['ms', (row) => row.ms.toFixed(0)],
    ['CPU ms', (row) => row.cpuMs.toFixed(0)],
    ['parent bytes/child', (row) => row.parentBytesPerChild.toFixed(0)],
  ],
  expected: ({ children }) =>
    systems.map((system) => ({
      system,
      children,
      ms: between(1, 600_000),
      cpuMs: between(1, 600_000),
      parentBytesPerChild: between(500, 10_000),
    })),
  contradictions: () => [],
  findings: (rows) => {
    const [ours, theirs] = systems.map((name) => rows.find(({ system }) => system === name));
    if (!ours || !theirs) return [];
    return [
      `${ours.children} sub-chains against as many bare child workflows: time ${ratio(ours.ms / theirs.ms)}, ` +
        `CPU ${ratio(ours.cpuMs / theirs.cpuMs)}; ${ours.parentBytesPerChild} bytes in the parent's history for each.`,
    ];
  },
};

interface Parent {
  readonly id: string;
  readonly children: number;
}

async function measureParent(rig: Rig, system: FanOutRow['system'], parent: Parent): Promise<FanOutRow> {
  const { longhand } = rig;
  const worker = rig.systems.find(({ name }) => name === (system === 'bare' ? 'hand-written' : 'longhand'));
  if (worker === undefined) throw new Error(`No worker runs the parent ${parent.id}.`);
  const before = await worker.usage();
  let answers = 0;
  const { ms } = await timeWork(async () => {
    answers = await (system === 'bare' ? runBare(longhand, parent) : runChains(longhand, parent));
  });
  const after = await worker.usage();
  const { id, children } = parent;
  if (answers !== children) throw new Error(`${answers} of ${children} children of ${id} answered.`);
  const { bytes } = sizeOf(await listRuns(longhand.client, id));
  return {
    system,
    children,
    ms: Math.round(ms),
    cpuMs: Math.round(after.cpuMs - before.cpuMs),
    parentBytesPerChild: Math.round(bytes / children),
  };
}

async function runChains(longhand: Rig['longhand'], { id, children }: Parent): Promise<number> {
  const chain = await longhand.start('foreman', countingTask(children), { chainId: id });
  const { success, subtree } = await chain.result();
  return success ? (subtree?.chains ?? 0) : 0;
}

async function runBare({ client }: Rig['longhand'], { id, children }: Parent): Promise<number> {
  const answers: readonly string[] = await client.workflow.execute('haveCounted', {
    workflowId: id,
    taskQueue: 'hand-written',
    args: [countTasks(children)],
  });
  return answers.length;
}
