/** A chain read from its history: as far as it has come, or on and on as it goes. */

import type { Chain } from '../core/chain.js';
import type { Entry } from '../core/entry.js';
import { canonical } from '../core/json.js';
import type { Attempts } from '../core/reasoning.js';
import type { TakenTurn } from '../core/refold.js';
import { ActivityLog } from '../history/attempts.js';
import type { ClosedStatus } from '../history/event.js';
import { closeTime } from '../history/event.js';
import { emptyFold, type Fold, foldEvents, foldTurns, provisional } from '../history/fold.js';
import { readForward } from '../history/read.js';
import { historyAsItGrows } from './long-poll.js';
import type { ChainSource } from './source.js';

export interface ReadChain {
  readonly chain: Chain;
  readonly closed: ClosedStatus | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
  /** The last event that was read. */
  readonly eventId: number;
  /** While a chain is followed it is one map for all that is read of it, and holds by now what came later. */
  readonly attempts: ReadonlyMap<string, Attempts>;
}

/** Where an item stands: the run, the completion of the workflow task that it came of, and its place among that task's. */
export interface Position {
  readonly runId: string;
  readonly eventId: number;
  readonly item: number;
}

/** One thing that a reader is told. */
export interface Followed {
  readonly position: Position;
  /** True until the workflow task that takes it has completed: it will be told again, as it then is. */
  readonly provisional: boolean;
  readonly entry: Entry;
}

export interface FollowChainOptions {
  /** Only what stands after this. */
  readonly from?: Omit<Position, 'item'> & { readonly item?: number };
  /** Whether to be told of what no workflow task has taken yet. */
  readonly provisional?: boolean;
  /** Ends the following, also while it waits; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export async function readChain({ service, namespace, converter, chainId, runId }: ChainSource): Promise<ReadChain> {
  let fold = emptyFold;
  let closedAt: number | null = null;
  const log = new ActivityLog();
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) {
    fold = await foldEvents(fold, page, converter);
    log.read(page);
    closedAt = closeTime(page) ?? closedAt;
  }
  return readOf(fold, closedAt, log);
}

/** A piece of a chain's history, or a look at what happens beside it. */
export type PageOr<L> =
  | { readonly kind: 'page'; readonly page: FollowedPage }
  | { readonly kind: 'look'; readonly look: L };

/** A look, and behind which event of the chain it was taken. */
export interface LookedAt<L> {
  readonly position: Position;
  readonly look: L;
}

export async function* pagesOf(
  source: ChainSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<PageOr<never>, void> {
  for await (const page of followPages(source, signal)) yield { kind: 'page', page };
}

/** @param events of the history, by long polls: no extra events in it, and an end when the chain ends */
export async function* followChain<L>(
  source: ChainSource,
  options: FollowChainOptions,
  events: AsyncIterable<PageOr<L>>,
): AsyncGenerator<Followed | LookedAt<L>, ReadChain> {
  const { runId } = source;
  const after = options.from?.runId === runId ? options.from : { eventId: 0 };
  const ahead = new Ahead();
  let read: ReadChain = readOf(emptyFold, null, new ActivityLog());
  for await (const event of events) {
    if (event.kind === 'look') {
      yield { position: { runId, eventId: read.eventId, item: 0 }, look: event.look };
      continue;
    }
    const { page } = event;
    for (const { eventId, entries } of page.turns) {
      ahead.forget();
      for (const [item, entry] of entries.entries()) {
        if (!isAfter({ eventId, item }, after)) continue;
        yield { position: { runId, eventId, item }, provisional: false, entry };
      }
    }
    read = page.read;
    if (!options.provisional || read.closed !== null) continue;
    for (const entry of ahead.news(provisional(page.fold, Date.now()))) {
      yield { position: { runId, eventId: page.fold.eventId, item: 0 }, provisional: true, entry };
    }
  }
  return read;
}

/** The turns that a piece of the history completed, and what was read up to its end. */
export interface FollowedPage {
  readonly turns: readonly TakenTurn[];
  readonly read: ReadChain;
  readonly fold: Fold;
}

/** Each piece of the history as it comes, until the chain has ended. */
export async function* followPages(
  source: ChainSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<FollowedPage, void> {
  const log = new ActivityLog();
  let fold: Fold = emptyFold;
  for await (const events of historyAsItGrows(source, signal)) {
    const folded = await foldTurns(fold, events, source.converter);
    fold = folded.fold;
    log.read(events);
    yield { turns: folded.turns, read: readOf(fold, closeTime(events), log), fold };
    if (fold.closed !== null) return;
  }
}

/** What was told ahead of its time, so that it is told so once. */
class Ahead {
  private readonly told = new Set<string>();

  forget(): void {
    this.told.clear();
  }

  news(entries: readonly Entry[]): readonly Entry[] {
    return entries.filter((entry) => {
      const key = keyOf(entry);
      const known = this.told.has(key);
      this.told.add(key);
      return !known;
    });
  }
}

/** Their times are guesses that change from look to look. */
function keyOf(entry: Entry): string {
  if (entry.type === 'step') return `step ${entry.step.number}`;
  if (entry.type === 'observation') return `observation ${entry.settled.call}`;
  if (entry.type === 'notice') return canonical(['notice', entry.notice.kind, entry.notice.text]);
  return entry.type;
}

/** Without an item, after all of the same turn. */
export function isAfter(one: Omit<Position, 'runId'>, { eventId, item }: { eventId: number; item?: number }): boolean {
  return one.eventId > eventId || (one.eventId === eventId && one.item > (item ?? Number.POSITIVE_INFINITY));
}

function readOf({ chain, closed, eventId }: Fold, closedAt: number | null, { attempts }: ActivityLog): ReadChain {
  return { chain, closed, closedAt, eventId, attempts };
}
