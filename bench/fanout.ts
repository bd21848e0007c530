/**
 * Many sub-chains of one call, at once: what they take beside as many bare child workflows, which call the same model in
 * one activity each. Bare children know no budget, no history that is read back, and no snapshot of an agent.
 */

import { performance } from 'node:perf_hooks';
import type { CaseOptions } from './case.js';
import { countingTask, countTasks } from './counting.js';
import { median } from './measure.js';
import type { Rig } from './rig.js';

export interface FanOutRow {
  readonly system: 'longhand' | 'bare';
  readonly children: number;
  /** From the start of the parent to its answer. */
  readonly ms: number;
  /** CPU time of the worker's process, user and system. */
  readonly cpuMs: number;
  /** The parent's whole history, from its start to its answer, by the number of children. */
  readonly parentBytesPerChild: number;
}

const children = 100;
/** Odd, so that one of them is the middle. */
const times = 15;
/** Runs that are the compiler's. */
const warmUp = 5;

const systems = ['longhand', 'bare'] as const;

export async function measureFanOut({ rig, say }: CaseOptions): Promise<readonly FanOutRow[]> {
  const rows: FanOutRow[] = [];
  for (let time = -warmUp; time < times; time += 1) {
    // Who goes first changes.
    for (const system of time % 2 === 0 ? systems : systems.toReversed()) {
      const row = await measure(rig, system, `fan-out-${system}-${time + warmUp}`);
      if (time < 0) continue;
      say(`${system}, ${children} children: ${row.ms} ms and ${row.cpuMs} ms of CPU`);
      rows.push(row);
    }
  }
  return systems.map((system) => medianRow(rows.filter((row) => row.system === system)));
}

async function measure({ longhand, systems }: Rig, system: FanOutRow['system'], id: string): Promise<FanOutRow> {
  const worker = systems.find(({ name }) => name === (system === 'bare' ? 'hand-written' : 'longhand'));
  if (worker === undefined) throw new Error(`No worker runs ${system} fan-outs.`);
  const before = await worker.usage();
  const began = performance.now();
  const answered = await (system === 'bare' ? bare(longhand, id) : chains(longhand, id));
  const ms = performance.now() - began;
  const after = await worker.usage();
  if (answered !== children) throw new Error(`${answered} of ${children} children of ${id} answered.`);
  const { historySize = 0 } = await longhand.client.workflow.getHandle(id).describe();
  return {
    system,
    children,
    ms: Math.round(ms),
    cpuMs: Math.round(after.cpuMs - before.cpuMs),
    parentBytesPerChild: Math.round(historySize / children),
  };
}

async function chains(longhand: Rig['longhand'], chainId: string): Promise<number> {
  const chain = await longhand.start('foreman', countingTask(children), { chainId });
  const { success, subtree } = await chain.result();
  return success ? (subtree?.chains ?? 0) : 0;
}

async function bare({ client }: Rig['longhand'], workflowId: string): Promise<number> {
  const args = [countTasks(children)];
  const answers: readonly string[] = await client.workflow.execute('haveCounted', {
    workflowId,
    taskQueue: 'hand-written',
    args,
  });
  return answers.length;
}

/** Number by number, so that one disturbed run spoils none. */
function medianRow(rows: readonly FanOutRow[]): FanOutRow {
  const [first] = rows;
  if (first === undefined) throw new Error('There is nothing to take the median of.');
  const middle = (of: (row: FanOutRow) => number) => median(rows.map(of));
  return {
    ...first,
    ms: middle(({ ms }) => ms),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    parentBytesPerChild: middle(({ parentBytesPerChild }) => parentBytesPerChild),
  };
}

/** What the rows come to, for people. */
export function fanOutFindings(rows: readonly FanOutRow[]): readonly string[] {
  const [ours, theirs] = systems.map((name) => rows.find(({ system }) => system === name));
  if (!ours || !theirs) return [];
  return [
    `${ours.children} sub-chains against as many bare child workflows: time × ${(ours.ms / theirs.ms).toFixed(2)}, ` +
      `CPU × ${(ours.cpuMs / theirs.cpuMs).toFixed(2)}; ${ours.parentBytesPerChild} bytes in the parent's history for each.`,
  ];
}
