/**
 * What has been read of a history and not yet been delivered to the chain, and which of it the next turn is given.
 *
 * 1. A task is given what had come when it began. It delivers it when it completes, with the updates that were accepted
 *    in it; those stand after its completion.
 * 2. A task that failed or timed out delivered nothing: what it was given goes to the next one that completes.
 */

import { beginningOf } from '../contract/beginning.js';
import { factOfChild } from '../contract/child.js';
import { canonicalOrder, type Delivered, factOfActivity } from '../contract/facts.js';
import { factOf, type Message } from '../contract/messages.js';
import { archiveActivityId } from '../contract/names.js';
import type { Fact, TimerName } from '../core/model/fact.js';
import type { History } from '../core/model/state.js';
import type { Meaning } from './event.js';

/** As it is kept between two pieces of a history. */
export interface Pending {
  readonly arrived: readonly Delivered[];
  /** The updates that the task under way has accepted. */
  readonly accepted: readonly Delivered[];
  /** What was said in updates that a reset handed on, by their ids, until they are accepted. */
  readonly admitted: ReadonlyMap<string, Message>;
  readonly task: Task | null;
  readonly activities: ReadonlyMap<number, string>;
  /** Ids of the sub-chains that run, by the events that began them. */
  readonly children: ReadonlyMap<number, string>;
  readonly timers: ReadonlyMap<number, TimerName>;
}

interface Task {
  readonly history: History;
  readonly at: number;
  /** How many of the arrived the task has been given. */
  readonly facts: number;
  /** The event of its completion, and the timers that its batch starts; null until then. */
  readonly completed: { readonly eventId: number; readonly timers: readonly number[] } | null;
}

export const nothingPending: Pending = {
  arrived: [],
  accepted: [],
  admitted: new Map(),
  task: null,
  activities: new Map(),
  children: new Map(),
  timers: new Map(),
};

/** What a completed task gave to the chain. */
export interface Delivery {
  /** Of the task's completion. */
  readonly eventId: number;
  readonly history: History;
  readonly facts: readonly Fact[];
  /** The events of the timers that it started. */
  readonly timers: readonly number[];
}

/** Changes in place, while a piece of a history is read: a copy for each event would cost more than the chain does. */
export class Inbox {
  private readonly arrived: Delivered[];
  private accepted: Delivered[];
  private readonly admitted: Map<string, Message>;
  private task: Task | null;
  private readonly activities: Map<number, string>;
  private readonly children: Map<number, string>;
  private readonly timers: Map<number, TimerName>;

  constructor({ arrived, accepted, admitted, task, activities, children, timers }: Pending) {
    this.arrived = [...arrived];
    this.accepted = [...accepted];
    this.admitted = new Map(admitted);
    this.task = task;
    this.activities = new Map(activities);
    this.children = new Map(children);
    this.timers = new Map(timers);
  }

  get pending(): Pending {
    const { arrived, accepted, admitted, task, activities, children, timers } = this;
    return {
      arrived: [...arrived],
      accepted: [...accepted],
      admitted: new Map(admitted),
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

  take(id: number, meaning: Meaning): void {
    switch (meaning.type) {
      case 'started': {
        const { chainId, input } = meaning;
        this.arrived.push({ kind: 'start', order: id, fact: beginningOf(input, chainId).fact });
        break;
      }
      case 'said': {
        const { kind, message } = meaning;
        const box = kind === 'signal' ? this.arrived : this.accepted;
        box.push({ kind, order: id, fact: (at) => factOf(message, at) });
        break;
      }
      case 'admitted':
        this.admitted.set(meaning.updateId, meaning.message);
        break;
      case 'acceptedAdmitted': {
        const message = this.admitted.get(meaning.updateId);
        this.admitted.delete(meaning.updateId);
        if (message !== undefined) this.take(id, { type: 'said', kind: 'update', message });
        break;
      }
      case 'cancelByTemporal': {
        const nobody = { id: null, by: null, reason: null, summarize: false };
        this.arrived.push({ kind: 'cancel', order: id, fact: (at) => ({ type: 'cancelRequested', at, ...nobody }) });
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
        this.timerFired(meaning.scheduled);
        break;
      case 'taskStarted': {
        const { at, bytes, suggested } = meaning;
        const history = { events: id, bytes, suggested };
        this.task = { history, at, facts: this.arrived.length, completed: null };
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
  deliver(): Delivery | null {
    const { task, accepted } = this;
    if (!task?.completed) return null;
    const { at, history, completed } = task;
    const facts = canonicalOrder([...this.arrived.splice(0, task.facts), ...accepted], at);
    this.accepted = [];
    this.task = null;
    return { ...completed, history, facts };
  }

  /** Which timers they are, the turn says: they are started in the order in which it asks for them. */
  nameTimers({ timers }: Delivery, asked: readonly TimerName[]): void {
    for (const [index, id] of timers.entries()) this.timers.set(id, asked[index] ?? 'retry');
  }

  private activityEnded({ scheduled, ended }: Extract<Meaning, { type: 'activityEnded' }>): void {
    const id = this.activities.get(scheduled);
    if (id === undefined) return;
    this.activities.delete(scheduled);
    this.arrived.push({ kind: 'result', order: scheduled, fact: (at) => factOfActivity(id, at, ended) });
  }

  private childEnded({ initiated, end }: Extract<Meaning, { type: 'childEnded' }>): void {
    const chainId = this.children.get(initiated);
    if (chainId === undefined) return;
    this.children.delete(initiated);
    this.arrived.push({ kind: 'result', order: initiated, fact: (at) => factOfChild(chainId, at, end) });
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
    this.arrived.push({ kind: 'result', order: scheduled, fact: (at) => ({ type: 'timerFired', at, timer }) });
  }
}
