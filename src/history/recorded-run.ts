/** One run of a chain as it is kept: what its history holds of the chain, and nothing derived (core/record/chain-file.ts). */

import type { LoadedDataConverter } from '@temporalio/common';
import { archiveActivityId } from '../contract/names.js';
import type { RecordedTurn } from '../core/engine/recorded-turn.js';
import type { TakenTurn } from '../core/engine/refold.js';
import type { Chain } from '../core/model/chain.js';
import type { ChainRun, FiledTurn } from '../core/record/chain-file.js';
import { ActivityLog } from './attempts.js';
import { closeTime, type HistoryEvent } from './event.js';
import { emptyFold, foldAfter, foldTurns } from './fold.js';
import { headsIn, resultIn } from './heads.js';
import { resetPointIn } from './run-branch.js';

export interface RecordedRun {
  readonly run: ChainRun;
  readonly turns: readonly TakenTurn[];
  /** At the end of the run. */
  readonly chain: Chain;
}

/**
 * @param events all of the run's
 * @param before the chain as the runs before left it
 * @param runId as the server knows it: a run that was made by a reset tells another
 */
export async function recordedRun(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  before: Chain = emptyFold.chain,
  runId = events[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '',
): Promise<RecordedRun> {
  const { fold, turns } = await foldTurns(foldAfter(before), events, converter);
  const log = new ActivityLog();
  log.read(events);
  const reset = resetPointIn(events);
  const run: ChainRun = {
    runId,
    ...(reset === null ? {} : { reset }),
    closed: fold.closed,
    closedAt: closeTime(events),
    result: await resultIn(events, converter),
    turns: filed(turns, log.scheduled),
    heads: await headsIn(events, converter),
    attempts: Object.fromEntries(log.attempts),
  };
  return { run, turns, chain: fold.chain };
}

/** What a task begins is scheduled behind its completion, and before that of the next. Both stand in the order of events. */
function filed(turns: readonly RecordedTurn[], all: ActivityLog['scheduled']): readonly FiledTurn[] {
  // No chain asks for its archive.
  const scheduled = all.filter(({ id }) => id !== archiveActivityId);
  let at = 0;
  const before = (eventId: number) => {
    const from = at;
    while ((scheduled[at]?.eventId ?? Number.POSITIVE_INFINITY) < eventId) at++;
    return scheduled.slice(from, at).map(({ id }) => id);
  };
  before(turns[0]?.eventId ?? 0);
  return turns.map(({ eventId, history, facts }, turn) => {
    const next = turns[turn + 1]?.eventId ?? Number.MAX_SAFE_INTEGER;
    return { eventId, history, facts, asked: before(next) };
  });
}
