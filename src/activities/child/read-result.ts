/** Activity of `runAgent`: reads the result of a chain whose workflow closed without one, because Temporal ended it. */

import { Context } from '@temporalio/activity';
import type { ReadResultInput } from '../../contract/index.js';
import type { ChainResult } from '../../core/engine/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import { readChainHistory } from '../../history/index.js';
import { getOwnHistory } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';

export function readResult({ converter, archived }: Dependencies) {
  return async ({ chainId }: ReadResultInput): Promise<ChainResult> => {
    const { history } = getOwnHistory(Context.current());
    const { chain, closed } = await readChainHistory(
      { history, converter, archived },
      { workflowId: chainId, runId: '' },
    );
    return computeClosedResult({ chain, closed, closedAt: null });
  };
}
