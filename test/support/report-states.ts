/**
 * An interceptor in the bundle of the real workflow, for tests only: after each activation it reports the state of the
 * workflow, which it reads with the workflow's own query.
 */

import { proxySinks, type Sinks, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { stateQuery } from '../../src/contract/names.js';
import type { ChainState } from '../../src/entries/view.js';

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
