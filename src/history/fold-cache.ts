/**
 * Caches the chains that a worker has folded. A worker without a chain in its cache reads it once from the start.
 *
 * 1. The worker's own workflows pass their turns. A model call whose workflow has the same head as the chain with these
 *    turns reads nothing: equal heads mean equal facts. All other calls read the events since the last fold.
 * 2. Turns that were passed are read from the history too, after a number of events: reader and workflow must agree (L1).
 * 3. Its size is limited in bytes. A count would be too small for many short chains, each of which would then be read from
 *    its start in each step.
 */

import { isDeepStrictEqual } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { type FoldRead, isNotFound, type TakenTurn } from '../contract/index.js';
import { recordEntries, takeTurn } from '../core/engine/index.js';
import { LonghandError } from '../core/lib/index.js';
import type { AgentSnapshot, Chain } from '../core/model/index.js';
import { findPreviousRunId, type RunsSource, readRunsUpTo } from './earlier-runs.js';
import type { HistoryEvent } from './event.js';
import { computeSha256, emptyFold, type Fold, foldEvents, previewEntries, startFold } from './fold.js';
import { type HistoryService, type RunReference, readBackTo, readForward } from './read-history.js';

export interface FoldCache {
  /** Returns the chain at the workflow task that began when the history had `events` events. */
  readonly readAt: (history: HistoryService, run: RunReference, at: ChainPosition) => Promise<Chain>;
  /** Adds a turn that the run's workflow has taken on this worker. */
  readonly addTurn: (runId: string, turn: TakenTurn) => void;
  /** Returns the current chain. Not cached: the cache ends where a model call will look. */
  readonly readLatest: (history: HistoryService, run: RunReference) => Promise<Chain>;
  /** Returns it with the steps of the workflow task under way, to which a local call belongs. Not final, as `previewEntries`. */
  readonly readOngoing: (history: HistoryService, run: RunReference) => Promise<Chain>;
  /** Removes a run that has ended, after a time in which readers of its end may still need it. */
  readonly endRun: (runId: string) => void;
  readonly clear: () => void;
}

/** A workflow task of a chain, and the workflow's digest of the facts so far. */
interface ChainPosition {
  readonly events: number;
  readonly head: string;
}

/** Most events after a cached fold whose turns need not be read. */
const maxUnreadEvents = 256;

/** Most bytes of history whose turns are kept until a model call takes them. */
const maxUnreadBytes = 4 * 1024 * 1024;

/**
 * Pages are counted in batches; two events a batch are usual, and the last one contains the task's own commands. A
 * wrong estimate only costs another page.
 */
function computePageSize(events: number): number {
  return Math.ceil(events / 2) + 2;
}

/** Batches of a step, and some more. */
const defaultPageSize = 20;

/** Most bytes of the cache, and its most share of the heap. */
const maxCapacityBytes = 256 * 1024 * 1024;
const maxHeapShare = 1 / 8;

/** What each cached chain takes beside the content of its history. */
const chainBytes = 8 * 1024;

/** Milliseconds that an ended chain stays. */
const endedMs = 30_000;

/** Agents of which chains share one snapshot. */
const maxSharedAgents = 100;

function computeCapacity(): number {
  return Math.min(maxCapacityBytes, Math.floor(getHeapStatistics().heap_size_limit * maxHeapShare));
}

/** A cached fold. */
interface CachedFold {
  readonly fold: Fold;
  /** Bytes of earlier runs' histories. */
  readonly earlierBytes: number;
  /** The chain after the turns that were passed since. */
  readonly ahead: Chain;
  /** Turns after these. */
  readonly turns: TakenTurn[];
}

/** Includes the packed steps of a fork's origin. */
function computeBytes({ ahead, earlierBytes }: CachedFold): number {
  const { history, origin } = ahead.state;
  return chainBytes + earlierBytes + history.bytes + (origin?.bytes ?? 0);
}

function toCached(fold: Fold, earlierBytes: number): CachedFold {
  return { fold, earlierBytes, ahead: fold.chain, turns: [] };
}

/** Takes the turns that were passed. */
function takePassedTurns(cached: CachedFold): CachedFold {
  const ahead = cached.turns.reduce((chain, { history, facts }) => {
    const { state, entries } = takeTurn(chain.state, history, facts, computeSha256);
    return recordEntries(chain, state, entries);
  }, cached.ahead);
  return { ...cached, ahead, turns: [] };
}

interface FoldCacheOptions extends Pick<RunsSource, 'converter' | 'archived'> {
  /** Called for each chain that a model call gets. */
  readonly report?: (read: FoldRead) => void;
}

export function createFoldCache(
  { converter, archived, report = () => {} }: FoldCacheOptions,
  capacityBytes = computeCapacity(),
): FoldCache {
  // Chains use about as much memory as their histories. A chain larger than the cache is cached alone.
  const cache = new LRUCache<string, CachedFold>({
    maxSize: capacityBytes,
    sizeCalculation: (cached) => Math.min(computeBytes(cached), capacityBytes),
  });
  const agents = new LRUCache<string, AgentSnapshot>({ max: maxSharedAgents });

  /** Replaces the agent by an equal one: a thousand chains of one agent hold its instructions and schemas once. */
  function shareAgent(fold: Fold): Fold {
    const { state } = fold.chain;
    const { agent } = state;
    if (agent === null) return fold;
    const shared = agents.get(agent.name);
    if (shared !== undefined && isDeepStrictEqual(shared, agent))
      return { ...fold, chain: { ...fold.chain, state: { ...state, agent: shared } } };
    agents.set(agent.name, agent);
    return fold;
  }

  async function readAt(history: HistoryService, run: RunReference, { events, head }: ChainPosition): Promise<Chain> {
    // A task's completion is the event after its start.
    const until = events + 1;
    const base = cache.get(run.runId);
    if (base !== undefined && until - base.fold.eventId <= maxUnreadEvents) {
      const passed = takePassedTurns(base);
      if (passed.ahead.state.head === head) {
        cache.set(run.runId, passed);
        report({ source: 'cache', bytes: 0 });
        return passed.ahead;
      }
    }
    const isUsable = base !== undefined && base.fold.completedEventId <= until;
    const next = isUsable ? await readSince(history, run, base, until) : await readAll(history, run, until);
    const { fold } = next;
    if (fold.completedEventId < until)
      throw new LonghandError('internal', `the history ends at event ${fold.eventId}, before the task at ${until}.`);
    cache.set(run.runId, next);
    const knownBytes = isUsable ? base.fold.chain.state.history.bytes : 0;
    report({ source: isUsable ? 'since' : 'start', bytes: fold.chain.state.history.bytes - knownBytes });
    return fold.chain;
  }

  function addTurn(runId: string, turn: TakenTurn): void {
    const cached = cache.peek(runId);
    if (cached === undefined) return;
    const { events, bytes } = cached.ahead.state.history;
    // Without a turn, the next call finds another head, and reads.
    const isSmall = turn.history.events - events <= maxUnreadEvents && turn.history.bytes - bytes <= maxUnreadBytes;
    if (isSmall) cached.turns.push(turn);
  }

  function endRun(runId: string): void {
    setTimeout(() => cache.delete(runId), endedMs).unref();
  }

  async function readAll(history: HistoryService, run: RunReference, until: number): Promise<CachedFold> {
    let next: CachedFold | null = null;
    for await (const page of readForward(history, run)) {
      next ??= await readStart(history, run, page[0]);
      next = toCached(await foldEvents(next.fold, page, converter, until), next.earlierBytes);
      if (next.fold.completedEventId >= until) break;
    }
    return next === null ? toCached(emptyFold, 0) : toCached(shareAgent(next.fold), next.earlierBytes);
  }

  /** Returns the chain at the end of the run before, which is then removed from the cache. */
  async function readStart(
    history: HistoryService,
    run: RunReference,
    first: HistoryEvent | undefined,
  ): Promise<CachedFold> {
    const runId = await findPreviousRunId(first, converter);
    if (runId === null) return toCached(emptyFold, 0);
    const base = cache.get(runId);
    cache.delete(runId);
    const previous = base && (await readToEnd(history, { ...run, runId }, base));
    if (previous) return toCached(startFold(previous.fold.chain), computeBytes(previous));
    const runs = await readRunsUpTo({ history, converter, archived }, run.workflowId, runId);
    const earlierBytes = runs.reduce((sum, { chain }) => sum + chain.state.history.bytes, 0);
    return toCached(startFold(runs.at(-1)?.chain ?? emptyFold.chain), earlierBytes);
  }

  /** Returns null if the server has deleted the run. */
  async function readToEnd(history: HistoryService, run: RunReference, base: CachedFold): Promise<CachedFold | null> {
    try {
      return await readSince(history, run, base, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  /** Reads only the events after a cached fold. */
  async function readSince(
    history: HistoryService,
    run: RunReference,
    base: CachedFold,
    until: number,
  ): Promise<CachedFold> {
    const size = Number.isFinite(until) ? computePageSize(until - base.fold.eventId) : defaultPageSize;
    const events = await readBackTo(history, run, base.fold.eventId, size);
    return toCached(await foldEvents(base.fold, events, converter, until), base.earlierBytes);
  }

  async function readEnd(history: HistoryService, run: RunReference): Promise<Fold> {
    const base = cache.get(run.runId);
    const all = Number.POSITIVE_INFINITY;
    const { fold } = base === undefined ? await readAll(history, run, all) : await readSince(history, run, base, all);
    return fold;
  }

  async function readLatest(history: HistoryService, run: RunReference): Promise<Chain> {
    return (await readEnd(history, run)).chain;
  }

  async function readOngoing(history: HistoryService, run: RunReference): Promise<Chain> {
    const fold = await readEnd(history, run);
    const { chain } = fold;
    return recordEntries(chain, chain.state, previewEntries(fold, Date.now()));
  }

  return { readAt, addTurn, readLatest, readOngoing, endRun, clear: () => cache.clear() };
}
