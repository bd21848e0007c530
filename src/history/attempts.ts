/** What became of each activity, attempt by attempt: for people who look into a chain. No fact, and in no digest. */

import type { Attempts } from '../core/reasoning.js';
import { type HistoryEvent, idOf, milliseconds, numberOf } from './event.js';

/** Reads events as they come, oldest first. Those that it knows already it passes over. */
export class ActivityLog {
  private readonly byActivity = new Map<string, Attempts>();
  private readonly activities = new Map<number, string>();
  private last = 0;

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

  private take(event: HistoryEvent): void {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      this.activities.set(idOf(event), scheduled.activityId ?? '');
      this.byActivity.set(scheduled.activityId ?? '', { ...waiting, scheduledEventId: idOf(event) });
      return;
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started) {
      this.change(numberOf(started.scheduledEventId), {
        made: started.attempt ?? 1,
        startedAt: milliseconds(event),
        worker: started.identity ?? null,
        lastFailure: started.lastFailure?.message ?? null,
      });
      return;
    }
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const ended = failed ?? event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes;
    if (!ended) return;
    const failure = failed?.failure?.message;
    this.change(numberOf(ended.scheduledEventId), {
      endedAt: milliseconds(event),
      endedEventId: idOf(event),
      ...(failure ? { lastFailure: failure } : {}),
    });
    this.activities.delete(numberOf(ended.scheduledEventId));
  }

  private change(scheduledEventId: number, change: Partial<Attempts>): void {
    const id = this.activities.get(scheduledEventId);
    if (id === undefined) return;
    this.byActivity.set(id, { ...waiting, ...this.byActivity.get(id), scheduledEventId, ...change });
  }
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
