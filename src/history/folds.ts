/**
 * The chains that a worker has folded, so that the next call of the model reads only what is new. A
 * worker that does not know a chain, or has forgotten it, reads it once from the start.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Chain } from '../core/chain.js';
import { emptyFold, type Fold, foldEvents } from './fold.js';
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

/** A fork carries its origin's steps packed. */
function bytesOf({ chain }: Fold): number {
  const { history, origin } = chain.state;
  return history.bytes + (origin?.bytes ?? 0);
}

export function createFolds(converter: LoadedDataConverter, capacity = 256): Folds {
  const known = new Map<string, Fold>();

  async function at(history: HistoryService, run: Run, events: number): Promise<Fold> {
    // A task's completion is the event after its start.
    const until = events + 1;
    const warm = known.get(run.runId);
    const usable = warm !== undefined && warm.completed <= until;
    const fold = usable ? await readOn(history, run, warm, until) : await readAll(history, run, until);
    if (fold.completed < until) throw new Error(`it ends at event ${fold.eventId}, before the task at ${until}.`);
    keep(run.runId, fold);
    return fold;
  }

  /** The longest unused go first, until what is kept is few enough and, about as large in memory as their histories, small enough. */
  function keep(runId: string, fold: Fold): void {
    known.delete(runId);
    known.set(runId, fold);
    let bytes = [...known.values()].reduce((sum, each) => sum + bytesOf(each), 0);
    for (const [oldest, each] of known) {
      if (oldest === runId || (known.size <= capacity && bytes <= capacityBytes)) break;
      known.delete(oldest);
      bytes -= bytesOf(each);
    }
  }

  async function readAll(history: HistoryService, run: Run, until: number): Promise<Fold> {
    let fold = emptyFold;
    for await (const page of readForward(history, run)) {
      fold = await foldEvents(fold, page, converter, until);
      if (fold.completed >= until) break;
    }
    return fold;
  }

  async function readOn(history: HistoryService, run: Run, warm: Fold, until: number): Promise<Fold> {
    const size = Number.isFinite(until) ? pageSize(until - warm.eventId) : usualPage;
    const news = await readBackTo(history, run, warm.eventId, size);
    return foldEvents(warm, news, converter, until);
  }

  async function latest(history: HistoryService, run: Run): Promise<Chain> {
    const warm = known.get(run.runId);
    const all = Number.POSITIVE_INFINITY;
    const { chain } = warm === undefined ? await readAll(history, run, all) : await readOn(history, run, warm, all);
    return chain;
  }

  return { at, latest, forget: () => known.clear() };
}
