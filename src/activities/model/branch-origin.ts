/** What a branch begins with: the first steps of its parent, and its agent as it was taken down there. */

import type { Context } from '@temporalio/activity';
import type { BranchOf } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { originOf, turnsUntil } from '../../core/engine/refold.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import type { Origin } from '../../core/model/origin.js';
import { wholeChain } from '../../history/whole-chain.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure } from '../context/failures.js';
import { ownHistory } from '../context/own-history.js';

export interface BranchOrigin {
  readonly agent: AgentSnapshot;
  /** Null for a branch that begins with the task alone. */
  readonly origin: Origin | null;
}

/** @throws a failure when the parent has no such step, which another attempt would not find either */
export async function branchOrigin(
  context: Context,
  from: Pick<Dependencies, 'converter' | 'archived'>,
  { steps, ...run }: BranchOf,
): Promise<BranchOrigin> {
  const { history } = ownHistory(context);
  const { chain, turns } = await wholeChain({ history, ...from }, { workflowId: run.chainId, runId: run.runId });
  const { agent } = chain.state;
  const until = steps === 0 ? null : turnsUntil(turns, steps);
  if (agent === null || (steps > 0 && until === null)) {
    throw failure(failureTypes.notDone, `Chain ${run.chainId} has no ${steps} steps to begin with.`);
  }
  return { agent, origin: until === null ? null : originOf(run, until, steps, null) };
}
