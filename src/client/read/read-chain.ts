/** A chain read from its history: as far as it has come, or on and on as it goes. */

import type { RunPiece } from '../../contract/archived-runs.js';
import { chainAfter } from '../../core/engine/refold.js';
import { canonical } from '../../core/lib/json.js';
import type { Chain } from '../../core/model/chain.js';
import type { Entry } from '../../core/state/entry.js';
import { emptyFold, provisional, sha256 } from '../../history/fold.js';
import { readForward } from '../../history/read.js';
import { type ChainPage, chainPages, keptPages, type ReadChain, readOf } from './chain-pages.js';
import { historyAsItGrows } from './long-poll.js';
import type { ChainSource } from './source.js';

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

export async function readChain(source: ChainSource): Promise<ReadChain> {
  let read = nothingRead(source);
  for await (const page of readingPages(source)) read = page.read;
  return read;
}

/** Nobody is told of the turns. */
function readingPages(source: ChainSource): AsyncGenerator<ChainPage, void> {
  const { service, namespace, chainId, kept } = source;
  if (kept !== null) return keptPages(kept, (piece, before) => ({ chain: chainWith(piece, before), turns: [] }));
  return chainPages(source, (runId) => readForward({ service, namespace }, { workflowId: chainId, runId }));
}

/** By the head that was archived with it. Whether that is the head of these facts, `longhand chain verify` says. */
function chainWith({ turns, head }: RunPiece, before: Chain): Chain {
  const chain = chainAfter(turns, before, { onlyOrigins: sha256 });
  return head === null ? chain : { ...chain, state: { ...chain.state, head } };
}

function nothingRead({ runId }: ChainSource): ReadChain {
  return readOf(emptyFold, { runId, closedAt: null, attempts: new Map() });
}

/** A piece of a chain's history, or a look at what happens beside it. */
export type PageOr<L> =
  | { readonly kind: 'page'; readonly page: ChainPage }
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
  const after = new Behind(options.from);
  const ahead = new Ahead();
  let read = nothingRead(source);
  for await (const event of events) {
    if (event.kind === 'look') {
      yield { position: { runId: read.runId, eventId: read.eventId, item: 0 }, look: event.look };
      continue;
    }
    const { page } = event;
    const { runId } = page.read;
    after.enter(runId);
    for (const { eventId, entries } of page.turns) {
      ahead.forget();
      for (const [item, entry] of entries.entries()) {
        const position = { runId, eventId, item };
        if (after.has(position)) yield { position, provisional: false, entry };
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

/** Each piece of the history as it comes, until the chain has ended. */
export function followPages(source: ChainSource, signal: AbortSignal | undefined): AsyncGenerator<ChainPage, void> {
  return chainPages(source, (runId) => historyAsItGrows({ ...source, runId }, signal));
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

/** What stands behind a position: nothing of the runs before its own, and, without an item, nothing of the same turn. */
export class Behind {
  private reached: boolean;

  constructor(private readonly from: FollowChainOptions['from']) {
    this.reached = from === undefined;
  }

  /** Each run, before what is told of it. */
  enter(runId: string): void {
    this.reached ||= this.from?.runId === runId;
  }

  has({ runId, eventId, item }: Position): boolean {
    const { from } = this;
    if (from?.runId !== runId) return this.reached;
    return eventId > from.eventId || (eventId === from.eventId && item > (from.item ?? Number.POSITIVE_INFINITY));
  }
}
