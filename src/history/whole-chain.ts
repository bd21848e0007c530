/** A chain from its first run to the end of one of its runs. */

import type { TakenTurn } from '../core/engine/refold.js';
import type { Chain } from '../core/model/chain.js';
import { type RunsSource, runBefore, runsUpTo } from './earlier-runs.js';
import type { ClosedStatus, HistoryEvent } from './event.js';
import { type Run, readForward } from './read.js';
import { recordedRun } from './recorded-run.js';

export interface WholeChain {
  readonly chain: Chain;
  readonly turns: readonly TakenTurn[];
  /** Of the run itself. */
  readonly closed: ClosedStatus | null;
}

/** @param run its `runId` may be empty: the latest */
export async function wholeChain(source: RunsSource, run: Run): Promise<WholeChain> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward(source.history, run)) events.push(...page);
  const earlier = await runsUpTo(source, run.workflowId, await runBefore(events[0], source.converter));
  const last = await recordedRun(events, source.converter, earlier.at(-1)?.chain);
  const turns = [...earlier, last].flatMap((each) => each.turns);
  return { chain: last.chain, turns, closed: last.run.closed };
}
