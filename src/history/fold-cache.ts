/**
 * Caches the chains that a worker has folded, so that a model call reads only new events. A worker without a chain in
 * its cache reads it once from the start.
 */

import { LRUCache } from 'lru-cache';
import { isNotFound } from '../contract/no-such-namespace.js';
import { LonghandError } from '../core/lib/errors.js';
import type { Chain } from '../core/model/chain.js';
import { findPreviousRunId, type RunsSource, readRunsUpTo } from './earlier-runs.js';
import type { HistoryEvent } from './event.js';
import { emptyFold, type Fold, foldEvents, startFold } from './fold.js';
import { type HistoryService, type Run, readBackTo, readForward } from './read-history.js';

export interface FoldCache {
  /** Returns the chain at the workflow task that began when the history had `events` events. */
  readonly readAt: (history: HistoryService, run: Run, events: number) => Promise<Fold>;
  /** Returns the current chain. Not cached: the cache ends where a model call will look. */
  readonly readLatest: (history: HistoryService, run: Run) => Promise<Chain>;
  readonly clear: () => void;
}

/**
 * Pages are counted in batches; two events a batch are usual, and the last one contains the task's own commands. A
 * wrong estimate only costs another page.
 */
function computePageSize(events: number): number {
  return Math.ceil(events / 2) + 2;
}

/** Batches of a step, and some more. */
const defaultPageSize = 20;

const capacityBytes = 256 * 1024 * 1024;

/** A cached fold. */
interface CachedFold {
  readonly fold: Fold;
  /** Bytes of earlier runs' histories. */
  readonly earlierBytes: number;
}

/** Includes the packed steps of a fork's origin. */
function computeBytes({ fold: { chain }, earlierBytes }: CachedFold): number {
  const { history, origin } = chain.state;
  return earlierBytes + history.bytes + (origin?.bytes ?? 0);
}

const emptyCachedFold: CachedFold = { fold: emptyFold, earlierBytes: 0 };

export function createFoldCache(
  { converter, archived }: Pick<RunsSource, 'converter' | 'archived'>,
  capacity = 256,
): FoldCache {
  // Chains use about as much memory as their histories. A chain larger than the cache is cached alone.
  const cache = new LRUCache<string, CachedFold>({
    max: capacity,
    maxSize: capacityBytes,
    sizeCalculation: (cached) => Math.min(Math.max(1, computeBytes(cached)), capacityBytes),
  });

  async function readAt(history: HistoryService, run: Run, events: number): Promise<Fold> {
    // A task's completion is the event after its start.
    const until = events + 1;
    const base = cache.get(run.runId);
    const isUsable = base !== undefined && base.fold.completedEventId <= until;
    const next = isUsable ? await readSince(history, run, base, until) : await readAll(history, run, until);
    const { fold } = next;
    if (fold.completedEventId < until)
      throw new LonghandError('internal', `the history ends at event ${fold.eventId}, before the task at ${until}.`);
    cache.set(run.runId, next);
    return fold;
  }

  async function readAll(history: HistoryService, run: Run, until: number): Promise<CachedFold> {
    let next: CachedFold | null = null;
    for await (const page of readForward(history, run)) {
      next ??= await readStart(history, run, page[0]);
      next = { ...next, fold: await foldEvents(next.fold, page, converter, until) };
      if (next.fold.completedEventId >= until) break;
    }
    return next ?? emptyCachedFold;
  }

  /** Returns the chain at the end of the run before, which is then removed from the cache. */
  async function readStart(history: HistoryService, run: Run, first: HistoryEvent | undefined): Promise<CachedFold> {
    const runId = await findPreviousRunId(first, converter);
    if (runId === null) return emptyCachedFold;
    const base = cache.get(runId);
    cache.delete(runId);
    const previous = base && (await readToEnd(history, { ...run, runId }, base));
    if (previous) return { fold: startFold(previous.fold.chain), earlierBytes: computeBytes(previous) };
    const runs = await readRunsUpTo({ history, converter, archived }, run.workflowId, runId);
    const earlierBytes = runs.reduce((sum, { chain }) => sum + chain.state.history.bytes, 0);
    return { fold: startFold(runs.at(-1)?.chain ?? emptyFold.chain), earlierBytes };
  }

  /** Returns null if the server has deleted the run. */
  async function readToEnd(history: HistoryService, run: Run, base: CachedFold): Promise<CachedFold | null> {
    try {
      return await readSince(history, run, base, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  /** Reads only the events after a cached fold. */
  async function readSince(history: HistoryService, run: Run, base: CachedFold, until: number): Promise<CachedFold> {
    const size = Number.isFinite(until) ? computePageSize(until - base.fold.eventId) : defaultPageSize;
    const events = await readBackTo(history, run, base.fold.eventId, size);
    return { ...base, fold: await foldEvents(base.fold, events, converter, until) };
  }

  async function readLatest(history: HistoryService, run: Run): Promise<Chain> {
    const base = cache.get(run.runId);
    const all = Number.POSITIVE_INFINITY;
    const { fold } = base === undefined ? await readAll(history, run, all) : await readSince(history, run, base, all);
    return fold.chain;
  }

  return { readAt, readLatest, clear: () => cache.clear() };
}
