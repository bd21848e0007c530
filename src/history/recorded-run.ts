/**
 * One run of a chain as it is stored: the chain's part of its history, nothing derived (core/record/chain-file.ts).
 *
 * The workflow wrote digests into its history: of all facts in each model call, and its result at the close. Every
 * reader that folds the facts is checked against both.
 */

import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { activityNames, archiveActivityId, type CallModelInput, failureTypes } from '../contract/index.js';
import { type ChainResult, type FoldedTurn, listLocalStarts } from '../core/engine/index.js';
import type { Chain } from '../core/model/index.js';
import type { ChainFileTurn, ChainRun, ModelCallHead } from '../core/record/index.js';
import { ActivityLog } from './activity-log.js';
import { findCloseTime, getEventId, type HistoryEvent } from './event.js';
import { emptyFold, foldEventsToTurns, startFold } from './fold.js';
import { decodeFirstValue, toLenientConverter } from './payload.js';
import { findResetPoint } from './run-summary.js';

export interface RecordedRun {
  readonly run: ChainRun;
  readonly turns: readonly FoldedTurn[];
  /** At the end of the run. */
  readonly chain: Chain;
}

/**
 * Returns the run, its turns, and the chain at its end.
 * @param events all events of the run
 * @param before the chain at the end of the run before
 * @param runId the run's id on the server: the history of a reset run contains the id of its base
 */
export async function buildRecordedRun(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  before: Chain = emptyFold.chain,
  runId = events[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '',
): Promise<RecordedRun> {
  const { fold, turns } = await foldEventsToTurns(startFold(before), events, converter);
  const log = new ActivityLog(converter);
  await log.addEvents(events);
  const reset = findResetPoint(events);
  const run: ChainRun = {
    runId,
    ...(reset === null ? {} : { reset }),
    closed: fold.closed,
    closedAt: findCloseTime(events),
    result: await readCloseResult(events, converter),
    turns: toFiledTurns(turns, log.scheduled),
    heads: await readCallHeads(events, converter),
    attempts: Object.fromEntries(log.attempts),
  };
  return { run, turns, chain: fold.chain };
}

/**
 * Assigns scheduled activities to turns: those of a task are between its completion and the next one's. Local calls have no such
 * event. They are those that the turn started: with others, their markers would not have made the turns that follow.
 */
function toFiledTurns(turns: readonly FoldedTurn[], all: ActivityLog['scheduled']): readonly ChainFileTurn[] {
  // The archive's activity is not an action of a chain.
  const activities = all.filter(({ id }) => id !== archiveActivityId);
  let at = 0;
  const before = (eventId: number) => {
    const from = at;
    while ((activities[at]?.eventId ?? Number.POSITIVE_INFINITY) < eventId) at++;
    return activities.slice(from, at).map(({ id }) => id);
  };
  before(turns[0]?.eventId ?? 0);
  return turns.map(({ eventId, history, facts, actions }, turn) => {
    const next = turns[turn + 1]?.eventId ?? Number.MAX_SAFE_INTEGER;
    return { eventId, history, facts, scheduled: [...actions.flatMap(listLocalStarts), ...before(next)] };
  });
}

/** Returns the digest of all facts that each call of the model was given. */
async function readCallHeads(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<ModelCallHead[]> {
  const heads: ModelCallHead[] = [];
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name !== activityNames.callModel) continue;
    const input = await decodeFirstValue<CallModelInput>(converter, scheduled.input?.payloads);
    heads.push({ call: scheduled.activityId ?? '', eventId: getEventId(event), facts: input.facts, head: input.head });
  }
  return heads;
}

/** Returns the result at the close; null for a run that was cancelled, was terminated, or still runs. */
async function readCloseResult(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<ChainResult | null> {
  const last = events.at(-1);
  const completed = last?.workflowExecutionCompletedEventAttributes;
  if (completed) return decodeFirstValue<ChainResult>(converter, completed.result?.payloads);
  const failed = last?.workflowExecutionFailedEventAttributes;
  if (!failed) return null;
  const failure = await decodeOptionalFailureToOptionalError(toLenientConverter(converter), failed.failure);
  if (!(failure instanceof ApplicationFailure) || failure.type !== failureTypes.chainFailed) return null;
  return (failure.details?.[0] as ChainResult | undefined) ?? null;
}
