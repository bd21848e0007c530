/** What a run begins with, for the workflow and for whoever reads it (L1): nothing, or what the run before left. */

import { type Continuation, fromContinuation, isContinuation } from '../core/engine/continue-as-new.js';
import { cutDeepInput } from '../core/lib/cut-deep.js';
import type { ChainInput, Fact } from '../core/model/fact.js';
import { type ChainState, emptyState } from '../core/model/state.js';

/** The first argument of the workflow. */
export type RunInput = ChainInput | Continuation;

export interface RunStartState {
  readonly state: ChainState;
  /** Id of the run before; null in a chain's first run. */
  readonly previousRunId: string | null;
  /** @param at when the first workflow task began */
  readonly toFact: (at: number) => Fact;
}

/** What the start of a run says of it: the workflow and its readers know these alike. */
export interface RunStartAttributes {
  /** Id of the run that came before. */
  readonly continuedFrom: string | null | undefined;
  readonly cronSchedule: string | null | undefined;
  /** Of a workflow that is retried. The first is 1, or 0 where it is left out. */
  readonly attempt: number | null | undefined;
}

/**
 * The first argument as the run takes it, nested no deeper than a fact may be. A continuation that somebody wrote by hand
 * is an input like any other, and is rejected as one.
 */
export function parseRunInput(said: unknown, start: RunStartAttributes): RunInput {
  if (!isContinuation(said)) return cutDeepInput(said) as RunInput;
  if (isContinuedAsNew(start)) return said;
  const { continuation: _, ...rest } = said;
  return cutDeepInput(rest) as ChainInput;
}

/** The next run of a cron schedule and the next attempt name the run before, too, but get the first input again. */
function isContinuedAsNew({ continuedFrom, cronSchedule, attempt }: RunStartAttributes): boolean {
  return Boolean(continuedFrom) && !cronSchedule && (attempt ?? 1) <= 1;
}

/** @throws Error for a snapshot that another version wrote */
export function toRunStartState(input: RunInput, chainId: string): RunStartState {
  if (!isContinuation(input)) {
    return { state: emptyState, previousRunId: null, toFact: (at) => ({ type: 'started', at, chainId, input }) };
  }
  const { runId } = input;
  return { state: fromContinuation(input), previousRunId: runId, toFact: (at) => ({ type: 'continued', at, runId }) };
}
