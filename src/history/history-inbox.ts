/**
 * Collects what was read of a history, and returns what each turn gets.
 *
 * 1. A task gets what had arrived when it began. It delivers at its completion, with the updates accepted in it, which
 *    are after its completion.
 * 2. A turn may defer messages (contract/delivery.ts).
 * 3. A task that failed or timed out delivers nothing: the next task that completes delivers it.
 * 4. While local calls run, no turn is taken (workflows/task-inbox.ts). The task whose completion has the last result delivers all that
 *    has arrived: for its only turn, or for a second one, after the turn that started the calls. Its commands may be in the next task.
 */

import {
  archiveActivityId,
  type ChainMessage,
  type DeliveredFact,
  divideDelivery,
  toActivityFact,
  toChildFact,
  toDeferredCount,
  toFacts,
  toLocalCallFact,
  toMessageFact,
  toRunStartState,
} from '../contract/index.js';
import type { RecordedTurn } from '../core/engine/index.js';
import { defaults, type HistorySize, type TimerName } from '../core/model/index.js';
import type { EventMeaning } from './event.js';

/** The inbox as a value, between two folds. */
export interface PendingDeliveries {
  readonly arrived: readonly DeliveredFact[];
  /** Messages that a turn left to later ones. */
  readonly deferred: readonly DeliveredFact[];
  /** Updates accepted by the task under way. */
  readonly accepted: readonly DeliveredFact[];
  /** Updates that a reset passed on, by id, until they are accepted. */
  readonly admittedUpdates: ReadonlyMap<string, ChainMessage>;
  readonly task: WorkflowTask | null;
  readonly activities: ReadonlyMap<number, string>;
  /** Ids of running sub-chains, by the events that started them. */
  readonly children: ReadonlyMap<number, string>;
  readonly timers: ReadonlyMap<number, TimerName>;
  /** What arrived for the turn after the local calls. */
  readonly withheld: readonly DeliveredFact[];
  /** Ids of the local calls that run, in their order. */
  readonly localCalls: readonly string[];
  readonly localEnds: readonly LocalCallEnd[];
  /** The workflow's time, which never goes back. */
  readonly clock: number;
  /** Timers of the last turn whose events are in the next task: the turn was taken later than its results were recorded. */
  readonly unstartedTimers: readonly TimerName[];
}

type LocalCallEnd = Omit<Extract<EventMeaning, { type: 'localCallEnded' }>, 'type'>;

interface WorkflowTask {
  readonly history: HistorySize;
  readonly startedAt: number;
  /** Number of arrived facts that the task got. */
  readonly factCount: number;
  /** The completion event, and the timers that its batch starts; null until then. */
  readonly completed: { readonly eventId: number; readonly timers: readonly number[] } | null;
}

export const noPendingDeliveries: PendingDeliveries = {
  arrived: [],
  deferred: [],
  accepted: [],
  admittedUpdates: new Map(),
  task: null,
  activities: new Map(),
  children: new Map(),
  timers: new Map(),
  withheld: [],
  localCalls: [],
  localEnds: [],
  clock: 0,
  unstartedTimers: [],
};

const noFacts: readonly DeliveredFact[] = [];

/** A completed workflow task. */
export interface CompletedTask {
  /** Event id of the task's completion. */
  readonly eventId: number;
  /** Size of the history when it began. */
  readonly history: HistorySize;
  /** Events of the timers that it started. */
  readonly timers: readonly number[];
}

/** What a turn gets. */
export type TurnDelivery = Pick<RecordedTurn, 'history' | 'facts'>;

/** Changes in place while events are folded: a copy per event would cost more than the chain. */
export class HistoryInbox {
  private readonly arrived: DeliveredFact[];
  private deferred: readonly DeliveredFact[];
  private accepted: DeliveredFact[];
  private readonly admitted: Map<string, ChainMessage>;
  private task: WorkflowTask | null;
  private readonly activities: Map<number, string>;
  private readonly children: Map<number, string>;
  private readonly timers: Map<number, TimerName>;
  private withheld: readonly DeliveredFact[];
  private localCalls: readonly string[];
  private localEnds: readonly LocalCallEnd[];
  private clock: number;
  private unstartedTimers: readonly TimerName[];

  constructor(pending: PendingDeliveries) {
    this.arrived = [...pending.arrived];
    this.deferred = pending.deferred;
    this.accepted = [...pending.accepted];
    this.admitted = new Map(pending.admittedUpdates);
    this.task = pending.task;
    this.activities = new Map(pending.activities);
    this.children = new Map(pending.children);
    this.timers = new Map(pending.timers);
    this.withheld = pending.withheld;
    this.localCalls = pending.localCalls;
    this.localEnds = pending.localEnds;
    this.clock = pending.clock;
    this.unstartedTimers = pending.unstartedTimers;
  }

  get pending(): PendingDeliveries {
    const { arrived, deferred, accepted, admitted, task, activities, children, timers } = this;
    const { withheld, localCalls, localEnds, clock, unstartedTimers } = this;
    return {
      clock,
      unstartedTimers,
      withheld,
      localCalls,
      localEnds,
      arrived: [...arrived],
      deferred,
      accepted: [...accepted],
      admittedUpdates: new Map(admitted),
      task,
      activities: new Map(activities),
      children: new Map(children),
      timers: new Map(timers),
    };
  }

  /** Event id of a completion that was not delivered yet, or null. */
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
        const sender = { id: null, by: null, reason: null, summarize: false };
        this.arrived.push({ kind: 'cancel', order: id, toFact: (at) => ({ type: 'cancelRequested', at, ...sender }) });
        break;
      }
      case 'activityScheduled':
        if (meaning.activityId !== archiveActivityId) this.activities.set(id, meaning.activityId);
        break;
      case 'activityEnded':
        this.activityEnded(meaning);
        break;
      case 'localCallEnded':
        this.localEnds = [...this.localEnds, meaning];
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

  /** Returns the completed task, once; null without one. What it got belongs to the next turn. */
  endTask(): CompletedTask | null {
    const { task } = this;
    if (!task?.completed) return null;
    const { startedAt, history, completed } = task;
    // One result, in most tasks.
    const arrived = this.arrived.splice(0, task.factCount);
    const isAlone = this.withheld.length === 0 && this.accepted.length === 0;
    this.withheld = isAlone ? arrived : [...this.withheld, ...arrived, ...this.accepted];
    if (!isAlone) this.accepted = [];
    this.task = null;
    this.clock = Math.max(this.clock, startedAt);
    return { ...completed, history };
  }

  /**
   * Returns what the next turn of the task gets; null if it takes none.
   *
   * @param last size of the history in the turn before; null for the first turn
   */
  deliver({ history }: CompletedTask, last: HistorySize | null): TurnDelivery | null {
    const isAfterLocalCalls = this.localCalls.length > 0;
    if (this.localEnds.length < this.localCalls.length || (!isAfterLocalCalls && this.withheld.length === 0))
      return null;
    const { taken, deferred } = divideDelivery(this.deferred, this.withheld.concat(this.takeLocalResults()));
    this.withheld = noFacts;
    this.deferred = deferred;
    const { events, bytes, continueSuggested } = (isAfterLocalCalls ? last : null) ?? history;
    const size = { events, bytes, continueSuggested, ...toDeferredCount(deferred) };
    return { history: size, facts: toFacts(taken, this.clock) };
  }

  /** @param calls ids of the local calls that the turn started */
  beginLocalCalls(calls: readonly string[]): void {
    this.localCalls = calls;
  }

  /** Names the timers that a task started, in the order in which its turns request them. */
  nameTimers({ timers }: CompletedTask, requested: readonly TimerName[]): void {
    if (timers.length === 0 && requested.length === 0) {
      this.unstartedTimers = requested;
      return;
    }
    const names = [...this.unstartedTimers, ...requested];
    for (const [index, id] of timers.entries()) this.timers.set(id, names[index] ?? 'retry');
    this.unstartedTimers = timers.length === 0 ? requested : [];
  }

  /** Names the ends of the running local calls: the SDK numbers them in the order of the calls. */
  private takeLocalResults(): readonly DeliveredFact[] {
    const { localCalls, localEnds } = this;
    if (localCalls.length === 0) return noFacts;
    this.localCalls = [];
    this.localEnds = localEnds.slice(localCalls.length);
    const ends = localEnds.slice(0, localCalls.length).sort((a, b) => a.sequence - b.sequence);
    for (const { endedAt } of ends) this.clock = Math.max(this.clock, endedAt);
    return ends.map(({ ended }, at) => toLocalResult(localCalls[at] ?? '', at, ended));
  }

  private activityEnded({ scheduledEventId, ended }: Extract<EventMeaning, { type: 'activityEnded' }>): void {
    const id = this.activities.get(scheduledEventId);
    if (id === undefined) return;
    this.activities.delete(scheduledEventId);
    this.arrived.push({ kind: 'result', order: scheduledEventId, toFact: (at) => toActivityFact(id, at, ended) });
  }

  private childEnded({ initiatedEventId, close }: Extract<EventMeaning, { type: 'childEnded' }>): void {
    const chainId = this.children.get(initiatedEventId);
    if (chainId === undefined) return;
    this.children.delete(initiatedEventId);
    this.arrived.push({ kind: 'result', order: initiatedEventId, toFact: (at) => toChildFact(chainId, at, close) });
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

/**
 * After all other results: what was scheduled later has no result before the turn of the local calls.
 *
 * @param position of the call among its turn's
 */
function toLocalResult(id: string, position: number, ended: LocalCallEnd['ended']): DeliveredFact {
  const order = Number.MAX_SAFE_INTEGER - defaults.callsPerStep + position;
  return { kind: 'result', order, toFact: (at) => toLocalCallFact(id, at, ended) };
}
