/**
 * L1: history events to chain, by the turns that the workflow itself took.
 *
 * 1. A turn is one completed workflow task: what had come when the task began, and the updates that were
 *    accepted in it. Those stand after the task's completion, in the same batch of events; batches are
 *    never split between pages.
 * 2. A task that failed or timed out delivered nothing: its facts go to the next one that completes.
 * 3. A turn happens only where there are facts, as in the workflow.
 */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LoadedDataConverter } from '@temporalio/common';
import { factOfActivity } from '../contract/facts.js';
import type { CancelRequest } from '../contract/messages.js';
import { canonicalOrder, type Delivered } from '../contract/order.js';
import type { Chain } from '../core/chain.js';
import { type Entry, emptyRecord, record } from '../core/entry.js';
import type { TimerName } from '../core/fact.js';
import type { TakenTurn } from '../core/refold.js';
import { emptyState, type History } from '../core/state.js';
import { takeTurn } from '../core/turn.js';
import { type ClosedStatus, type HistoryEvent, idOf, type Meaning, meaningOf } from './event.js';

export interface Fold {
  readonly chain: Chain;
  /** The last event that was folded. */
  readonly eventId: number;
  /** The completion of the last task that was folded. */
  readonly completed: number;
  readonly closed: ClosedStatus | null;
  readonly pending: Pending;
}

/** What has been read and not yet been delivered to the chain. */
interface Pending {
  readonly arrived: readonly Delivered[];
  /** The updates that the task under way has accepted. */
  readonly accepted: readonly Delivered[];
  /** What was said in updates that a reset handed on, by their ids, until they are accepted. */
  readonly admitted: ReadonlyMap<string, CancelRequest>;
  readonly task: Task | null;
  readonly activities: ReadonlyMap<number, string>;
  readonly timers: ReadonlyMap<number, TimerName>;
}

interface Task extends History {
  readonly at: number;
  /** How many of the arrived the task has been given. */
  readonly facts: number;
  /** The event of its completion, and the timers that its batch starts; null until then. */
  readonly completed: { readonly eventId: number; readonly timers: readonly number[] } | null;
}

export const emptyFold: Fold = {
  chain: { ...emptyRecord, state: emptyState },
  eventId: 0,
  completed: 0,
  closed: null,
  pending: { arrived: [], accepted: [], admitted: new Map(), task: null, activities: new Map(), timers: new Map() },
};

/**
 * Folds whole batches of events, oldest first. Events that were folded before are passed over.
 *
 * @param until stop after the task that completed at this event
 */
export async function foldEvents(
  fold: Fold,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  until = Number.POSITIVE_INFINITY,
): Promise<{ readonly fold: Fold; readonly turns: readonly TakenTurn[] }> {
  const turns: TakenTurn[] = [];
  let next = fold;
  let since = 0;
  for (const event of events) {
    if (idOf(event) <= next.eventId) continue;
    since += 1;
    if (since % breath === 0) await setImmediate();
    const completed = next.pending.task?.completed;
    if (completed && !isOfItsBatch(event, completed.eventId)) {
      next = endTask(next, turns);
      if (completed.eventId >= until) return { fold: recorded(next, turns), turns };
    }
    const meaning = meaningOf(event, converter);
    next = { ...take(next, event, meaning instanceof Promise ? await meaning : meaning), eventId: idOf(event) };
  }
  next = endTask(next, turns);
  return { fold: recorded(next, turns), turns };
}

/** Events after which others have their turn: the next page comes in meanwhile, and a server's other readers. */
const breath = 16;

/** Turns keep the state at every moment; the steps are added all at once. */
function recorded(fold: Fold, turns: readonly TakenTurn[]): Fold {
  const entries = turns.flatMap((turn) => turn.entries);
  return { ...fold, chain: record(fold.chain, fold.chain.state, entries) };
}

/**
 * What has come since the last completed task, as it will most likely be taken: for readers who would rather know it at
 * once. Not final: the task that takes it may fail, or be given more.
 */
export function provisional({ chain, eventId, pending }: Fold, now: number): readonly Entry[] {
  const facts = canonicalOrder([...pending.arrived, ...pending.accepted], now);
  if (facts.length === 0) return [];
  return takeTurn(chain.state, { ...chain.state.history, events: eventId }, facts, sha256).entries;
}

/** Commands and accepted updates follow the completion of their task at once, before anything that came meanwhile. */
function isOfItsBatch(event: HistoryEvent, completed: number): boolean {
  if (event.workflowExecutionUpdateAcceptedEventAttributes) return true;
  if (event.workflowExecutionUpdateCompletedEventAttributes) return true;
  return Object.values(event).some(
    (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'workflowTaskCompletedEventId' in value &&
      Number(value.workflowTaskCompletedEventId) === completed,
  );
}

/** The turn of a completed task; without facts there is none. */
function endTask(fold: Fold, turns: TakenTurn[]): Fold {
  const { task, arrived, accepted } = fold.pending;
  if (!task?.completed) return fold;
  const facts = canonicalOrder([...arrived.slice(0, task.facts), ...accepted], task.at);
  const rest = { arrived: arrived.slice(task.facts), accepted: [], task: null };
  const completed = task.completed.eventId;
  if (facts.length === 0) return withPending({ ...fold, completed }, rest);
  const { events, bytes } = task;
  const turn = takeTurn(fold.chain.state, { events, bytes }, facts, sha256);
  turns.push({ eventId: completed, history: { events, bytes }, facts, ...turn });
  const chain = { ...fold.chain, state: turn.state };
  const asked = turn.actions.flatMap((action) => (action.type === 'startTimer' ? [action.timer] : []));
  const started = task.completed.timers.map((id, index): [number, TimerName] => [id, asked[index] ?? 'retry']);
  return withPending({ ...fold, chain, completed }, { ...rest, timers: new Map([...fold.pending.timers, ...started]) });
}

function take(fold: Fold, event: HistoryEvent, meaning: Meaning): Fold {
  const { pending } = fold;
  const id = idOf(event);
  switch (meaning.type) {
    case 'started': {
      const { chainId, input } = meaning;
      return arrive(fold, { kind: 'start', order: id, fact: (at) => ({ type: 'started', at, chainId, input }) });
    }
    case 'cancel': {
      const { kind, request } = meaning;
      const delivered: Delivered = { kind, order: id, fact: (at) => ({ ...request, type: 'cancelRequested', at }) };
      return kind === 'signal'
        ? arrive(fold, delivered)
        : withPending(fold, { accepted: [...pending.accepted, delivered] });
    }
    case 'admitted':
      return withPending(fold, { admitted: new Map([...pending.admitted, [meaning.updateId, meaning.request]]) });
    case 'acceptedAdmitted': {
      const request = pending.admitted.get(meaning.updateId);
      return request === undefined ? fold : take(fold, event, { type: 'cancel', kind: 'update', request });
    }
    case 'cancelByTemporal':
      return arrive(fold, {
        kind: 'cancel',
        order: id,
        fact: (at) => ({ type: 'cancelRequested', at, id: null, by: null, reason: null }),
      });
    case 'activityScheduled':
      return withPending(fold, { activities: new Map([...pending.activities, [id, meaning.activityId]]) });
    case 'activityEnded':
      return activityEnded(fold, meaning);
    case 'timerStarted':
      return timerStarted(fold, id);
    case 'timerFired':
      return timerFired(fold, meaning.scheduled);
    case 'taskStarted': {
      const task = { events: id, bytes: meaning.bytes, at: meaning.at, facts: pending.arrived.length, completed: null };
      return withPending(fold, { task });
    }
    case 'taskCompleted': {
      const task = pending.task && { ...pending.task, completed: { eventId: id, timers: [] } };
      return withPending(fold, { task });
    }
    case 'closed':
      return { ...fold, closed: meaning.status };
    case 'other':
      return fold;
  }
}

/** Node's own: a reader folds whole histories at once. */
function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function withPending(fold: Fold, change: Partial<Pending>): Fold {
  return { ...fold, pending: { ...fold.pending, ...change } };
}

function arrive(fold: Fold, delivered: Delivered): Fold {
  return withPending(fold, { arrived: [...fold.pending.arrived, delivered] });
}

function activityEnded(fold: Fold, meaning: Extract<Meaning, { type: 'activityEnded' }>): Fold {
  const id = fold.pending.activities.get(meaning.scheduled);
  if (id === undefined) return fold;
  const activities = without(fold.pending.activities, meaning.scheduled);
  return arrive(withPending(fold, { activities }), {
    kind: 'result',
    order: meaning.scheduled,
    fact: (at) => factOfActivity(id, at, meaning.ended),
  });
}

/** Which timer it is, the turn will say: they are started in the order in which it asks for them. */
function timerStarted(fold: Fold, id: number): Fold {
  const { task } = fold.pending;
  if (!task?.completed) return fold;
  const completed = { ...task.completed, timers: [...task.completed.timers, id] };
  return withPending(fold, { task: { ...task, completed } });
}

function timerFired(fold: Fold, scheduled: number): Fold {
  const timer = fold.pending.timers.get(scheduled);
  if (timer === undefined) return fold;
  return arrive(withPending(fold, { timers: without(fold.pending.timers, scheduled) }), {
    kind: 'result',
    order: scheduled,
    fact: (at) => ({ type: 'timerFired', at, timer }),
  });
}

function without<T>(map: ReadonlyMap<number, T>, key: number): ReadonlyMap<number, T> {
  return new Map([...map].filter(([id]) => id !== key));
}
