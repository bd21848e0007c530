/** Interprets one event of a history: its meaning for a chain. */

import type { LoadedDataConverter } from '@temporalio/common';
import { CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import {
  type ActivityResult,
  type ChainMessage,
  type ChildClose,
  cancelledFailure,
  parseMessage,
  parseRunInput,
  type RunInput,
  toChildCloseFromStartFailure,
  toFailure,
} from '../contract/index.js';
import { isObject, LonghandError } from '../core/lib/index.js';
import { decodeFirstValue, toLenientConverter } from './payload.js';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The meaning of an event for a chain. `id`s are event ids; times are milliseconds. */
export type EventMeaning =
  | { readonly type: 'started'; readonly input: RunInput; readonly chainId: string; readonly runId: string }
  | { readonly type: 'messageReceived'; readonly kind: 'signal' | 'update'; readonly message: ChainMessage }
  /** A reset passes an update to the new run; its acceptance there does not repeat the content. */
  | { readonly type: 'updateAdmitted'; readonly updateId: string; readonly message: ChainMessage }
  | { readonly type: 'admittedUpdateAccepted'; readonly updateId: string }
  | { readonly type: 'cancelRequested' }
  | { readonly type: 'activityScheduled'; readonly activityId: string }
  | { readonly type: 'activityEnded'; readonly scheduledEventId: number; readonly ended: ActivityResult }
  | {
      readonly type: 'localCallEnded';
      /** The SDK's number of the call, in the order of scheduling. */
      readonly sequence: number;
      readonly endedAt: number;
      readonly ended: ActivityResult;
    }
  | { readonly type: 'childInitiated'; readonly chainId: string }
  | { readonly type: 'childEnded'; readonly initiatedEventId: number; readonly close: ChildClose }
  | { readonly type: 'timerStarted' }
  | { readonly type: 'timerFired'; readonly scheduledEventId: number }
  | {
      readonly type: 'taskStarted';
      readonly startedAt: number;
      readonly bytes: number;
      readonly continueSuggested: boolean;
    }
  | { readonly type: 'taskCompleted' }
  | { readonly type: 'closed'; readonly status: ClosedStatus }
  | { readonly type: 'other' };

export type ClosedStatus = 'completed' | 'failed' | 'canceled' | 'terminated' | 'timedOut' | 'continuedAsNew';

export function getEventId({ eventId }: HistoryEvent): number {
  return toNumber(eventId);
}

/** Converts a 64-bit number of the wire; `Number` would convert it through text. */
export function toNumber(value: HistoryEvent['eventId']): number {
  return typeof value === 'object' && value !== null ? value.toNumber() : Number(value ?? 0);
}

/** Interprets an event, synchronously where possible: a promise for each event would take longer than folding them. */
export function interpretEvent(
  event: HistoryEvent,
  converter: LoadedDataConverter,
): EventMeaning | Promise<EventMeaning> {
  // Half of a history has no meaning but its type.
  switch (event.eventType) {
    case workflowTaskScheduled:
    case activityTaskStarted:
      return otherMeaning;
    case workflowTaskCompleted:
      return completedMeaning;
  }
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) return interpretCompletion(completed, converter);
  return interpretPlainEvent(event) ?? interpretEncodedEvent(event, converter);
}

/** Whether an event is in the batch of a task's completion: its commands and accepted updates follow it directly. */
export function isInBatch(event: HistoryEvent, completed: number): boolean {
  if (event.workflowExecutionUpdateAcceptedEventAttributes) return true;
  if (event.workflowExecutionUpdateCompletedEventAttributes) return true;
  return Object.values(event).some(
    (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'workflowTaskCompletedEventId' in value &&
      toNumber(value.workflowTaskCompletedEventId as HistoryEvent['eventId']) === completed,
  );
}

function interpretPlainEvent(event: HistoryEvent): EventMeaning | null {
  const task = event.workflowTaskStartedEventAttributes;
  if (task) {
    const suggested = task.suggestContinueAsNew === true;
    return {
      type: 'taskStarted',
      startedAt: getEventTimeMs(event),
      bytes: toNumber(task.historySizeBytes),
      continueSuggested: suggested,
    };
  }
  if (event.workflowTaskScheduledEventAttributes || event.activityTaskStartedEventAttributes) return otherMeaning;
  if (event.workflowTaskCompletedEventAttributes) return completedMeaning;
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) return { type: 'activityScheduled', activityId: scheduled.activityId ?? '' };
  const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (initiated) return { type: 'childInitiated', chainId: initiated.workflowId ?? '' };
  if (event.childWorkflowExecutionStartedEventAttributes) return otherMeaning;
  if (event.timerStartedEventAttributes) return { type: 'timerStarted' };
  const fired = event.timerFiredEventAttributes;
  return fired ? { type: 'timerFired', scheduledEventId: toNumber(fired.startedEventId) } : null;
}

async function interpretEncodedEvent(event: HistoryEvent, converter: LoadedDataConverter): Promise<EventMeaning> {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    const chainId = started.workflowId ?? '';
    const argument = await decodeFirstValue<unknown>(converter, started.input?.payloads, chainId);
    const { continuedExecutionRunId: continuedFrom, cronSchedule, attempt } = started;
    const input = parseRunInput(argument, { continuedFrom, cronSchedule, attempt });
    return { type: 'started', input, chainId, runId: started.originalExecutionRunId ?? '' };
  }
  return (
    (await interpretLocalCallEnd(event, converter)) ??
    (await interpretActivityEnd(event, converter)) ??
    (await interpretChildEnd(event, converter)) ??
    (await interpretMessage(event, converter)) ??
    interpretClose(event) ??
    otherMeaning
  );
}

const otherMeaning: EventMeaning = { type: 'other' };
const completedMeaning: EventMeaning = { type: 'taskCompleted' };

/** `EventType` of the API, whose enum would be loaded with all of its types. */
const workflowTaskScheduled = 5;
const workflowTaskCompleted = 7;
const activityTaskStarted = 11;

/** Synchronous where the converter is, as `decodeFirstValue`. */
function interpretCompletion(
  completed: ActivityCompletion,
  converter: LoadedDataConverter,
): EventMeaning | Promise<EventMeaning> {
  const scheduled = toNumber(completed.scheduledEventId);
  const ended = (value: unknown): EventMeaning => ({
    type: 'activityEnded',
    scheduledEventId: scheduled,
    ended: { ok: true, value },
  });
  const value = decodeFirstValue<unknown>(converter, completed.result?.payloads);
  return value instanceof Promise ? value.then(ended) : ended(value);
}

type ActivityCompletion = NonNullable<HistoryEvent['activityTaskCompletedEventAttributes']>;

/** The SDK's marker of a local activity. */
async function interpretLocalCallEnd(
  event: HistoryEvent,
  converter: LoadedDataConverter,
): Promise<EventMeaning | null> {
  const { markerName, details, failure } = event.markerRecordedEventAttributes ?? {};
  if (markerName !== localActivityMarker) return null;
  const { seq, complete_time: time } = await parseLocalActivityData(event, converter);
  const end = { type: 'localCallEnded', sequence: seq, endedAt: time ? toMilliseconds(time) : 0 } as const;
  if (failure) {
    const error = await decodeOptionalFailureToOptionalError(toLenientConverter(converter), failure);
    return { ...end, ended: { ok: false, failure: toFailure(error) } };
  }
  const value = await decodeFirstValue<unknown>(converter, details?.result?.payloads);
  return { ...end, ended: { ok: true, value } };
}

const localActivityMarker = 'core_local_activity';

/** `LocalActivityMarkerData` of the SDK's core. */
interface LocalActivityData {
  readonly seq: number;
  readonly complete_time: { readonly seconds: number; readonly nanos: number } | null;
}

/** A payload codec of a worker does not change it; a proxy that encrypts all payloads does. */
async function parseLocalActivityData(event: HistoryEvent, converter: LoadedDataConverter): Promise<LocalActivityData> {
  const payloads = event.markerRecordedEventAttributes?.details?.data?.payloads;
  try {
    return JSON.parse(Buffer.from(payloads?.[0]?.data ?? []).toString()) as LocalActivityData;
  } catch {
    const data = await decodeFirstValue<unknown>(converter, payloads);
    if (isObject(data) && typeof data.seq === 'number') return data as unknown as LocalActivityData;
    throw new LonghandError(
      'internal',
      `Event ${getEventId(event)} has a local call whose marker cannot be read. If a proxy encrypts payloads, set its codec in the data converter of this reader.`,
    );
  }
}

async function interpretActivityEnd(event: HistoryEvent, converter: LoadedDataConverter): Promise<EventMeaning | null> {
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) {
    const failure = toFailure(
      await decodeOptionalFailureToOptionalError(toLenientConverter(converter), failed.failure),
    );
    return {
      type: 'activityEnded',
      scheduledEventId: toNumber(failed.scheduledEventId),
      ended: { ok: false, failure },
    };
  }
  const stopped = event.activityTaskCanceledEventAttributes;
  if (!stopped) return null;
  return {
    type: 'activityEnded',
    scheduledEventId: toNumber(stopped.scheduledEventId),
    ended: { ok: false, failure: cancelledFailure },
  };
}

/** Results in the same end as the error that the SDK throws in the workflow. */
async function interpretChildEnd(event: HistoryEvent, converter: LoadedDataConverter): Promise<EventMeaning | null> {
  const completed = event.childWorkflowExecutionCompletedEventAttributes;
  if (completed) {
    const value = await decodeFirstValue<unknown>(converter, completed.result?.payloads);
    const initiatedEventId = toNumber(completed.initiatedEventId);
    return { type: 'childEnded', initiatedEventId, close: { kind: 'returned', value } };
  }
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) {
    const error = await decodeOptionalFailureToOptionalError(toLenientConverter(converter), failed.failure);
    return {
      type: 'childEnded',
      initiatedEventId: toNumber(failed.initiatedEventId),
      close: { kind: 'failed', error },
    };
  }
  const silent = interpretSilentEnd(event);
  if (silent !== null) return silent;
  const rejected = event.startChildWorkflowExecutionFailedEventAttributes;
  if (!rejected) return null;
  const close = toChildCloseFromStartFailure(rejected.cause);
  return { type: 'childEnded', initiatedEventId: toNumber(rejected.initiatedEventId), close };
}

function interpretSilentEnd(event: HistoryEvent): EventMeaning | null {
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  if (cancelled) return toSilentMeaning(cancelled, new CancelledFailure(''));
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (terminated) return toSilentMeaning(terminated, new TerminatedFailure(''));
  const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
  return timedOut ? toSilentMeaning(timedOut, new TimeoutFailure('', undefined, 'START_TO_CLOSE')) : null;
}

function toSilentMeaning({ initiatedEventId }: Pick<ChildEvent, 'initiatedEventId'>, error: Error): EventMeaning {
  return { type: 'childEnded', initiatedEventId: toNumber(initiatedEventId), close: { kind: 'failed', error } };
}

type ChildEvent = NonNullable<HistoryEvent['childWorkflowExecutionCanceledEventAttributes']>;

async function interpretMessage(event: HistoryEvent, converter: LoadedDataConverter): Promise<EventMeaning | null> {
  if (event.workflowExecutionCancelRequestedEventAttributes) return { type: 'cancelRequested' };
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) {
    const message = await decodeMessage(converter, signal.signalName, signal.input?.payloads, null);
    return message && { type: 'messageReceived', kind: 'signal', message };
  }
  const admitted = event.workflowExecutionUpdateAdmittedEventAttributes?.request;
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  const update = admitted ?? accepted?.acceptedRequest;
  if (accepted && !update?.input)
    return { type: 'admittedUpdateAccepted', updateId: accepted.protocolInstanceId ?? '' };
  const updateId = update?.meta?.updateId ?? accepted?.protocolInstanceId ?? '';
  const message = await decodeMessage(converter, update?.input?.name, update?.input?.args?.payloads, updateId);
  if (message === null) return null;
  return admitted
    ? { type: 'updateAdmitted', updateId, message }
    : { type: 'messageReceived', kind: 'update', message };
}

/** Returns null for messages that are not Longhand's. */
async function decodeMessage(
  converter: LoadedDataConverter,
  name: string | null | undefined,
  payloads: Parameters<typeof decodeFirstValue>[1],
  updateId: string | null,
): Promise<ChainMessage | null> {
  if (!name || parseMessage(name, {}, updateId) === null) return null;
  return parseMessage(name, await decodeFirstValue<unknown>(converter, payloads), updateId);
}

function interpretClose(event: HistoryEvent): EventMeaning | null {
  if (event.workflowExecutionCompletedEventAttributes) return { type: 'closed', status: 'completed' };
  if (event.workflowExecutionFailedEventAttributes) return { type: 'closed', status: 'failed' };
  if (event.workflowExecutionCanceledEventAttributes) return { type: 'closed', status: 'canceled' };
  if (event.workflowExecutionTerminatedEventAttributes) return { type: 'closed', status: 'terminated' };
  if (event.workflowExecutionTimedOutEventAttributes) return { type: 'closed', status: 'timedOut' };
  if (event.workflowExecutionContinuedAsNewEventAttributes) return { type: 'closed', status: 'continuedAsNew' };
  return null;
}

/** Returns whole milliseconds, as the workflow counts them. */
export function getEventTimeMs({ eventTime }: HistoryEvent): number {
  return toMilliseconds({ seconds: toNumber(eventTime?.seconds), nanos: eventTime?.nanos ?? 0 });
}

function toMilliseconds({ seconds, nanos }: { readonly seconds: number; readonly nanos: number }): number {
  return seconds * 1_000 + Math.floor(nanos / 1_000_000);
}

/** Returns the next run of a run that continued as new, if these events contain its end. */
export function findNextRunId(events: readonly HistoryEvent[]): string | null {
  return events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId || null;
}

/** Returns when a run closed, if these events contain its end; milliseconds since 1970. */
export function findCloseTime(events: readonly HistoryEvent[]): number | null {
  const last = events.findLast((event) => interpretClose(event) !== null);
  return last === undefined ? null : getEventTimeMs(last);
}
