/** Activities for sub-chains and chains of `runAgent`: read how one ended, and score the answers of several. */

import { Context, log } from '@temporalio/activity';
import { failureTypes, type ReadChildInput, type ReadResultInput, type ScoreInput } from '../../contract/index.js';
import { type ChainResult, createChildReport, describeFlight } from '../../core/engine/index.js';
import { toErrorMessage } from '../../core/lib/index.js';
import { type ChildReport, defaults } from '../../core/model/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import { type ChainHistory, type ClosedStatus, readChainHistory } from '../../history/index.js';
import { withTimeout } from '../../timing/index.js';
import { getOwnHistory } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure } from '../context/failures.js';

/** Reads a sub-chain's report from its history: its close has no result, or its parent needs all of its steps. */
export function readChild(dependencies: Dependencies) {
  return async ({ chainId, ...options }: ReadChildInput): Promise<ChildReport> => {
    const read = await readLastRun(dependencies, chainId);
    return createChildReport(read.chain, describeAbruptEnd(read), options);
  };
}

/** Reads the result of a chain of `runAgent` whose workflow closed without one, because Temporal ended it. */
export function readResult(dependencies: Dependencies) {
  return async ({ chainId }: ReadResultInput): Promise<ChainResult> => {
    const { chain, closed } = await readLastRun(dependencies, chainId);
    return computeClosedResult({ chain, closed, closedAt: null });
  };
}

/** A chain id is used once: the latest run is the last of one chain. */
function readLastRun({ converter, archived }: Dependencies, chainId: string): Promise<ChainHistory> {
  const { history } = getOwnHistory(Context.current());
  return readChainHistory({ history, converter, archived }, { workflowId: chainId, runId: '' });
}

/** Describes an end that the chain did not decide; null otherwise. */
function describeAbruptEnd({ closed, chain }: ChainHistory): string | null {
  const ending = closed === null ? undefined : endings[closed];
  if (chain.state.stop !== null && (ending === undefined || closed === 'failed')) return null;
  const during = describeFlight(chain.state);
  return `${ending ?? 'It has not ended'}${during === null ? '' : ` during ${during}`}.`;
}

/** Ends that the chain did not decide. */
const endings: { readonly [closed in ClosedStatus]?: string } = {
  failed: 'Its workflow failed',
  terminated: 'It was terminated in Temporal',
  timedOut: "Temporal's own timeout ended it",
};

/** Scores the answers to a call with the function of its tool's definition: user code runs in the worker. */
export function scoreAnswers({ agents }: Dependencies) {
  return async ({ agent, tool, candidates }: ScoreInput): Promise<readonly (number | null)[]> => {
    const judge = agents.get(agent)?.tool(tool)?.score;
    if (judge === undefined) {
      const message = `This worker has no score function for the answers to ${tool}.`;
      // Another worker of the task queue may have it. Temporal repeats the activity: it is free and has no effect.
      throw createFailure(failureTypes.unknownTool, message, { retryable: true });
    }
    return Promise.all(
      candidates.map(async (candidate) => {
        try {
          const scored = await withTimeout(Promise.resolve(judge(candidate)), defaults.checkMs);
          return scored !== null && Number.isFinite(scored.value) ? scored.value : null;
        } catch (error) {
          log.warn(`The score function of ${tool} failed: ${toErrorMessage(error)}`);
          return null;
        }
      }),
    );
  };
}
