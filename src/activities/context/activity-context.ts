/** Temporal's side of a running activity: its chain, its heartbeat, and the step in its log lines. */

import { Context } from '@temporalio/activity';
import { failureTypes, formatHeartbeatDetails, parseHeartbeatDetails } from '../../contract/index.js';
import { omitUndefined, toErrorMessage } from '../../core/lib/index.js';
import type { AttemptInterim, Chain } from '../../core/model/index.js';
import type { HistoryService, RunReference } from '../../history/index.js';
import type { Dependencies } from './dependencies.js';
import { createFailure } from './failures.js';

interface OwnHistory {
  readonly history: HistoryService;
  readonly run: RunReference;
}

/** Returns the history of the activity's chain, read by its worker's client. */
export function getOwnHistory({ client, info }: Context, onPage?: HistoryService['onPage']): OwnHistory {
  const { connection, options } = client;
  return {
    history: { service: connection.workflowService, namespace: options.namespace, ...(onPage ? { onPage } : {}) },
    run: info.workflowExecution ?? { workflowId: '', runId: '' },
  };
}

/**
 * Returns the activity's chain as it is now.
 *
 * @param problem start of the error's message
 * @throws {NotDone} if the history cannot be read
 */
export async function readOwnChain(folds: Dependencies['folds'], context: Context, problem: string): Promise<Chain> {
  const { history, run } = getOwnHistory(context);
  try {
    return await folds.readLatest(history, run);
  } catch (error) {
    throw createFailure(failureTypes.notDone, `${problem}; the tool did not run. ${toErrorMessage(error)}`);
  }
}

export interface Heartbeat {
  /** Sets the progress, which each heartbeat repeats until the next call. */
  readonly beat: (details?: unknown) => void;
  /** Sets the interim result, which each heartbeat carries from the next one on. Null for none. */
  readonly setInterim: (interim: AttemptInterim | null) => void;
  readonly stop: () => void;
}

/**
 * Sends heartbeats until stopped, so that a cancel reaches the worker and a lost worker is noticed. The first ones
 * repeat the progress of the attempt before, without its interim result.
 *
 * @param maxIntervalMs most milliseconds between two. A cancel arrives with a heartbeat's answer, so a stopped call
 *   continues this long
 */
export function startHeartbeat(maxIntervalMs: number): Heartbeat {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return { beat: () => {}, setInterim: () => {}, stop: () => {} };
  let { progress } = parseHeartbeatDetails(context.info.heartbeatDetails);
  let interim: AttemptInterim | null = null;
  const send = () => context.heartbeat(formatHeartbeatDetails({ progress, interim }));
  const every = Math.min(maxIntervalMs, Math.max(100, Math.floor(timeout / 4)));
  const timer = setInterval(send, every);
  const beat = (details?: unknown) => {
    progress = details;
    send();
  };
  const setInterim = (next: AttemptInterim | null) => {
    interim = next;
  };
  return { beat, setInterim, stop: () => clearInterval(timer) };
}

/** Returns an id of one attempt at the current activity, which no other attempt has. @param parts of the activity */
export function createAttemptId(...parts: readonly (string | number)[]): string {
  const { workflowNamespace, workflowExecution, activityId, attempt } = Context.current().info;
  return [workflowNamespace, workflowExecution?.runId, activityId, attempt, ...parts].join('/');
}

/** Temporal's attributes of a log line. */
type LogAttributes = Record<string, unknown>;

const attributesOf = new WeakMap<Context, LogAttributes>();

/** Sets the step of the current activity, and the call's id where the activity's is another. */
export function setLoggedStep(step: number, call?: string): void {
  attributesOf.set(Context.current(), { step, ...omitUndefined({ activityId: call }) });
}

/** Adds the step to each log line of an activity: an interceptor for Temporal's worker. */
export function addStepToLogs(context: Context) {
  const getLogAttributes = (
    attributes: LogAttributes,
    next: (attributes: LogAttributes) => LogAttributes,
  ): LogAttributes => {
    const own = attributesOf.get(context);
    return next(own === undefined ? attributes : { ...attributes, ...own });
  };
  return { outbound: { getLogAttributes } };
}
