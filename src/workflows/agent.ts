/**
 * A chain. The loop only calls: the core decides what is next, and what each fact meant.
 *
 * The workflow keeps the bounded state alone; the steps are in its history, and every reader folds them
 * from there by the same `takeTurn` (L1).
 */

import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  defineQuery,
  log,
  proxySinks,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { ArchiveSinks } from '../contract/archived-runs.js';
import { beginningOf, type RunInput, runInputOf } from '../contract/beginning.js';
import { failureTypes, logMessages, stateQuery } from '../contract/names.js';
import { continuationOf, isContinuation } from '../core/engine/continue-as-new.js';
import { type ChainResult, closeOf } from '../core/engine/result.js';
import { takeTurn } from '../core/engine/turn.js';
import { plain } from '../core/lib/plain.js';
import type { Action } from '../core/model/action.js';
import type { History, State } from '../core/model/state.js';
import { sensitiveGiven } from '../core/view/descent.js';
import { createShown, type Shown, unfailing } from '../core/view/snippet-masker.js';
import { Inbox } from './inbox.js';
import { listen } from './listen.js';
import { Operations } from './operations.js';
import { Status } from './status.js';
import { WebUi } from './web-ui/web-ui.js';

/** Characters of a failure's message. */
const longestMessage = 1_000;

export async function agent(said: RunInput): Promise<ChainResult> {
  const inbox = new Inbox();
  const { workflowId, runId, continuedFromExecutionRunId: continuedFrom, cronSchedule, attempt } = workflowInfo();
  const input = runInputOf(said, { continuedFrom, cronSchedule, attempt });
  const beginning = beginningOf(input, workflowId);
  let { state } = beginning;
  setHandler(defineQuery<State>(stateQuery), () => state);
  inbox.put('start', beginning.fact);
  listen(inbox, () => state);

  const before = isContinuation(input) ? input.display : null;
  // One for all that is shown: a mark means the same everywhere.
  const shown = unfailing(createShown(before?.hidden ?? sensitiveGiven(input)));
  // Temporal's cancel is a fact like any other: the chain settles what it has begun before it ends.
  await CancellationScope.nonCancellable(async () => {
    const operations = new Operations(inbox, shown);
    const ui = new WebUi(shown, before?.paragraphs);
    const status = new Status(state);
    if (beginning.previous !== null) operations.archive(beginning.previous);
    for (;;) {
      await inbox.arrival();
      const turn = takeTurn(state, historyNow(), inbox.take());
      state = turn.state;
      if (turn.fault !== undefined) log.error(logMessages.fault, { error: turn.fault });
      ui.show(state, turn.entries);
      for (const action of turn.actions) {
        if (action.type === 'end') return status.conclude(closeOf(state));
        if (action.type === 'continueAsNew') {
          status.keep(state);
          return continueAsNew<typeof agent>(continuationOf(state, runId, ui.display));
        }
        operations.perform(state, action);
      }
      status.keep(state);
      keepApart(turn.actions);
    }
  });
  tellArchive();
  return close(state, shown);
}

function historyNow(): History {
  const { historyLength: events, historySize: bytes, continueAsNewSuggested: suggested } = workflowInfo();
  return { events, bytes, suggested };
}

/** Temporal's status tells the truth in the list of workflows. A failure's message is shown there as it is; the result is in its details. */
function close(state: State, shown: Shown): ChainResult {
  const result = closeOf(state);
  const message = () => plain(shown.reason(result.reason, longestMessage));
  switch (result.outcome) {
    case 'failure':
    case 'refused':
      throw ApplicationFailure.create({
        type: failureTypes.chainFailed,
        message: message(),
        nonRetryable: true,
        details: [result],
      });
    case 'cancelled':
      if (state.cancelled) throw new CancelledFailure(message());
      return result;
    default:
      return result;
  }
}

/**
 * Keeps two workflow tasks apart for replay. The SDK takes a task without commands, behind another such one and directly
 * before the next, for a sign of life: on replay, what it delivered comes with the next task, at another time
 * (`find_end_index_of_next_wft_seq` in the SDK's core). An update is such a next one.
 *
 * L1: so each turn leaves a command in the history, if only this one, which changes nothing and costs one small event.
 *
 * @param actions what the turn asks for; an interrupt may find nothing to stop, and so leave no command
 */
function keepApart(actions: readonly Action[]): void {
  if (actions.every(({ type }) => type === 'interrupt')) upsertMemo({ LonghandTurn: null });
}

/**
 * Notifies the worker that the chain ends here, so that it archives the closed run. Best effort: the sweep archives runs
 * whose notification was lost.
 */
function tellArchive(): void {
  // A worker that only replays has no archiver.
  if (workflowInfo().unsafe.isReplaying) return;
  proxySinks<ArchiveSinks>().longhandArchive.ending();
}
