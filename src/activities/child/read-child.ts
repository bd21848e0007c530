/** What a sub-chain came to, from its own history: its close carries no result, or its parent wants to see all of it. */

import { Context } from '@temporalio/activity';
import type { ReadChildInput } from '../../contract/activities.js';
import { reportOf } from '../../core/engine/child-report.js';
import type { ChildReport } from '../../core/model/child.js';
import { inFlight } from '../../core/state/stop.js';
import type { ClosedStatus } from '../../history/event.js';
import { type WholeChain, wholeChain } from '../../history/whole-chain.js';
import type { Dependencies } from '../context/dependencies.js';
import { ownHistory } from '../context/own-history.js';

export function readChild({ converter, archived }: Dependencies) {
  return async ({ chainId, ...options }: ReadChildInput): Promise<ChildReport> => {
    const { history } = ownHistory(Context.current());
    // A chain id is used once: the latest run is the last of one chain.
    const read = await wholeChain({ history, converter, archived }, { workflowId: chainId, runId: '' });
    return reportOf(read.chain, withoutItsSay(read), options);
  };
}

/** Null where the chain itself said what it came to. */
function withoutItsSay({ closed, chain }: WholeChain): string | null {
  const ending = closed === null ? undefined : endings[closed];
  if (chain.state.stop !== null && (ending === undefined || closed === 'failed')) return null;
  const during = inFlight(chain.state);
  return `${ending ?? 'It has not ended'}${during === null ? '' : ` during ${during}`}.`;
}

/** By others than the chain itself. */
const endings: { readonly [closed in ClosedStatus]?: string } = {
  failed: 'Its workflow failed',
  terminated: 'It was terminated in Temporal',
  timedOut: "Temporal's own timeout ended it",
};
