/** Attempts of each activity and sub-chain, for people who inspect a chain. Not facts, and in no digest. */

import type { LoadedDataConverter } from '@temporalio/common';
import { isRequeueFailure } from '../contract/index.js';
import { type ActivityAttempts, type AttemptFailure, toCallId } from '../core/model/index.js';
import { readAttemptFailure } from './attempt-failure.js';
import { getEventId, getEventTimeMs, type HistoryEvent, toNumber } from './event.js';

export interface ScheduledActivity {
  /** Activity id: a call's `3.1`, or `model-4`; for a sub-chain its chain id. */
  readonly id: string;
  readonly eventId: number;
  /** Number of attempts of earlier activities with this id. */
  readonly earlierAttempts: number;
}

/** Collects attempts from events, oldest first. Ignores known events. */
export class ActivityLog {
  private readonly underWay = new Map<number, ScheduledActivity>();
  private readonly all: ScheduledActivity[] = [];
  private last = 0;

  /** @param byActivity attempts of earlier runs; extended in place */
  constructor(
    private readonly converter: LoadedDataConverter,
    private readonly byActivity = new Map<string, ActivityAttempts>(),
  ) {}

  async addEvents(events: readonly HistoryEvent[]): Promise<void> {
    for (const event of events) {
      if (getEventId(event) <= this.last) continue;
      this.last = getEventId(event);
      const failure = findFailure(event);
      this.applyEvent(event, failure ? await readAttemptFailure(failure, this.converter) : null);
    }
  }

  /** Attempts by activity id: a call's `3.1`, or `model-4`. */
  get attempts(): ReadonlyMap<string, ActivityAttempts> {
    return this.byActivity;
  }

  /** Every activity in order of scheduling. A call that a person had retried is listed twice. */
  get scheduled(): readonly ScheduledActivity[] {
    return this.all;
  }

  /** @param lastFailure of the event */
  private applyEvent(event: HistoryEvent, lastFailure: AttemptFailure | null): void {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (scheduled || initiated) {
      const id = toCallId(scheduled?.activityId ?? initiated?.workflowId ?? '');
      const madeBefore = this.byActivity.get(id)?.made ?? 0;
      const activity: ScheduledActivity = { id, eventId: getEventId(event), earlierAttempts: madeBefore };
      this.all.push(activity);
      this.underWay.set(activity.eventId, activity);
      this.byActivity.set(id, { ...initialAttempts, made: madeBefore, scheduledEventId: activity.eventId });
      return;
    }
    const childStart = event.childWorkflowExecutionStartedEventAttributes;
    if (childStart) {
      this.change(toNumber(childStart.initiatedEventId), { made: 1, startedAt: getEventTimeMs(event) });
      return;
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started) {
      const scheduledEventId = toNumber(started.scheduledEventId);
      this.change(scheduledEventId, {
        made: (this.underWay.get(scheduledEventId)?.earlierAttempts ?? 0) + (started.attempt ?? 1),
        startedAt: getEventTimeMs(event),
        worker: started.identity ?? null,
        lastFailure,
      });
      return;
    }
    const ended =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    const child = findChildEnd(event);
    if (child) {
      this.change(toNumber(child.initiatedEventId), {
        endedAt: getEventTimeMs(event),
        endedEventId: getEventId(event),
      });
      this.underWay.delete(toNumber(child.initiatedEventId));
    }
    if (!ended) return;
    const scheduledEventId = toNumber(ended.scheduledEventId);
    this.change(scheduledEventId, {
      endedAt: getEventTimeMs(event),
      endedEventId: getEventId(event),
      ...(isRequeued(event) ? this.uncountAttempt(scheduledEventId) : lastFailure === null ? {} : { lastFailure }),
    });
    this.underWay.delete(toNumber(ended.scheduledEventId));
  }

  /** An operation that went back to the task queue is not an attempt. */
  private uncountAttempt(scheduledEventId: number): Pick<ActivityAttempts, 'made'> {
    const { made = 1 } = this.byActivity.get(this.underWay.get(scheduledEventId)?.id ?? '') ?? {};
    return { made: made - 1 };
  }

  private change(scheduledEventId: number, change: Partial<ActivityAttempts>): void {
    const id = this.underWay.get(scheduledEventId)?.id;
    if (id === undefined) return;
    this.byActivity.set(id, { ...initialAttempts, ...this.byActivity.get(id), scheduledEventId, ...change });
  }
}

function findFailure(event: HistoryEvent) {
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  return failed?.failure ?? event.activityTaskStartedEventAttributes?.lastFailure;
}

function isRequeued({ activityTaskFailedEventAttributes: failed }: HistoryEvent): boolean {
  return isRequeueFailure(failed?.failure?.applicationFailureInfo?.type ?? '');
}

function findChildEnd(event: HistoryEvent): { readonly initiatedEventId?: HistoryEvent['eventId'] } | null | undefined {
  return (
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes
  );
}

const initialAttempts: ActivityAttempts = {
  made: 0,
  startedAt: null,
  endedAt: null,
  worker: null,
  lastFailure: null,
  scheduledEventId: 0,
  endedEventId: null,
};
