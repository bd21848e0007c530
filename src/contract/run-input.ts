/** The input of a run: a chain's start, or the state of the run before. For the workflow and its readers (L1). */

import { type Continuation, fromContinuation, isContinuation, mayPrepareLocally } from '../core/engine/index.js';
import { cutDeepInput, omitNulls } from '../core/lib/index.js';
import { type ChainInput, type ChainState, emptyState, type Fact } from '../core/model/index.js';

/** The first argument of the workflow. */
export type RunInput = ChainInput | Continuation;

export interface RunStartState {
  readonly state: ChainState;
  /** Id of the run before; null in a chain's first run. */
  readonly previousRunId: string | null;
  /** The start whose agent is prepared locally before the first turn (core/engine/state/local-calls.ts); null without that. */
  readonly preparation: ChainInput | null;
  /** @param at when the first turn's workflow task began, or its local preparation ended */
  readonly toFact: (at: number) => Fact;
}

/** Attributes of a run's start that the workflow and its readers both know. */
export interface RunStartAttributes {
  /** Id of the run that came before. */
  readonly continuedFrom: string | null | undefined;
  readonly cronSchedule: string | null | undefined;
  /** Attempt of a retried workflow. The first is 1, or 0 where it is missing. */
  readonly attempt: number | null | undefined;
}

/**
 * Returns the first argument, cut to the depth of a fact. A continuation written by hand is an ordinary input, and is
 * rejected as one.
 */
export function parseRunInput(argument: unknown, start: RunStartAttributes): RunInput {
  if (!isContinuation(argument)) return cutDeepInput(argument) as RunInput;
  if (isContinuedAsNew(start)) return argument;
  const { continuation: _, ...rest } = argument;
  return cutDeepInput(rest) as ChainInput;
}

/** The next run of a cron schedule and the next attempt also name the run before, but get the first input again. */
function isContinuedAsNew({ continuedFrom, cronSchedule, attempt }: RunStartAttributes): boolean {
  return Boolean(continuedFrom) && !cronSchedule && (attempt ?? 1) <= 1;
}

/** @throws for a state of another version */
export function toRunStartState(input: RunInput, chainId: string): RunStartState {
  if (!isContinuation(input)) {
    const start = omitNulls(input) as ChainInput;
    const preparation = mayPrepareLocally(start) ? start : null;
    return {
      ...{ state: emptyState, previousRunId: null, preparation },
      toFact: (at) => ({ type: 'started', at, chainId, input }),
    };
  }
  const { runId } = input;
  return {
    ...{ state: fromContinuation(input), previousRunId: runId, preparation: null },
    toFact: (at) => ({ type: 'continued', at, runId }),
  };
}
