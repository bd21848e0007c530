/**
 * Reads a chain page by page, from its first run to its last. Readers see a continue-as-new only in the positions,
 * which name the run.
 */

import type { ArchivedChain, RunPiece } from '../../contract/index.js';
import { type FoldedTurn, foldRecordedTurns, type TurnFoldResult } from '../../core/engine/index.js';
import type { ActivityAttempts, Chain } from '../../core/model/index.js';
import {
  ActivityLog,
  type ClosedStatus,
  computeSha256,
  emptyFold,
  type Fold,
  findCloseTime,
  findNextRunId,
  findPreviousRunId,
  foldEventsToTurns,
  type HistoryEvent,
  noPendingDeliveries,
  openRunsUpTo,
  type RunReading,
  startFold,
  stopRuns,
} from '../../history/index.js';
import { type ChainSource, toRunsSource } from './chain-source.js';

export interface ReadChain {
  readonly chain: Chain;
  /** Null while the chain runs, in any of its runs. */
  readonly closed: ClosedStatus | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
  /** The last run read, and its last event. */
  readonly runId: string;
  readonly eventId: number;
  /** One shared map while a chain is followed: later pages add to it. */
  readonly attempts: ReadonlyMap<string, ActivityAttempts>;
}

/** The turns that one page of the history completed, and the chain after it. */
export interface ChainPage {
  readonly turns: readonly FoldedTurn[];
  readonly read: ReadChain;
  readonly fold: Fold;
}

/**
 * Yields the pages of the runs before, then those of the source's run and of the runs that continue it.
 *
 * @param eventsOf the history of one run, oldest events first
 * @param reading of the earlier runs: on demand for a reader that may stop early
 */
export async function* readChainPages(
  source: ChainSource,
  eventsOf: (runId: string) => AsyncIterable<readonly HistoryEvent[]>,
  reading: RunReading = 'ahead',
): AsyncGenerator<ChainPage, void> {
  if (source.archivedChain !== null)
    return yield* readArchivedPages(source.archivedChain, ({ turns }, before) =>
      foldRecordedTurns(turns, before, computeSha256),
    );
  const attempts = new Map<string, ActivityAttempts>();
  let fold: Fold | null = null;
  for (let runId: string | null = source.runId; runId !== null; ) {
    const log = new ActivityLog(source.converter, attempts);
    let next: string | null = null;
    for await (const events of eventsOf(runId)) {
      if (fold === null) {
        const previous = await findPreviousRunId(events[0], source.converter);
        fold = startFold(yield* readEarlierPages(source, { previous, reading, attempts }));
      }
      const folded = await foldEventsToTurns(fold, events, source.converter);
      fold = folded.fold;
      await log.addEvents(events);
      const closedAt = findCloseTime(events);
      next = findNextRunId(events);
      yield { turns: folded.turns, fold, read: toReadChain(fold, { runId, closedAt, attempts }) };
    }
    if (fold !== null) fold = startFold(fold.chain);
    runId = next;
  }
}

interface EarlierReading {
  /** The run before the source's. */
  readonly previous: string | null;
  readonly reading: RunReading;
  /** Extended in place. */
  readonly attempts: Map<string, ActivityAttempts>;
}

/** Yields the pages of the earlier runs, and returns the chain after them. */
async function* readEarlierPages(
  source: ChainSource,
  { previous, reading, attempts }: EarlierReading,
): AsyncGenerator<ChainPage, Chain> {
  const runs = await openRunsUpTo(toRunsSource(source), source.chainId, previous, reading);
  let { chain } = emptyFold;
  const toPage = (turns: ChainPage['turns'], fold: Fold, runId: string): ChainPage => {
    // Facts that wait for the next page are not the chain's newest.
    const settled = { ...fold, pending: noPendingDeliveries };
    return { turns, fold: settled, read: toReadChain(fold, { runId, closedAt: null, attempts }) };
  };
  try {
    for (const opened of runs) {
      const { runId } = opened;
      if (opened.kind === 'archived') {
        for (const [id, made] of Object.entries(opened.run.attempts)) attempts.set(id, made);
        const folded = foldRecordedTurns(opened.run.turns, chain, computeSha256);
        chain = folded.chain;
        yield toPage(folded.turns, startFold(chain), runId);
        continue;
      }
      const log = new ActivityLog(source.converter, attempts);
      let fold = startFold(chain);
      for await (const events of opened.readPages()) {
        const folded = await foldEventsToTurns(fold, events, source.converter);
        fold = folded.fold;
        await log.addEvents(events);
        yield toPage(folded.turns, fold, runId);
      }
      chain = fold.chain;
    }
    return chain;
  } finally {
    stopRuns(runs);
  }
}

/** @param take folds one piece onto the chain before it */
export async function* readArchivedPages(
  archivedChain: ArchivedChain,
  take: (piece: RunPiece, before: Chain) => TurnFoldResult,
): AsyncGenerator<ChainPage, void> {
  const attempts = new Map<string, ActivityAttempts>();
  let { chain } = emptyFold;
  for await (const piece of archivedChain.readPieces()) {
    const { run, head } = piece;
    for (const [id, made] of Object.entries(piece.attempts)) attempts.set(id, made);
    const taken = take(piece, chain);
    const last = head !== null;
    chain = taken.chain;
    // The position of the end is after all turns of the run.
    const eventId = (piece.turns.at(-1)?.eventId ?? 0) + (last ? 1 : 0);
    const fold = { ...startFold(chain), eventId, closed: last ? run.closed : null };
    yield { turns: taken.turns, fold, read: toReadChain(fold, { runId: run.runId, closedAt: run.closedAt, attempts }) };
  }
}

/** Returns the chain as read. A run that continues as new is not the chain's end. */
export function toReadChain(
  { chain, closed, eventId }: Fold,
  { runId, closedAt, attempts }: Pick<ReadChain, 'runId' | 'closedAt' | 'attempts'>,
): ReadChain {
  const ended = closed !== null && closed !== 'continuedAsNew';
  return { chain, closed: ended ? closed : null, closedAt: ended ? closedAt : null, runId, eventId, attempts };
}
