/**
 * Folds history events into a chain, by the turns that the workflow took (L1).
 *
 * 1. A turn is one completed workflow task: what had arrived when the task began, and the updates accepted in it. Those
 *    are after the task's completion, in the same batch of events; batches are never split between pages.
 * 2. A turn needs facts, as in the workflow. A task has a second turn where local calls have ended in it.
 * 3. A fold is a value. It changes in place only while events are folded.
 * 4. A later run is folded onto the chain of the runs before, and must continue from exactly that. Alone, it results in
 *    the state and the steps since its start.
 */

import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LoadedDataConverter } from '@temporalio/common';
import { divideDelivery, type RunStartState, toFacts, toRunStartState } from '../contract/index.js';
import {
  type ChainEntry,
  emptyRecord,
  type FoldedTurn,
  listLocalStarts,
  recordEntries,
  takeTurn,
} from '../core/engine/index.js';
import { LonghandError } from '../core/lib/index.js';
import { type Chain, type ChainState, emptyState, prepareActivityId, type TimerName } from '../core/model/index.js';
import { markOperation } from '../timing/index.js';
import {
  type ClosedStatus,
  type EventMeaning,
  getEventId,
  type HistoryEvent,
  interpretEvent,
  isInBatch,
} from './event.js';
import { HistoryInbox, noPendingDeliveries, type PendingDeliveries } from './history-inbox.js';

export interface Fold {
  readonly chain: Chain;
  /** Id of the last folded event. */
  readonly eventId: number;
  /** Event id of the completion of the last folded task. */
  readonly completedEventId: number;
  readonly closed: ClosedStatus | null;
  readonly pending: PendingDeliveries;
}

/** Returns the fold that a run's events are folded onto. */
export function startFold(chain: Chain): Fold {
  return { ...emptyFold, chain };
}

export const emptyFold: Fold = {
  chain: { ...emptyRecord, state: emptyState },
  eventId: 0,
  completedEventId: 0,
  closed: null,
  pending: noPendingDeliveries,
};

/**
 * Folds whole batches of events, oldest first. Ignores events that were folded before.
 * @param until stop after the task that completed at this event
 */
export async function foldEvents(
  fold: Fold,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  until = Number.POSITIVE_INFINITY,
): Promise<Fold> {
  return foldInto(new FoldBuilder(fold, () => {}), events, converter, until);
}

/** Folds events, and returns each turn with its state. For readers that need turns: a long chain has many. */
export async function foldEventsToTurns(
  fold: Fold,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<{ readonly fold: Fold; readonly turns: readonly FoldedTurn[] }> {
  const turns: FoldedTurn[] = [];
  const folding = new FoldBuilder(fold, (turn) => turns.push(turn));
  return { fold: await foldInto(folding, events, converter, Number.POSITIVE_INFINITY), turns };
}

async function foldInto(
  folding: FoldBuilder,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  until: number,
): Promise<Fold> {
  markOperation('fold');
  let sliceEnd = performance.now() + sliceMs;
  for (const event of events) {
    const id = getEventId(event);
    if (id <= folding.eventId) continue;
    if (performance.now() >= sliceEnd) {
      await setImmediate();
      markOperation('fold');
      sliceEnd = performance.now() + sliceMs;
    }
    const completed = folding.inbox.completed;
    if (completed !== null && !isInBatch(event, completed)) {
      folding.endTask();
      if (completed >= until) return folding.result();
    }
    const meaning = interpretEvent(event, converter);
    folding.take(id, meaning instanceof Promise ? await meaning : meaning);
  }
  folding.endTask();
  return folding.result();
}

/** Yields to the event loop after this time: for the next page and for other readers. */
const sliceMs = 4;

class FoldBuilder {
  readonly inbox: HistoryInbox;
  eventId: number;
  private completed: number;
  private closed: ClosedStatus | null;
  private state: ChainState;
  private readonly entries: ChainEntry[] = [];

  constructor(
    private readonly fold: Fold,
    private readonly onTurn: (turn: FoldedTurn) => void,
  ) {
    this.inbox = new HistoryInbox(fold.pending);
    this.eventId = fold.eventId;
    this.completed = fold.completedEventId;
    this.closed = fold.closed;
    this.state = fold.chain.state;
  }

  take(eventId: number, meaning: EventMeaning): void {
    this.eventId = eventId;
    this.inbox.add(eventId, meaning);
    if (meaning.type === 'closed') this.closed = meaning.status;
    if (meaning.type === 'started') {
      const start = toRunStartState(meaning.input, meaning.chainId);
      this.state = resolveStartState(this.state, start);
      if (start.preparation !== null) this.inbox.beginLocalCalls([prepareActivityId]);
    }
  }

  /** Takes the turns of a completed task: one, or none without facts, or another one where local calls have ended in it. */
  endTask(): void {
    const task = this.inbox.endTask();
    if (task === null) return;
    this.completed = task.eventId;
    const timers: TimerName[] = [];
    const deliver = () => this.inbox.deliver(task, this.state.facts === 0 ? null : this.state.history);
    for (let next = deliver(); next !== null; next = deliver()) {
      const turn = takeTurn(this.state, next.history, next.facts, computeSha256);
      this.state = turn.state;
      this.entries.push(...turn.entries);
      this.onTurn({ eventId: task.eventId, ...next, ...turn });
      for (const action of turn.actions) {
        if (action.type === 'startTimer') timers.push(action.timer);
        const local = listLocalStarts(action);
        if (local.length > 0) this.inbox.beginLocalCalls(local);
      }
    }
    this.inbox.nameTimers(task, timers);
  }

  /** Returns the fold: the state of the last turn, with all steps added at once. */
  result(): Fold {
    const { eventId, completed, closed } = this;
    const chain = recordEntries(this.fold.chain, this.state, this.entries);
    return { chain, eventId, completedEventId: completed, closed, pending: this.inbox.pending };
  }
}

/**
 * Returns the entries of facts since the last completed task, for readers that want them early. Not final: the task may
 * fail or deliver more.
 */
export function previewEntries({ chain, eventId, pending }: Fold, now: number): readonly ChainEntry[] {
  const { withheld, arrived, accepted } = pending;
  const facts = toFacts(divideDelivery(pending.deferred, [...withheld, ...arrived, ...accepted]).taken, now);
  if (facts.length === 0) return [];
  return takeTurn(chain.state, { ...chain.state.history, events: eventId }, facts, computeSha256).entries;
}

/** Implements rule 4. */
function resolveStartState(before: ChainState, { state, previousRunId }: RunStartState): ChainState {
  if (previousRunId === null || before.facts === 0) return state;
  if (before.head === state.head && before.facts === state.facts) return before;
  throw new LonghandError(
    'archive_mismatch',
    `Run ${previousRunId} ended with ${before.facts} facts and head ${before.head.slice(0, 12)}, but the next run continues from ${state.facts} facts and head ${state.head.slice(0, 12)}.`,
  );
}

/** Node's own SHA-256, for readers that fold whole histories. */
export function computeSha256(text: string): string {
  return hash('sha256', text, 'hex');
}
