/** What became of each activity and each sub-chain, attempt by attempt: for people who look into a chain. No fact, and in no digest. */

import type { Attempts } from '../core/model/activity.js';
import { type HistoryEvent, idOf, milliseconds, numberOf } from './event.js';

export interface Scheduled {
  /** The activity's own: a call's `3.1`, or `model-4`; a sub-chain's is its chain id. */
  readonly id: string;
  readonly eventId: number;
  /** How often an earlier activity of this id was begun. */
  readonly madeBefore: number;
}

/** Reads events as they come, oldest first. Those that it knows already it passes over. */
export class ActivityLog {
  private readonly underWay = new Map<number, Scheduled>();
  private readonly all: Scheduled[] = [];
  private last = 0;

  /** @param byActivity what is known of earlier runs; it is added to */
  constructor(private readonly byActivity = new Map<string, Attempts>()) {}

  read(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      if (idOf(event) <= this.last) continue;
      this.last = idOf(event);
      this.take(event);
    }
  }

  /** By the activities' ids: a call's `3.1`, or `model-4`. */
  get attempts(): ReadonlyMap<string, Attempts> {
    return this.byActivity;
  }

  /** Every activity in the order in which they were scheduled. A call that a person has run again is there twice. */
  get scheduled(): readonly Scheduled[] {
    return this.all;
  }

  private take(event: HistoryEvent): void {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (scheduled || initiated) {
      const id = scheduled?.activityId ?? initiated?.workflowId ?? '';
      const madeBefore = this.byActivity.get(id)?.made ?? 0;
      const activity: Scheduled = { id, eventId: idOf(event), madeBefore };
      this.all.push(activity);
      this.underWay.set(activity.eventId, activity);
      this.byActivity.set(id, { ...waiting, made: madeBefore, scheduledEventId: activity.eventId });
      return;
    }
    const begun = event.childWorkflowExecutionStartedEventAttributes;
    if (begun) {
      this.change(numberOf(begun.initiatedEventId), { made: 1, startedAt: milliseconds(event) });
      return;
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started) {
      const scheduledEventId = numberOf(started.scheduledEventId);
      this.change(scheduledEventId, {
        made: (this.underWay.get(scheduledEventId)?.madeBefore ?? 0) + (started.attempt ?? 1),
        startedAt: milliseconds(event),
        worker: started.identity ?? null,
        lastFailure: started.lastFailure?.message ?? null,
      });
      return;
    }
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const ended = failed ?? event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes;
    const child = childEndIn(event);
    if (child) {
      this.change(numberOf(child.initiatedEventId), { endedAt: milliseconds(event), endedEventId: idOf(event) });
      this.underWay.delete(numberOf(child.initiatedEventId));
    }
    if (!ended) return;
    const failure = failed?.failure?.message;
    this.change(numberOf(ended.scheduledEventId), {
      endedAt: milliseconds(event),
      endedEventId: idOf(event),
      ...(failure ? { lastFailure: failure } : {}),
    });
    this.underWay.delete(numberOf(ended.scheduledEventId));
  }

  private change(scheduledEventId: number, change: Partial<Attempts>): void {
    const id = this.underWay.get(scheduledEventId)?.id;
    if (id === undefined) return;
    this.byActivity.set(id, { ...waiting, ...this.byActivity.get(id), scheduledEventId, ...change });
  }
}

function childEndIn(event: HistoryEvent): { readonly initiatedEventId?: HistoryEvent['eventId'] } | null | undefined {
  return (
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes
  );
}

const waiting: Attempts = {
  made: 0,
  startedAt: null,
  endedAt: null,
  worker: null,
  lastFailure: null,
  scheduledEventId: 0,
  endedEventId: null,
};
