/** Reads a chain from its history: up to now, or following it to its end. */

import type { RunPiece } from '../../contract/index.js';
import { type ChainEntry, foldChain } from '../../core/engine/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import type { ActivityAttempts, Chain, ChainState } from '../../core/model/index.js';
import { ItemNumbers } from '../../core/record/index.js';
import {
  computeSha256,
  emptyFold,
  findCloseTime,
  findNextRunId,
  foldEvents,
  previewEntries,
  readAhead,
  readForward,
} from '../../history/index.js';
import { type ChainPage, type ReadChain, readArchivedPages, readChainPages, toReadChain } from './chain-pages.js';
import type { ChainSource } from './chain-source.js';
import { followHistory } from './long-poll.js';

/** Position of an event: the chain, the run, the completion of its workflow task, and the place among that task's items. */
export interface EventPosition {
  readonly chainId: string;
  readonly runId: string;
  readonly eventId: number;
  readonly item: number;
}

/** One entry for a reader. */
export interface FollowedEntry {
  readonly position: EventPosition;
  /** True until a workflow task has applied the fact: the entry is then emitted again, in its final form. */
  readonly provisional: boolean;
  readonly entry: ChainEntry;
  /** Attempts so far, by activity. */
  readonly attempts: ReadonlyMap<string, ActivityAttempts>;
}

/** A chain that was followed to its end. */
export interface FollowedChain {
  readonly read: ReadChain;
  /** Event id of the position of its end. */
  readonly endEventId: number;
}

export interface FollowChainOptions {
  /** Only events after this position. */
  readonly from?: Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number };
  /** Whether to emit facts that no workflow task has applied yet. */
  readonly provisional?: boolean;
  /** Ends following, also while it waits, and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export async function readChain(source: ChainSource): Promise<ReadChain> {
  let read = createEmptyRead(source);
  for await (const page of readPages(source)) read = page.read;
  return read;
}

/** What is known of a chain without its steps. */
export interface ReadState extends Pick<ReadChain, 'closed' | 'closedAt' | 'runId' | 'eventId'> {
  readonly state: ChainState;
}

/** Reads the state of a chain from its last run alone, which starts with the state of the runs before. */
export async function readChainState(source: ChainSource): Promise<ReadState> {
  const { service, namespace, chainId, converter, archivedChain } = source;
  if (archivedChain !== null) return toReadState(await readChain(source));
  for (let runId = source.runId; ; ) {
    const pages = readAhead(readForward({ service, namespace }, { workflowId: chainId, runId })).read();
    let fold = emptyFold;
    let closedAt: number | null = null;
    let next: string | null = null;
    for await (const events of pages) {
      fold = await foldEvents(fold, events, converter);
      closedAt = findCloseTime(events) ?? closedAt;
      next = findNextRunId(events) ?? next;
    }
    if (next === null) return toReadState(toReadChain(fold, { runId, closedAt, attempts: new Map() }));
    runId = next;
  }
}

function toReadState({ chain, closed, closedAt, runId, eventId }: ReadChain): ReadState {
  return { state: chain.state, closed, closedAt, runId, eventId };
}

/** Reads pages without turns where possible: only the chain is needed. */
function readPages(source: ChainSource): AsyncGenerator<ChainPage, void> {
  const { service, namespace, chainId, archivedChain } = source;
  if (archivedChain !== null)
    return readArchivedPages(archivedChain, (piece, before) => ({ chain: applyArchivedRun(piece, before), turns: [] }));
  return readChainPages(source, (runId) =>
    readAhead(readForward({ service, namespace }, { workflowId: chainId, runId })).read(),
  );
}

/** Folds an archived run, and trusts its archived head. `longhand chain verify` checks that head against the facts. */
function applyArchivedRun({ turns, head }: RunPiece, before: Chain): Chain {
  const chain = foldChain(turns, before, { onlyOrigins: computeSha256 });
  return head === null ? chain : { ...chain, state: { ...chain.state, head } };
}

function createEmptyRead({ runId }: ChainSource): ReadChain {
  return toReadChain(emptyFold, { runId, closedAt: null, attempts: new Map() });
}

/** A page of the history, or an update from elsewhere. */
export type PageOrUpdate<L> =
  | { readonly kind: 'page'; readonly page: ChainPage }
  | { readonly kind: 'update'; readonly update: L };

/** An update, with the position of the chain's last event before it. */
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

/** @param events pages from long polls; they end when the chain ends */
export async function* followChain<L>(
  source: ChainSource,
  options: FollowChainOptions,
  events: AsyncIterable<PageOrUpdate<L>>,
): AsyncGenerator<FollowedEntry | PositionedUpdate<L>, FollowedChain> {
  const { chainId } = source;
  const after = new PositionFilter(options.from);
  const numbers = new ItemNumbers();
  const ahead = new ProvisionalEntries();
  const findEnd = createEndFinder();
  let read = createEmptyRead(source);
  let endEventId = 0;
  for await (const event of events) {
    if (event.kind === 'update') {
      yield { position: { chainId, runId: read.runId, eventId: read.eventId, item: 0 }, update: event.update };
      continue;
    }
    const { page } = event;
    const { runId, attempts } = page.read;
    after.enterRun(runId);
    for (const { eventId, entries } of page.turns) {
      ahead.clear();
      const first = numbers.take(runId, eventId, entries.length);
      for (const [at, entry] of entries.entries()) {
        const position = { chainId, runId, eventId, item: first + at };
        if (after.includes(position)) yield { position, provisional: false, entry, attempts };
      }
    }
    read = page.read;
    endEventId = findEnd(page);
    if (!options.provisional || read.closed !== null) continue;
    for (const entry of ahead.filterNew(previewEntries(page.fold, Date.now()))) {
      yield { position: { chainId, runId, eventId: page.fold.eventId, item: 0 }, provisional: true, entry, attempts };
    }
  }
  return { read, endEventId };
}

/** Follows the pages of a history until the chain ends. */
export function followPages(source: ChainSource, signal: AbortSignal | undefined): AsyncGenerator<ChainPage, void> {
  return readChainPages(source, (runId) => followHistory({ ...source, runId }, signal));
}

/**
 * Returns the event id of a chain's end: the one after the last turn of its last run. The server's own last event is not in
 * the archive, and readers of both must agree.
 *
 * @returns a function for each page in turn
 */
export function createEndFinder(): (
  page: Pick<ChainPage, 'turns'> & { readonly read: { readonly runId: string } },
) => number {
  let last = { runId: '', eventId: 0 };
  return ({ turns, read: { runId } }) => {
    const before = last.runId === runId ? last.eventId : 0;
    last = { runId, eventId: turns.at(-1)?.eventId ?? before };
    return last.eventId + 1;
  };
}

/** Remembers provisional entries, so that each is emitted once. */
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

/** Returns a key without times: times of provisional entries change with each preview. */
function toEntryKey(entry: ChainEntry): string {
  if (entry.type === 'step-added') return `step ${entry.step.number}`;
  if (entry.type === 'call-completed') return `observation ${entry.result.call}`;
  if (entry.type === 'notice-added') {
    const { code, text, usage } = entry.notice;
    return toCanonicalJson(['notice-added', code, usage === undefined ? text : [usage.name, usage.percent]]);
  }
  return entry.type;
}

/** Filters events after a position: not those of earlier runs, and without an item not those of the same turn. */
export class PositionFilter {
  private reached: boolean;

  constructor(private readonly from: FollowChainOptions['from']) {
    this.reached = from === undefined;
  }

  /** Call for each run before its events. */
  enterRun(runId: string): void {
    this.reached ||= this.from?.runId === runId;
  }

  includes({ runId, eventId, item }: EventPosition): boolean {
    const { from } = this;
    if (from?.runId !== runId) return this.reached;
    return eventId > from.eventId || (eventId === from.eventId && item > (from.item ?? Number.POSITIVE_INFINITY));
  }
}
