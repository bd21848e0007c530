/**
 * The chains that a worker has folded, so that the next call of the model reads only what is new. A
 * worker that does not know a chain, or has forgotten it, reads it once from the start.
 */

import { LRUCache } from 'lru-cache';
import { isNotFound } from '../contract/no-such-namespace.js';
import type { Chain } from '../core/model/chain.js';
import { type RunsSource, runBefore, runsUpTo } from './earlier-runs.js';
import type { HistoryEvent } from './event.js';
import { emptyFold, type Fold, foldAfter, foldEvents } from './fold.js';
import { type HistoryService, type Run, readBackTo, readForward } from './read.js';

export interface Folds {
  /** The chain as of the workflow task that began when the history held `events` events. */
  readonly at: (history: HistoryService, run: Run, events: number) => Promise<Fold>;
  /** The chain as it stands. Not kept: what is kept ends where a call of the model will look. */
  readonly latest: (history: HistoryService, run: Run) => Promise<Chain>;
  readonly forget: () => void;
}

/**
 * A page is counted in batches, as they were written; two events a batch are usual, and the last one holds
 * the task's own commands. What does not fit only costs another page.
 */
function pageSize(events: number): number {
  return Math.ceil(events / 2) + 2;
}

/** Batches that a step writes, and some more. */
const usualPage = 20;

const capacityBytes = 256 * 1024 * 1024;

/** What a worker keeps of a chain. */
interface Kept {
  readonly fold: Fold;
  /** Bytes of the histories of the runs before. */
  readonly before: number;
}

/** A fork carries its origin's steps packed. */
function bytesOf({ fold: { chain }, before }: Kept): number {
  const { history, origin } = chain.state;
  return before + history.bytes + (origin?.bytes ?? 0);
}

const unread: Kept = { fold: emptyFold, before: 0 };

export function createFolds(
  { converter, archived }: Pick<RunsSource, 'converter' | 'archived'>,
  capacity = 256,
): Folds {
  // Chains are about as large in memory as their histories. One that is larger than all may be together is kept alone.
  const known = new LRUCache<string, Kept>({
    max: capacity,
    maxSize: capacityBytes,
    sizeCalculation: (kept) => Math.min(Math.max(1, bytesOf(kept)), capacityBytes),
  });

  async function at(history: HistoryService, run: Run, events: number): Promise<Fold> {
    // A task's completion is the event after its start.
    const until = events + 1;
    const warm = known.get(run.runId);
    const usable = warm !== undefined && warm.fold.completed <= until;
    const kept = usable ? await readOn(history, run, warm, until) : await readAll(history, run, until);
    const { fold } = kept;
    if (fold.completed < until) throw new Error(`it ends at event ${fold.eventId}, before the task at ${until}.`);
    known.set(run.runId, kept);
    return fold;
  }

  async function readAll(history: HistoryService, run: Run, until: number): Promise<Kept> {
    let kept: Kept | null = null;
    for await (const page of readForward(history, run)) {
      kept ??= await beginning(history, run, page[0]);
      kept = { ...kept, fold: await foldEvents(kept.fold, page, converter, until) };
      if (kept.fold.completed >= until) break;
    }
    return kept ?? unread;
  }

  /** The chain as the runs before left it. The last of them is most likely known, and is not needed any more. */
  async function beginning(history: HistoryService, run: Run, first: HistoryEvent | undefined): Promise<Kept> {
    const runId = await runBefore(first, converter);
    if (runId === null) return unread;
    const warm = known.get(runId);
    known.delete(runId);
    const read = warm && (await toItsEnd(history, { ...run, runId }, warm));
    if (read) return { fold: foldAfter(read.fold.chain), before: bytesOf(read) };
    const runs = await runsUpTo({ history, converter, archived }, run.workflowId, runId);
    const before = runs.reduce((sum, { chain }) => sum + chain.state.history.bytes, 0);
    return { fold: foldAfter(runs.at(-1)?.chain ?? emptyFold.chain), before };
  }

  /** Null where the server has forgotten it since. */
  async function toItsEnd(history: HistoryService, run: Run, warm: Kept): Promise<Kept | null> {
    try {
      return await readOn(history, run, warm, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async function readOn(history: HistoryService, run: Run, warm: Kept, until: number): Promise<Kept> {
    const size = Number.isFinite(until) ? pageSize(until - warm.fold.eventId) : usualPage;
    const news = await readBackTo(history, run, warm.fold.eventId, size);
    return { ...warm, fold: await foldEvents(warm.fold, news, converter, until) };
  }

  async function latest(history: HistoryService, run: Run): Promise<Chain> {
    const warm = known.get(run.runId);
    const all = Number.POSITIVE_INFINITY;
    const { fold } = warm === undefined ? await readAll(history, run, all) : await readOn(history, run, warm, all);
    return fold.chain;
  }

  return { at, latest, forget: () => known.clear() };
}
