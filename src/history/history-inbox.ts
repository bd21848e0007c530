/**
 * What has been read of a history and not yet been delivered to the chain, and which of it the next turn is given.
 *
 * 1. A task is given what had come when it began. It delivers it when it completes, with the updates that were accepted
 *    in it; those stand after its completion.
 * 2. A task that failed or timed out delivered nothing: what it was given goes to the next one that completes.
 */

import { toChildEndedFact } from '../contract/child-end.js';
import { type DeliveredFact, toActivityFact, toCanonicalFacts } from '../contract/facts.js';
import { type ChainMessage, toMessageFact } from '../contract/messages.js';
import { archiveActivityId } from '../contract/names.js';
import { toRunStartState } from '../contract/run-input.js';
import type { Fact, TimerName } from '../core/model/fact.js';
import type { HistorySize } from '../core/model/state.js';
import type { EventMeaning } from './event.js';

/** As it is kept between two pieces of a history. */
export interface PendingDeliveries {
  readonly arrived: readonly DeliveredFact[];
  /** The updates that the task under way has accepted. */
  readonly accepted: readonly DeliveredFact[];
  /** What was said in updates that a reset handed on, by their ids, until they are accepted. */
  readonly admittedUpdates: ReadonlyMap<string, ChainMessage>;
  readonly task: WorkflowTask | null;
  readonly activities: ReadonlyMap<number, string>;
  /** Ids of the sub-chains that run, by the events that began them. */
  readonly children: ReadonlyMap<number, string>;
  readonly timers: ReadonlyMap<number, TimerName>;
}

interface WorkflowTask {
  readonly history: HistorySize;
  readonly startedAt: number;
  /** How many of the arrived the task has been given. */
  readonly factCount: number;
  /** The event of its completion, and the timers that its batch starts; null until then. */
  readonly completed: { readonly eventId: number; readonly timers: readonly number[] } | null;
}

export const noPendingDeliveries: PendingDeliveries = {
  arrived: [],
  accepted: [],
  admittedUpdates: new Map(),
  task: null,
  activities: new Map(),
  children: new Map(),
  timers: new Map(),
};

/** What a completed task gave to the chain. */
export interface TaskDelivery {
  /** Of the task's completion. */
  readonly eventId: number;
  readonly history: HistorySize;
  readonly facts: readonly Fact[];
  /** The events of the timers that it started. */
  readonly timers: readonly number[];
}

/** Changes in place, while a piece of a history is read: a copy for each event would cost more than the chain does. */
export class HistoryInbox {
  private readonly arrived: DeliveredFact[];
  private accepted: DeliveredFact[];
  private readonly admitted: Map<string, ChainMessage>;
  private task: WorkflowTask | null;
  private readonly activities: Map<number, string>;
  private readonly children: Map<number, string>;
  private readonly timers: Map<number, TimerName>;

  constructor({ arrived, accepted, admittedUpdates, task, activities, children, timers }: PendingDeliveries) {
    this.arrived = [...arrived];
    this.accepted = [...accepted];
    this.admitted = new Map(admittedUpdates);
    this.task = task;
    this.activities = new Map(activities);
    this.children = new Map(children);
    this.timers = new Map(timers);
  }

  get pending(): PendingDeliveries {
    const { arrived, accepted, admitted, task, activities, children, timers } = this;
    return {
      arrived: [...arrived],
      accepted: [...accepted],
      admittedUpdates: new Map(admitted),
      task,
      activities: new Map(activities),
      children: new Map(children),
      timers: new Map(timers),
    };
  }

  /** The completion of a task that has not delivered yet, or null. */
  get completed(): number | null {
    return this.task?.completed?.eventId ?? null;
  }

  add(id: number, meaning: EventMeaning): void {
    switch (meaning.type) {
      case 'started': {
        const { chainId, input } = meaning;
        this.arrived.push({ kind: 'start', order: id, toFact: toRunStartState(input, chainId).toFact });
        break;
      }
      case 'messageReceived': {
        const { kind, message } = meaning;
        const box = kind === 'signal' ? this.arrived : this.accepted;
        box.push({ kind, order: id, toFact: (at) => toMessageFact(message, at) });
        break;
      }
      case 'updateAdmitted':
        this.admitted.set(meaning.updateId, meaning.message);
        break;
      case 'admittedUpdateAccepted': {
        const message = this.admitted.get(meaning.updateId);
        this.admitted.delete(meaning.updateId);
        if (message !== undefined) this.add(id, { type: 'messageReceived', kind: 'update', message });
        break;
      }
      case 'cancelRequested': {
        const nobody = { id: null, by: null, reason: null, summarize: false };
        this.arrived.push({ kind: 'cancel', order: id, toFact: (at) => ({ type: 'cancelRequested', at, ...nobody }) });
        break;
      }
      case 'activityScheduled':
        if (meaning.activityId !== archiveActivityId) this.activities.set(id, meaning.activityId);
        break;
      case 'activityEnded':
        this.activityEnded(meaning);
        break;
      case 'childInitiated':
        this.children.set(id, meaning.chainId);
        break;
      case 'childEnded':
        this.childEnded(meaning);
        break;
      case 'timerStarted':
        this.timerStarted(id);
        break;
      case 'timerFired':
        this.timerFired(meaning.scheduledEventId);
        break;
      case 'taskStarted': {
        const { startedAt: at, bytes, continueSuggested } = meaning;
        const history = { events: id, bytes, continueSuggested };
        this.task = { history, startedAt: at, factCount: this.arrived.length, completed: null };
        break;
      }
      case 'taskCompleted':
        if (this.task !== null) this.task = { ...this.task, completed: { eventId: id, timers: [] } };
        break;
      case 'closed':
      case 'other':
        break;
    }
  }

  /** What the completed task delivers, once. Null while none has completed. */
  deliver(): TaskDelivery | null {
    const { task, accepted } = this;
    if (!task?.completed) return null;
    const { startedAt, history, completed } = task;
    const facts = toCanonicalFacts([...this.arrived.splice(0, task.factCount), ...accepted], startedAt);
    this.accepted = [];
    this.task = null;
    return { ...completed, history, facts };
  }

  /** Which timers they are, the turn says: they are started in the order in which it asks for them. */
  nameTimers({ timers }: TaskDelivery, asked: readonly TimerName[]): void {
    for (const [index, id] of timers.entries()) this.timers.set(id, asked[index] ?? 'retry');
  }

  private activityEnded({ scheduledEventId, ended }: Extract<EventMeaning, { type: 'activityEnded' }>): void {
    const id = this.activities.get(scheduledEventId);
    if (id === undefined) return;
    this.activities.delete(scheduledEventId);
    this.arrived.push({ kind: 'result', order: scheduledEventId, toFact: (at) => toActivityFact(id, at, ended) });
  }

  private childEnded({ initiatedEventId, end }: Extract<EventMeaning, { type: 'childEnded' }>): void {
    const chainId = this.children.get(initiatedEventId);
    if (chainId === undefined) return;
    this.children.delete(initiatedEventId);
    this.arrived.push({ kind: 'result', order: initiatedEventId, toFact: (at) => toChildEndedFact(chainId, at, end) });
  }

  private timerStarted(id: number): void {
    const completed = this.task?.completed;
    if (!this.task || !completed) return;
    this.task = { ...this.task, completed: { ...completed, timers: [...completed.timers, id] } };
  }

  private timerFired(scheduled: number): void {
    const timer = this.timers.get(scheduled);
    if (timer === undefined) return;
    this.timers.delete(scheduled);
    this.arrived.push({ kind: 'result', order: scheduled, toFact: (at) => ({ type: 'timerFired', at, timer }) });
  }
}
