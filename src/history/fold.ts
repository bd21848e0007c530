/**
 * L1: history events to chain, by the turns that the workflow itself took.
 *
 * 1. A turn is one completed workflow task: what had come when the task began, and the updates that were
 *    accepted in it. Those stand after the task's completion, in the same batch of events; batches are
 *    never split between pages.
 * 2. A turn happens only where there are facts, as in the workflow.
 * 3. A fold is a value. Only while a piece of a history is folded does it change in place.
 * 4. A later run is folded onto the chain as the runs before left it, and is held to what it says it goes on from. Alone,
 *    it gives the state, and the steps since it began.
 */

import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LoadedDataConverter } from '@temporalio/common';
import { toCanonicalFacts } from '../contract/facts.js';
import { type RunStartState, toRunStartState } from '../contract/run-input.js';
import type { FoldedTurn } from '../core/engine/fold-turns.js';
import { takeTurn } from '../core/engine/turn.js';
import type { Chain } from '../core/model/chain.js';
import { type ChainState, emptyState } from '../core/model/state.js';
import { type ChainEntry, emptyRecord, recordEntries } from '../core/state/entry.js';
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
  /** The last event that was folded. */
  readonly eventId: number;
  /** The completion of the last task that was folded. */
  readonly completedEventId: number;
  readonly closed: ClosedStatus | null;
  readonly pending: PendingDeliveries;
}

/** What a run's events are folded onto. */
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
 * Folds whole batches of events, oldest first. Events that were folded before are passed over.
 *
 * @param until stop after the task that completed at this event
 */
export async function foldEvents(
  begun: Fold,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  until = Number.POSITIVE_INFINITY,
): Promise<Fold> {
  return foldInto(new FoldBuilder(begun, () => {}), events, converter, until);
}

/** The turns too, each with the state that it led to: for who needs them, since a long chain's are many. */
export async function foldEventsToTurns(
  begun: Fold,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<{ readonly fold: Fold; readonly turns: readonly FoldedTurn[] }> {
  const turns: FoldedTurn[] = [];
  const folding = new FoldBuilder(begun, (turn) => turns.push(turn));
  return { fold: await foldInto(folding, events, converter, Number.POSITIVE_INFINITY), turns };
}

async function foldInto(
  folding: FoldBuilder,
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  until: number,
): Promise<Fold> {
  let since = 0;
  for (const event of events) {
    const id = getEventId(event);
    if (id <= folding.eventId) continue;
    since += 1;
    if (since % yieldInterval === 0) await setImmediate();
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

/** Events after which others have their turn: the next page comes in meanwhile, and a server's other readers. */
const yieldInterval = 24;

class FoldBuilder {
  readonly inbox: HistoryInbox;
  eventId: number;
  private completed: number;
  private closed: ClosedStatus | null;
  private state: ChainState;
  private readonly entries: ChainEntry[] = [];

  constructor(
    private readonly begun: Fold,
    private readonly onTurn: (turn: FoldedTurn) => void,
  ) {
    this.inbox = new HistoryInbox(begun.pending);
    this.eventId = begun.eventId;
    this.completed = begun.completedEventId;
    this.closed = begun.closed;
    this.state = begun.chain.state;
  }

  take(eventId: number, meaning: EventMeaning): void {
    this.eventId = eventId;
    this.inbox.add(eventId, meaning);
    if (meaning.type === 'closed') this.closed = meaning.status;
    if (meaning.type === 'started')
      this.state = resolveStartState(this.state, toRunStartState(meaning.input, meaning.chainId));
  }

  /** The turn of a completed task; without facts there is none. */
  endTask(): void {
    const delivery = this.inbox.deliver();
    if (delivery === null) return;
    const { eventId, history, facts } = delivery;
    this.completed = eventId;
    if (facts.length === 0) return;
    const turn = takeTurn(this.state, history, facts, computeSha256);
    this.state = turn.state;
    this.entries.push(...turn.entries);
    this.onTurn({ eventId, history, facts, ...turn });
    const asked = turn.actions.flatMap((action) => (action.type === 'startTimer' ? [action.timer] : []));
    this.inbox.nameTimers(delivery, asked);
  }

  /** The state is that of the last turn; the steps are added all at once. */
  result(): Fold {
    const { eventId, completed, closed } = this;
    const chain = recordEntries(this.begun.chain, this.state, this.entries);
    return { chain, eventId, completedEventId: completed, closed, pending: this.inbox.pending };
  }
}

/**
 * What has come since the last completed task, as it will most likely be taken: for readers who would rather know it at
 * once. Not final: the task that takes it may fail, or be given more.
 */
export function previewEntries({ chain, eventId, pending }: Fold, now: number): readonly ChainEntry[] {
  const facts = toCanonicalFacts([...pending.arrived, ...pending.accepted], now);
  if (facts.length === 0) return [];
  return takeTurn(chain.state, { ...chain.state.history, events: eventId }, facts, computeSha256).entries;
}

/** Invariant 4. */
function resolveStartState(before: ChainState, { state, previousRunId }: RunStartState): ChainState {
  if (previousRunId === null || before.facts === 0) return state;
  if (before.head === state.head && before.facts === state.facts) return before;
  throw new Error(
    `Run ${previousRunId} ended with ${before.facts} facts and head ${before.head.slice(0, 12)}, and the run behind it goes on from ${state.facts} with head ${state.head.slice(0, 12)}.`,
  );
}

/** Node's own: a reader folds whole histories at once. */
export function computeSha256(text: string): string {
  return hash('sha256', text, 'hex');
}
