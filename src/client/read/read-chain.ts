/** A chain read from its history: as far as it has come, or on and on as it goes. */

import type { RunPiece } from '../../contract/archived-runs.js';
import { foldChain } from '../../core/engine/fold-turns.js';
import { toCanonicalJson } from '../../core/lib/json.js';
import type { Chain } from '../../core/model/chain.js';
import type { ChainEntry } from '../../core/state/entry.js';
import { computeSha256, emptyFold, previewEntries } from '../../history/fold.js';
import { readForward } from '../../history/read-history.js';
import { type ChainPage, type ReadChain, readArchivedPages, readChainPages, toReadChain } from './chain-pages.js';
import type { ChainSource } from './chain-source.js';
import { followHistory } from './long-poll.js';

/** Where an item stands: the run, the completion of the workflow task that it came of, and its place among that task's. */
export interface EventPosition {
  readonly runId: string;
  readonly eventId: number;
  readonly item: number;
}

/** One thing that a reader is told. */
export interface FollowedEntry {
  readonly position: EventPosition;
  /** True until the workflow task that takes it has completed: it will be told again, as it then is. */
  readonly provisional: boolean;
  readonly entry: ChainEntry;
}

export interface FollowChainOptions {
  /** Only what stands after this. */
  readonly from?: Omit<EventPosition, 'item'> & { readonly item?: number };
  /** Whether to be told of what no workflow task has taken yet. */
  readonly provisional?: boolean;
  /** Ends the following, also while it waits; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export async function readChain(source: ChainSource): Promise<ReadChain> {
  let read = createEmptyRead(source);
  for await (const page of readPages(source)) read = page.read;
  return read;
}

/** Nobody is told of the turns. */
function readPages(source: ChainSource): AsyncGenerator<ChainPage, void> {
  const { service, namespace, chainId, archivedChain } = source;
  if (archivedChain !== null)
    return readArchivedPages(archivedChain, (piece, before) => ({ chain: applyArchivedRun(piece, before), turns: [] }));
  return readChainPages(source, (runId) => readForward({ service, namespace }, { workflowId: chainId, runId }));
}

/** By the head that was archived with it. Whether that is the head of these facts, `longhand chain verify` says. */
function applyArchivedRun({ turns, head }: RunPiece, before: Chain): Chain {
  const chain = foldChain(turns, before, { onlyOrigins: computeSha256 });
  return head === null ? chain : { ...chain, state: { ...chain.state, head } };
}

function createEmptyRead({ runId }: ChainSource): ReadChain {
  return toReadChain(emptyFold, { runId, closedAt: null, attempts: new Map() });
}

/** A piece of a chain's history, or a look at what happens beside it. */
export type PageOrUpdate<L> =
  | { readonly kind: 'page'; readonly page: ChainPage }
  | { readonly kind: 'look'; readonly update: L };

/** A look, and behind which event of the chain it was taken. */
export interface PositionedUpdate<L> {
  readonly position: EventPosition;
  readonly update: L;
}

export async function* followPageEvents(
  source: ChainSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<PageOrUpdate<never>, void> {
  for await (const page of followPages(source, signal)) yield { kind: 'page', page };
}

/** @param events of the history, by long polls: no extra events in it, and an end when the chain ends */
export async function* followChain<L>(
  source: ChainSource,
  options: FollowChainOptions,
  events: AsyncIterable<PageOrUpdate<L>>,
): AsyncGenerator<FollowedEntry | PositionedUpdate<L>, ReadChain> {
  const after = new PositionFilter(options.from);
  const ahead = new ProvisionalEntries();
  let read = createEmptyRead(source);
  for await (const event of events) {
    if (event.kind === 'look') {
      yield { position: { runId: read.runId, eventId: read.eventId, item: 0 }, update: event.update };
      continue;
    }
    const { page } = event;
    const { runId } = page.read;
    after.enterRun(runId);
    for (const { eventId, entries } of page.turns) {
      ahead.clear();
      for (const [item, entry] of entries.entries()) {
        const position = { runId, eventId, item };
        if (after.includes(position)) yield { position, provisional: false, entry };
      }
    }
    read = page.read;
    if (!options.provisional || read.closed !== null) continue;
    for (const entry of ahead.filterNew(previewEntries(page.fold, Date.now()))) {
      yield { position: { runId, eventId: page.fold.eventId, item: 0 }, provisional: true, entry };
    }
  }
  return read;
}

/** Each piece of the history as it comes, until the chain has ended. */
export function followPages(source: ChainSource, signal: AbortSignal | undefined): AsyncGenerator<ChainPage, void> {
  return readChainPages(source, (runId) => followHistory({ ...source, runId }, signal));
}

/** What was told ahead of its time, so that it is told so once. */
class ProvisionalEntries {
  private readonly reported = new Set<string>();

  clear(): void {
    this.reported.clear();
  }

  filterNew(entries: readonly ChainEntry[]): readonly ChainEntry[] {
    return entries.filter((entry) => {
      const key = toEntryKey(entry);
      const known = this.reported.has(key);
      this.reported.add(key);
      return !known;
    });
  }
}

/** Their times are guesses that change from look to look. */
function toEntryKey(entry: ChainEntry): string {
  if (entry.type === 'step-added') return `step ${entry.step.number}`;
  if (entry.type === 'call-completed') return `observation ${entry.result.call}`;
  if (entry.type === 'notice-added') return toCanonicalJson(['notice-added', entry.notice.code, entry.notice.text]);
  return entry.type;
}

/** What stands behind a position: nothing of the runs before its own, and, without an item, nothing of the same turn. */
export class PositionFilter {
  private reached: boolean;

  constructor(private readonly from: FollowChainOptions['from']) {
    this.reached = from === undefined;
  }

  /** Each run, before what is told of it. */
  enterRun(runId: string): void {
    this.reached ||= this.from?.runId === runId;
  }

  includes({ runId, eventId, item }: EventPosition): boolean {
    const { from } = this;
    if (from?.runId !== runId) return this.reached;
    return eventId > from.eventId || (eventId === from.eventId && item > (from.item ?? Number.POSITIVE_INFINITY));
  }
}
