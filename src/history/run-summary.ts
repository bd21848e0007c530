/**
 * Summarizes a run: its origin and what it started, enough to place it among the runs of its chain.
 *
 * A run is a chain's first, was continued from another, or was made by a reset: it copied the events of its base up to
 * the cut. A copy has the same event ids, and the start event of the original.
 */

import { failureTypes, isRequeueFailure } from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';
import type { ResetPoint } from '../core/record/index.js';
import { findCloseTime, findNextRunId, getEventId, type HistoryEvent, toNumber } from './event.js';
import { type HistoryService, type RunReference, readForward } from './read-history.js';

/** Failure type of a call that was not made because a discarded run may have made it. In doubt for the chain. */
export const resetRejectionType = failureTypes.doneBeforeReset;

/** The content of a run's first event. */
export interface RunLinks {
  /** The chain's first run: a second chain of the same id has another. */
  readonly firstRunId: string;
  /** The run that this one, or its base, was continued from; null for a first run. */
  readonly previousRunId: string | null;
  readonly isReset: boolean;
  /** The run of the parent that started this sub-chain. */
  readonly parent: RunReference | null;
}

export interface RunSummary extends RunLinks {
  readonly reset: ResetPoint | null;
  readonly closed: boolean;
  /** The next run. */
  readonly nextRunId: string | null;
  /** The last event that scheduled an activity, by the activity's type. */
  readonly activities: ReadonlyMap<string, number>;
  /** The last event that started a sub-chain, by its id. */
  readonly chains: ReadonlyMap<string, number>;
}

/** Reads one event. @throws what the server answers */
export async function readRunLinks(history: HistoryService, run: RunReference): Promise<RunLinks> {
  for await (const [first] of readForward(history, run, 1)) return toRunLinks(run, first);
  throw new LonghandError('run_not_found', `Run ${run.runId} of ${run.workflowId} has no events.`);
}

/** Reads the whole history of a run. @throws what the server answers */
export async function readRunSummary(history: HistoryService, run: RunReference): Promise<RunSummary> {
  let start: RunLinks | null = null;
  let last: HistoryEvent = {};
  let reset: ResetPoint | null = null;
  const activities = new Map<number, string>();
  const chains = new Map<string, number>();
  /** Activities that ended at a later attempt: an earlier one may have run the tool. */
  const repeated = new Set<number>();
  for await (const page of readForward(history, run)) {
    start ??= toRunLinks(run, page[0]);
    reset = findResetPoint(page) ?? reset;
    for (const event of page) {
      const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (type) activities.set(getEventId(event), type);
      if (isLaterAttempt(event)) repeated.add(toNumber(event.activityTaskStartedEventAttributes?.scheduledEventId));
      if (isWithoutEffect(event, repeated)) activities.delete(getScheduledEventId(event));
      const chain = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
      if (chain) chains.set(chain, getEventId(event));
      // Its id was taken: the sub-chain belongs to another run.
      const failed = event.startChildWorkflowExecutionFailedEventAttributes;
      if (failed) chains.delete(failed.workflowId ?? '');
    }
    last = page.at(-1) ?? last;
  }
  if (start === null) throw new LonghandError('run_not_found', `Run ${run.runId} of ${run.workflowId} has no events.`);
  return {
    ...start,
    reset: start.isReset ? reset : null,
    closed: findCloseTime([last]) !== null,
    nextRunId: findNextRunId([last]),
    activities: new Map([...activities].map(([event, type]) => [type, event])),
    chains,
  };
}

/** Returns the run's own reset, the last one: earlier ones were copied with the base's events. */
export function findResetPoint(events: readonly HistoryEvent[]): ResetPoint | null {
  const event = events.findLast((candidate) => candidate.workflowTaskFailedEventAttributes?.baseRunId);
  const runId = event?.workflowTaskFailedEventAttributes?.baseRunId;
  return event && runId ? { runId, cut: getEventId(event) } : null;
}

/** Whether an activity was rejected because of a reset. */
export function isResetRejection({ activityTaskFailedEventAttributes: failed }: HistoryEvent): boolean {
  return failed?.failure?.applicationFailureInfo?.type === resetRejectionType;
}

/** Whether an activity ended before the tool ran: a reset rejected it, or its worker lacked the agent or the tool. */
function isWithoutEffect(event: HistoryEvent, repeated: ReadonlySet<number>): boolean {
  if (isResetRejection(event)) return true;
  const type = event.activityTaskFailedEventAttributes?.failure?.applicationFailureInfo?.type ?? '';
  return isRequeueFailure(type) && !repeated.has(getScheduledEventId(event));
}

function isLaterAttempt({ activityTaskStartedEventAttributes: started }: HistoryEvent): boolean {
  return (started?.attempt ?? 1) > 1;
}

export function getScheduledEventId({ activityTaskFailedEventAttributes: failed }: HistoryEvent): number {
  return toNumber(failed?.scheduledEventId);
}

function toRunLinks(run: RunReference, event: HistoryEvent | undefined): RunLinks {
  const started = event?.workflowExecutionStartedEventAttributes;
  if (!started) throw new LonghandError('run_not_found', `Run ${run.runId} of ${run.workflowId} has no start event.`);
  const { workflowId, runId } = started.parentWorkflowExecution ?? {};
  return {
    firstRunId: started.firstExecutionRunId ?? '',
    previousRunId: started.continuedExecutionRunId || null,
    isReset: started.originalExecutionRunId !== run.runId,
    parent: workflowId && runId ? { workflowId, runId } : null,
  };
}
