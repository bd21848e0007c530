/** What a branch begins with: the first steps of its parent, and its agent as it was taken down there. */

import type { Context } from '@temporalio/activity';
import type { LoadedDataConverter } from '@temporalio/common';
import type { BranchOf } from '../contract/activities.js';
import { failureTypes } from '../contract/names.js';
import type { AgentSnapshot } from '../core/agent.js';
import type { Origin } from '../core/origin.js';
import { originOf, turnsUntil } from '../core/origin-cut.js';
import type { TakenTurn } from '../core/refold.js';
import { emptyFold, foldTurns } from '../history/fold.js';
import { readForward } from '../history/read.js';
import { failure } from './failures.js';
import { ownHistory } from './own-history.js';

export interface BranchOrigin {
  readonly agent: AgentSnapshot;
  /** Null for a branch that begins with the task alone. */
  readonly origin: Origin | null;
}

/** @throws a failure when the parent has no such step, which another attempt would not find either */
export async function branchOrigin(
  context: Context,
  converter: LoadedDataConverter,
  { steps, ...run }: BranchOf,
): Promise<BranchOrigin> {
  const { history } = ownHistory(context);
  const turns: TakenTurn[] = [];
  let fold = emptyFold;
  for await (const page of readForward(history, { workflowId: run.chainId, runId: run.runId })) {
    const folded = await foldTurns(fold, page, converter);
    fold = folded.fold;
    turns.push(...folded.turns);
  }
  const { agent } = fold.chain.state;
  const until = steps === 0 ? null : turnsUntil(turns, steps);
  if (agent === null || (steps > 0 && until === null)) {
    throw failure(failureTypes.notDone, `Chain ${run.chainId} has no ${steps} steps to begin with.`);
  }
  return { agent, origin: until === null ? null : originOf(run, until, steps, null) };
}
