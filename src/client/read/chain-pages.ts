/**
 * A chain piece by piece, from its first run to its last. Where one run ends and the next goes on, nobody who reads notices
 * but by the positions: they name the run.
 */

import type { ArchivedChain, RunPiece } from '../../contract/archived-runs.js';
import { type FoldedTurn, foldRecordedTurns, type TurnFoldResult } from '../../core/engine/fold-turns.js';
import type { ActivityAttempts } from '../../core/model/activity.js';
import type { Chain } from '../../core/model/chain.js';
import { ActivityLog } from '../../history/activity-log.js';
import { findPreviousRunId, readRunsUpTo } from '../../history/earlier-runs.js';
import { type ClosedStatus, findCloseTime, findNextRunId, type HistoryEvent } from '../../history/event.js';
import { computeSha256, emptyFold, type Fold, foldEventsToTurns, startFold } from '../../history/fold.js';
import { type ChainSource, toRunsSource } from './chain-source.js';

export interface ReadChain {
  readonly chain: Chain;
  /** Null while the chain runs, in whichever run. */
  readonly closed: ClosedStatus | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
  /** The run that was read last, and the last event of it. */
  readonly runId: string;
  readonly eventId: number;
  /** While a chain is followed it is one map for all that is read of it, and holds by now what came later. */
  readonly attempts: ReadonlyMap<string, ActivityAttempts>;
}

/** The turns that a piece of the history completed, and what was read up to its end. */
export interface ChainPage {
  readonly turns: readonly FoldedTurn[];
  readonly read: ReadChain;
  readonly fold: Fold;
}

/**
 * Runs that went on in others are told as a piece each; then come the pieces of the source's own, and of those that it
 * goes on in.
 *
 * @param eventsOf the history of one run, the oldest events first
 */
export async function* readChainPages(
  source: ChainSource,
  eventsOf: (runId: string) => AsyncIterable<readonly HistoryEvent[]>,
): AsyncGenerator<ChainPage, void> {
  if (source.archivedChain !== null)
    return yield* readArchivedPages(source.archivedChain, ({ turns }, before) =>
      foldRecordedTurns(turns, before, computeSha256),
    );
  const attempts = new Map<string, ActivityAttempts>();
  let fold: Fold | null = null;
  for (let runId: string | null = source.runId; runId !== null; ) {
    const log = new ActivityLog(attempts);
    let next: string | null = null;
    for await (const events of eventsOf(runId)) {
      if (fold === null) {
        const previous = await findPreviousRunId(events[0], source.converter);
        for (const { run, turns, chain } of await readRunsUpTo(toRunsSource(source), source.chainId, previous)) {
          for (const [id, made] of Object.entries(run.attempts)) attempts.set(id, made);
          fold = startFold(chain);
          yield { turns, fold, read: toReadChain(fold, { runId: run.runId, closedAt: null, attempts }) };
        }
      }
      const folded = await foldEventsToTurns(fold ?? emptyFold, events, source.converter);
      fold = folded.fold;
      log.addEvents(events);
      const closedAt = findCloseTime(events);
      next = findNextRunId(events);
      yield { turns: folded.turns, fold, read: toReadChain(fold, { runId, closedAt, attempts }) };
    }
    if (fold !== null) fold = startFold(fold.chain);
    runId = next;
  }
}

/** @param take what becomes of a piece, and of the chain before it */
export async function* readArchivedPages(
  kept: ArchivedChain,
  take: (piece: RunPiece, before: Chain) => TurnFoldResult,
): AsyncGenerator<ChainPage, void> {
  const attempts = new Map<string, ActivityAttempts>();
  let { chain } = emptyFold;
  for await (const piece of kept.readPieces()) {
    const { run, head } = piece;
    for (const [id, made] of Object.entries(piece.attempts)) attempts.set(id, made);
    const taken = take(piece, chain);
    const last = head !== null;
    chain = taken.chain;
    // The end is told behind all that the run's turns told.
    const eventId = (piece.turns.at(-1)?.eventId ?? 0) + (last ? 1 : 0);
    const fold = { ...startFold(chain), eventId, closed: last ? run.closed : null };
    yield { turns: taken.turns, fold, read: toReadChain(fold, { runId: run.runId, closedAt: run.closedAt, attempts }) };
  }
}

/** A run that goes on in another is no end. */
export function toReadChain(
  { chain, closed, eventId }: Fold,
  { runId, closedAt, attempts }: Pick<ReadChain, 'runId' | 'closedAt' | 'attempts'>,
): ReadChain {
  const over = closed !== null && closed !== 'continuedAsNew';
  return { chain, closed: over ? closed : null, closedAt: over ? closedAt : null, runId, eventId, attempts };
}
