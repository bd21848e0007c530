/**
 * Temporal's side of a running activity: the chain that it works for, its heartbeat, and the step in its log lines.
 */

import { Context } from '@temporalio/activity';
import { failureTypes } from '../../contract/names.js';
import type { ChainState } from '../../core/model/state.js';
import type { HistoryService, Run } from '../../history/read-history.js';
import type { Dependencies } from './dependencies.js';
import { createFailure, toErrorMessage } from './failures.js';

interface OwnHistory {
  readonly history: HistoryService;
  readonly run: Run;
}

/** Returns the history of the chain that an activity works for, read by its worker's own client. */
export function getOwnHistory({ client, info }: Context, onPage?: HistoryService['onPage']): OwnHistory {
  const { connection, options } = client;
  return {
    history: { service: connection.workflowService, namespace: options.namespace, ...(onPage ? { onPage } : {}) },
    run: info.workflowExecution ?? { workflowId: '', runId: '' },
  };
}

/**
 * Returns the current state of the chain that an activity works for.
 *
 * @param problem the question that stays open if the history cannot be read
 * @throws NotDone where the history cannot be read
 */
export async function readOwnState(
  folds: Dependencies['folds'],
  context: Context,
  problem: string,
): Promise<ChainState> {
  const { history, run } = getOwnHistory(context);
  try {
    return (await folds.readLatest(history, run)).state;
  } catch (error) {
    throw createFailure(failureTypes.notDone, `${problem}; it was not run. ${toErrorMessage(error)}`);
  }
}

/** Milliseconds: the answer to a heartbeat brings the news of a cancel, so this is how long a stopped call may go on. */
const maxIntervalMs = 500;

export interface Heartbeat {
  /** Tells how far it has got; told again with each beat until there is more to tell. */
  readonly beat: (details?: unknown) => void;
  readonly stop: () => void;
}

/** Sends heartbeats until it is stopped, so that a cancel reaches the worker and a lost worker is noticed. */
export function startHeartbeat(): Heartbeat {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return { beat: () => {}, stop: () => {} };
  let last: unknown;
  const every = Math.min(maxIntervalMs, Math.max(100, Math.floor(timeout / 4)));
  const timer = setInterval(() => context.heartbeat(last), every);
  const beat = (details?: unknown) => {
    last = details;
    context.heartbeat(details);
  };
  return { beat, stop: () => clearInterval(timer) };
}

/** What Temporal says of an activity in each line. */
type LogAttributes = Record<string, unknown>;

const steps = new WeakMap<Context, number>();

/** Sets the step of the activity that runs now. */
export function setLoggedStep(step: number): void {
  steps.set(Context.current(), step);
}

/** Adds the step to each line that an activity logs, or that Temporal logs of it: an interceptor for Temporal's worker. */
export function addStepToLogs(context: Context) {
  const getLogAttributes = (
    attributes: LogAttributes,
    next: (attributes: LogAttributes) => LogAttributes,
  ): LogAttributes => {
    const step = steps.get(context);
    return next(step === undefined ? attributes : { ...attributes, step });
  };
  return { outbound: { getLogAttributes } };
}
