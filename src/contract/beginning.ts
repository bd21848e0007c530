/** What a run begins with, for the workflow and for whoever reads it (L1): nothing, or what the run before left. */

import { type Continuation, isContinuation, stateOf } from '../core/continuation.js';
import type { ChainInput, Fact } from '../core/fact.js';
import { emptyState, type State } from '../core/state.js';

/** The first argument of the workflow. */
export type RunInput = ChainInput | Continuation;

export interface Beginning {
  readonly state: State;
  /** Id of the run before; null in a chain's first run. */
  readonly previous: string | null;
  /** @param at when the first workflow task began */
  readonly fact: (at: number) => Fact;
}

/** @throws Error for a snapshot that another version wrote */
export function beginningOf(input: RunInput, chainId: string): Beginning {
  if (!isContinuation(input)) {
    return { state: emptyState, previous: null, fact: (at) => ({ type: 'started', at, chainId, input }) };
  }
  const { runId } = input;
  return { state: stateOf(input), previous: runId, fact: (at) => ({ type: 'continued', at, runId }) };
}
