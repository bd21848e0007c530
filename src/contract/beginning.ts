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

/**
 * The first argument as the run takes it. Only Temporal's continue-as-new says in the start which run was continued: a
 * continuation that somebody wrote by hand is an input like any other, and is rejected as one.
 *
 * @param continuedFrom id of the run that was continued, as the start of the run says
 */
export function runInputOf(said: unknown, continuedFrom: string | null | undefined): RunInput {
  if (!isContinuation(said) || continuedFrom) return said as RunInput;
  const { continuation: _, ...rest } = said;
  return rest as unknown as ChainInput;
}

/** @throws Error for a snapshot that another version wrote */
export function beginningOf(input: RunInput, chainId: string): Beginning {
  if (!isContinuation(input)) {
    return { state: emptyState, previous: null, fact: (at) => ({ type: 'started', at, chainId, input }) };
  }
  const { runId } = input;
  return { state: stateOf(input), previous: runId, fact: (at) => ({ type: 'continued', at, runId }) };
}
