/**
 * Goes into a bundle beside the true workflow, for tests alone: after each activation it tells what the workflow then
 * holds, by asking the workflow's own query.
 */

import { proxySinks, type Sinks, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { stateQuery } from '../../src/contract/names.js';
import type { ChainState } from '../../src/index.js';

export interface StateSinks extends Sinks {
  readonly states: { readonly held: (state: ChainState) => void };
}

export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      concludeActivation: (input, next) => {
        const query = getActivator().queryHandlers.get(stateQuery);
        if (query !== undefined) proxySinks<StateSinks>().states.held(query.handler() as ChainState);
        return next(input);
      },
    },
  ],
});
