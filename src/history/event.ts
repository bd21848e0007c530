/** One event of a history, as far as a chain is concerned with it. */

import type { LoadedDataConverter } from '@temporalio/common';
import { CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { type RunInput, runInputOf } from '../contract/beginning.js';
import { endOfFailure, endOfResult, startFailure } from '../contract/child.js';
import type { Ended } from '../contract/facts.js';
import { cancelled, failureOf } from '../contract/failure.js';
import { type Message, readMessage } from '../contract/messages.js';
import type { ChildEnd } from '../core/model/child.js';
import { firstValue, lenient } from './payload.js';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What an event means for a chain. `id`s are event ids; times are milliseconds. */
export type Meaning =
  | { readonly type: 'started'; readonly input: RunInput; readonly chainId: string; readonly runId: string }
  | { readonly type: 'said'; readonly kind: 'signal' | 'update'; readonly message: Message }
  /** A reset hands an update on to the new run; its acceptance there does not repeat what was said. */
  | { readonly type: 'admitted'; readonly updateId: string; readonly message: Message }
  | { readonly type: 'acceptedAdmitted'; readonly updateId: string }
  | { readonly type: 'cancelByTemporal' }
  | { readonly type: 'activityScheduled'; readonly activityId: string }
  | { readonly type: 'activityEnded'; readonly scheduled: number; readonly ended: Ended }
  | { readonly type: 'childInitiated'; readonly chainId: string }
  | { readonly type: 'childEnded'; readonly initiated: number; readonly end: ChildEnd }
  | { readonly type: 'timerStarted' }
  | { readonly type: 'timerFired'; readonly scheduled: number }
  | { readonly type: 'taskStarted'; readonly at: number; readonly bytes: number; readonly suggested: boolean }
  | { readonly type: 'taskCompleted' }
  | { readonly type: 'closed'; readonly status: ClosedStatus }
  | { readonly type: 'other' };

export type ClosedStatus = 'completed' | 'failed' | 'canceled' | 'terminated' | 'timedOut' | 'continuedAsNew';

export function idOf({ eventId }: HistoryEvent): number {
  return numberOf(eventId);
}

/** Of the 64-bit numbers of the wire. They turn into numbers by way of text, unless asked. */
export function numberOf(value: HistoryEvent['eventId']): number {
  return typeof value === 'object' && value !== null ? value.toNumber() : Number(value ?? 0);
}

/** At once for what is usual: a promise for each event would take longer than folding them. */
export function meaningOf(event: HistoryEvent, converter: LoadedDataConverter): Meaning | Promise<Meaning> {
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) return completion(completed, converter);
  return plainMeaning(event) ?? decodedMeaning(event, converter);
}

/** Commands and accepted updates follow the completion of their task at once, before anything that came meanwhile. */
export function isOfBatch(event: HistoryEvent, completed: number): boolean {
  if (event.workflowExecutionUpdateAcceptedEventAttributes) return true;
  if (event.workflowExecutionUpdateCompletedEventAttributes) return true;
  return Object.values(event).some(
    (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'workflowTaskCompletedEventId' in value &&
      numberOf(value.workflowTaskCompletedEventId as HistoryEvent['eventId']) === completed,
  );
}

function plainMeaning(event: HistoryEvent): Meaning | null {
  const task = event.workflowTaskStartedEventAttributes;
  if (task) {
    const suggested = task.suggestContinueAsNew === true;
    return { type: 'taskStarted', at: milliseconds(event), bytes: numberOf(task.historySizeBytes), suggested };
  }
  if (event.workflowTaskScheduledEventAttributes || event.activityTaskStartedEventAttributes) return other;
  if (event.workflowTaskCompletedEventAttributes) return { type: 'taskCompleted' };
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) return { type: 'activityScheduled', activityId: scheduled.activityId ?? '' };
  const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (initiated) return { type: 'childInitiated', chainId: initiated.workflowId ?? '' };
  if (event.childWorkflowExecutionStartedEventAttributes) return other;
  if (event.timerStartedEventAttributes) return { type: 'timerStarted' };
  const fired = event.timerFiredEventAttributes;
  return fired ? { type: 'timerFired', scheduled: numberOf(fired.startedEventId) } : null;
}

async function decodedMeaning(event: HistoryEvent, converter: LoadedDataConverter): Promise<Meaning> {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    const chainId = started.workflowId ?? '';
    const said = await firstValue<unknown>(converter, started.input?.payloads, chainId);
    const { continuedExecutionRunId: continuedFrom, cronSchedule, attempt } = started;
    const input = runInputOf(said, { continuedFrom, cronSchedule, attempt });
    return { type: 'started', input, chainId, runId: started.originalExecutionRunId ?? '' };
  }
  return (
    (await activityEnd(event, converter)) ??
    (await childEnd(event, converter)) ??
    (await message(event, converter)) ??
    closing(event) ??
    other
  );
}

const other: Meaning = { type: 'other' };

/** What came back is read at once where the converter can, as `firstValue` says. */
function completion(completed: Completed, converter: LoadedDataConverter): Meaning | Promise<Meaning> {
  const scheduled = numberOf(completed.scheduledEventId);
  const ended = (value: unknown): Meaning => ({ type: 'activityEnded', scheduled, ended: { ok: true, value } });
  const value = firstValue<unknown>(converter, completed.result?.payloads);
  return value instanceof Promise ? value.then(ended) : ended(value);
}

type Completed = NonNullable<HistoryEvent['activityTaskCompletedEventAttributes']>;

async function activityEnd(event: HistoryEvent, converter: LoadedDataConverter): Promise<Meaning | null> {
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) {
    const failure = failureOf(await decodeOptionalFailureToOptionalError(lenient(converter), failed.failure));
    return { type: 'activityEnded', scheduled: numberOf(failed.scheduledEventId), ended: { ok: false, failure } };
  }
  const stopped = event.activityTaskCanceledEventAttributes;
  if (!stopped) return null;
  return {
    type: 'activityEnded',
    scheduled: numberOf(stopped.scheduledEventId),
    ended: { ok: false, failure: cancelled },
  };
}

/** As the SDK throws it in the workflow. */
async function childEnd(event: HistoryEvent, converter: LoadedDataConverter): Promise<Meaning | null> {
  const completed = event.childWorkflowExecutionCompletedEventAttributes;
  if (completed) {
    const end = endOfResult(await firstValue<unknown>(converter, completed.result?.payloads));
    return { type: 'childEnded', initiated: numberOf(completed.initiatedEventId), end };
  }
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) {
    const end = endOfFailure(await decodeOptionalFailureToOptionalError(lenient(converter), failed.failure));
    return { type: 'childEnded', initiated: numberOf(failed.initiatedEventId), end };
  }
  const silent = silentEnd(event);
  if (silent !== null) return silent;
  const refused = event.startChildWorkflowExecutionFailedEventAttributes;
  if (!refused) return null;
  const end = startFailure(refused.cause);
  return { type: 'childEnded', initiated: numberOf(refused.initiatedEventId), end };
}

function silentEnd(event: HistoryEvent): Meaning | null {
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  if (cancelled) return endedBy(cancelled, new CancelledFailure(''));
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (terminated) return endedBy(terminated, new TerminatedFailure(''));
  const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
  return timedOut ? endedBy(timedOut, new TimeoutFailure('', undefined, 'START_TO_CLOSE')) : null;
}

function endedBy({ initiatedEventId }: Pick<ChildEvent, 'initiatedEventId'>, error: Error): Meaning {
  return { type: 'childEnded', initiated: numberOf(initiatedEventId), end: endOfFailure(error) };
}

type ChildEvent = NonNullable<HistoryEvent['childWorkflowExecutionCanceledEventAttributes']>;

async function message(event: HistoryEvent, converter: LoadedDataConverter): Promise<Meaning | null> {
  if (event.workflowExecutionCancelRequestedEventAttributes) return { type: 'cancelByTemporal' };
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) {
    const message = await read(converter, signal.signalName, signal.input?.payloads, null);
    return message && { type: 'said', kind: 'signal', message };
  }
  const admitted = event.workflowExecutionUpdateAdmittedEventAttributes?.request;
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  const update = admitted ?? accepted?.acceptedRequest;
  if (accepted && !update?.input) return { type: 'acceptedAdmitted', updateId: accepted.protocolInstanceId ?? '' };
  const updateId = update?.meta?.updateId ?? accepted?.protocolInstanceId ?? '';
  const message = await read(converter, update?.input?.name, update?.input?.args?.payloads, updateId);
  if (message === null) return null;
  return admitted ? { type: 'admitted', updateId, message } : { type: 'said', kind: 'update', message };
}

/** Null for what is none of Longhand's messages. */
async function read(
  converter: LoadedDataConverter,
  name: string | null | undefined,
  payloads: Parameters<typeof firstValue>[1],
  updateId: string | null,
): Promise<Message | null> {
  if (!name || readMessage(name, {}, updateId) === null) return null;
  return readMessage(name, await firstValue<unknown>(converter, payloads), updateId);
}

function closing(event: HistoryEvent): Meaning | null {
  if (event.workflowExecutionCompletedEventAttributes) return { type: 'closed', status: 'completed' };
  if (event.workflowExecutionFailedEventAttributes) return { type: 'closed', status: 'failed' };
  if (event.workflowExecutionCanceledEventAttributes) return { type: 'closed', status: 'canceled' };
  if (event.workflowExecutionTerminatedEventAttributes) return { type: 'closed', status: 'terminated' };
  if (event.workflowExecutionTimedOutEventAttributes) return { type: 'closed', status: 'timedOut' };
  if (event.workflowExecutionContinuedAsNewEventAttributes) return { type: 'closed', status: 'continuedAsNew' };
  return null;
}

/** The workflow counts in whole milliseconds, and so does the reader. */
export function milliseconds(event: HistoryEvent): number {
  const seconds = numberOf(event.eventTime?.seconds);
  return seconds * 1_000 + Math.floor((event.eventTime?.nanos ?? 0) / 1_000_000);
}

/** The run that a run went on in, if these events hold its end and say so. */
export function continuedIn(events: readonly HistoryEvent[]): string | null {
  return events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId || null;
}

/** When a run closed, if these events hold its end; milliseconds since 1970. */
export function closeTime(events: readonly HistoryEvent[]): number | null {
  const last = events.findLast((event) => closing(event) !== null);
  return last === undefined ? null : milliseconds(last);
}
