/**
 * One long chain, through all the runs that it goes on in: what a step takes at its beginning and at its end. A chain whose
 * state or whose history grew would slow down; one that is cut as the server suggests should not.
 */

import { recordedOnServer } from '../src/client/read/recorded.js';
import { sourceOf } from '../src/client/read/source.js';
import type { CaseOptions } from './case.js';
import { median } from './measure.js';
import { taskOf } from './task.js';

const steps = 1_500;
/** Steps that a row is about. */
const stretch = 250;

export interface LongRow {
  /** The last step that the row is about. */
  readonly step: number;
  /** Which of the chain's runs the last step stands in, from 1. */
  readonly run: number;
  /** Middle time from one step to the next. */
  readonly msPerStep: number;
  /** History, over the runs' own counts. */
  readonly bytesPerStep: number;
}

export async function measureLong({ rig, say }: CaseOptions): Promise<readonly LongRow[]> {
  const { longhand } = rig;
  const chain = await longhand.start('stock_taker', taskOf(steps - 1), { limits: { steps: steps + 10 } });
  const { success, reason } = await chain.result();
  if (!success) throw new Error(`The chain did not come to its end: ${reason}`);
  const { runs, chain: read } = await recordedOnServer(await sourceOf(longhand.client, chain.chainId));
  say(`${steps} steps in ${runs.length} runs`);
  const turns = runs.flatMap(({ turns }, run) => turns.map((turn) => ({ ...turn, run: run + 1 })));
  const grown = turns.map(({ history, run }, at) => {
    const before = turns[at - 1];
    return before?.run === run ? history.bytes - before.history.bytes : history.bytes;
  });
  const rows: LongRow[] = [];
  for (let last = stretch; last <= steps; last += stretch) {
    const taken = read.steps.slice(last - stretch, last);
    const times = taken.slice(1).map(({ startedAt }, at) => startedAt - (taken[at]?.startedAt ?? startedAt));
    const [from, to] = [taken[0]?.startedAt ?? 0, taken.at(-1)?.endedAt ?? 0];
    const within = turns.flatMap(({ facts }, at) => {
      const when = facts[0]?.at ?? 0;
      return when >= from && when <= to ? [at] : [];
    });
    const bytes = within.reduce((sum, at) => sum + (grown[at] ?? 0), 0);
    const run = turns[within.at(-1) ?? 0]?.run ?? 1;
    rows.push({ step: last, run, msPerStep: median(times), bytesPerStep: Math.round(bytes / stretch) });
  }
  return rows;
}

export function longFindings(rows: readonly LongRow[]): readonly string[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const times = (last.msPerStep / first.msPerStep).toFixed(2);
  const bytes = (last.bytesPerStep / first.bytesPerStep).toFixed(2);
  return [
    `The last ${stretch} steps against the first: time per step × ${times}, bytes × ${bytes}, in run ${last.run}.`,
  ];
}
