/** What a run begins with, for the workflow and for whoever reads it (L1): nothing, or what the run before left. */

import { type Continuation, isContinuation, stateOf } from '../core/engine/continue-as-new.js';
import { cutDeepInput } from '../core/lib/cut-deep.js';
import type { ChainInput, Fact } from '../core/model/fact.js';
import { emptyState, type State } from '../core/model/state.js';

/** The first argument of the workflow. */
export type RunInput = ChainInput | Continuation;

export interface Beginning {
  readonly state: State;
  /** Id of the run before; null in a chain's first run. */
  readonly previous: string | null;
  /** @param at when the first workflow task began */
  readonly fact: (at: number) => Fact;
}

/** What the start of a run says of it: the workflow and its readers know these alike. */
export interface RunStart {
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
export function runInputOf(said: unknown, start: RunStart): RunInput {
  if (!isContinuation(said)) return cutDeepInput(said) as RunInput;
  if (wasContinuedAsNew(start)) return said;
  const { continuation: _, ...rest } = said;
  return cutDeepInput(rest) as ChainInput;
}

/** The next run of a cron schedule and the next attempt name the run before, too, but get the first input again. */
function wasContinuedAsNew({ continuedFrom, cronSchedule, attempt }: RunStart): boolean {
  return Boolean(continuedFrom) && !cronSchedule && (attempt ?? 1) <= 1;
}

/** @throws Error for a snapshot that another version wrote */
export function beginningOf(input: RunInput, chainId: string): Beginning {
  if (!isContinuation(input)) {
    return { state: emptyState, previous: null, fact: (at) => ({ type: 'started', at, chainId, input }) };
  }
  const { runId } = input;
  return { state: stateOf(input), previous: runId, fact: (at) => ({ type: 'continued', at, runId }) };
}
