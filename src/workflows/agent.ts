/**
 * The workflow of a chain. The core decides the next actions and applies each fact; this loop only calls it.
 *
 * The workflow keeps only the bounded state; the steps are in its history, and every reader folds them with the same
 * `takeTurn` (L1).
 */

import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  defineQuery,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  failureTypes,
  logMessages,
  parseRunInput,
  type RunInput,
  stateQuery,
  toDeferredCount,
  toRunStartState,
} from '../contract/index.js';
import {
  type ChainResult,
  isContinuation,
  readPast,
  takeTurn,
  toCloseResult,
  toContinuation,
} from '../core/engine/index.js';
import { toPlainText } from '../core/lib/index.js';
import { type ChainState, emptyPast, type HistorySize } from '../core/model/index.js';
import {
  createSnippetMasker,
  listInheritedSensitiveTexts,
  PastCollector,
  type SnippetMasker,
  toFailSafeMasker,
} from '../core/view/index.js';
import { registerMessageHandlers } from './message-handlers.js';
import { Operations } from './operations.js';
import { StatusUpdater } from './status.js';
import { TaskInbox } from './task-inbox.js';
import { TaskSeparator } from './task-separator.js';
import { WebUi } from './web-ui/web-ui.js';
import { notifyArchiver, passTurn, reportEnd, reportSteps, WaitReporter } from './worker-sinks.js';

/** Characters of a failure's message. */
const maxMessageLength = 1_000;

export async function agent(argument: RunInput): Promise<ChainResult> {
  const inbox = new TaskInbox();
  const { workflowId, runId, continuedFromExecutionRunId: continuedFrom, cronSchedule, attempt } = workflowInfo();
  const input = parseRunInput(argument, { continuedFrom, cronSchedule, attempt });
  const start = toRunStartState(input, workflowId);
  let { state } = start;
  setHandler(defineQuery<ChainState>(stateQuery), () => state);
  inbox.put('start', start.toFact);
  registerMessageHandlers(inbox, () => state);

  const previousDisplay = isContinuation(input) ? input.display : null;
  // One masker for all shown texts: a mark has one meaning.
  const masker = toFailSafeMasker(createSnippetMasker(previousDisplay?.hidden ?? listInheritedSensitiveTexts(input)));
  // Temporal's cancel is a fact: the chain settles its operations before it ends.
  await CancellationScope.nonCancellable(async () => {
    const operations = new Operations(inbox, masker);
    const ui = new WebUi(masker, previousDisplay?.paragraphs);
    const status = new StatusUpdater(state);
    const waits = new WaitReporter(state);
    const separator = new TaskSeparator(workflowInfo().historyLength);
    const past = new PastCollector(isContinuation(input) ? readPast(input) : emptyPast);
    if (start.previousRunId !== null) operations.archive(start.previousRunId);
    if (start.preparation !== null) operations.prepareLocally(start.preparation);
    const end = await inbox.takeTurns(
      (facts, deferred, localResults) => {
        // The SDK may deliver the results of local calls with a later task than on replay: the turn has the size of the one before.
        const { deferred: _, ...size } = localResults === 0 || state.facts === 0 ? getHistorySize() : state.history;
        const history = { ...size, ...toDeferredCount(deferred) };
        if (state.agent !== null) passTurn(history, facts);
        const turn = takeTurn(state, history, facts);
        state = turn.state;
        if (turn.fault !== undefined) log.error(logMessages.fault, { error: turn.fault });
        ui.show(state, turn.entries);
        past.add(state, turn.entries);
        status.begin(state, facts);
        reportSteps(state, turn.entries);
        for (const action of turn.actions) {
          if (action.type === 'end' || action.type === 'continueAsNew') return action.type;
          operations.perform(state, action);
        }
        status.update(state);
        waits.report(state);
        separator.separate(turn.actions, history.events, localResults);
        return null;
      },
      (events) => separator.hasRecordedNothing(events),
    );
    if (end === 'end') return status.close(toCloseResult(state));
    status.update(state);
    waits.report(state);
    return continueAsNew<typeof agent>(toContinuation(state, runId, ui.display, past.past));
  });
  notifyArchiver();
  reportEnd(state);
  return closeChain(state, masker);
}

function getHistorySize(): HistorySize {
  const { historyLength: events, historySize: bytes, continueAsNewSuggested: suggested } = workflowInfo();
  return { events, bytes, continueSuggested: suggested };
}

/**
 * Closes the workflow with a status for the list of workflows. A failure's message is shown there as it is; the result
 * is in its details.
 */
function closeChain(state: ChainState, masker: SnippetMasker): ChainResult {
  const result = toCloseResult(state);
  const message = () => toPlainText(masker.reason(result.reason, maxMessageLength));
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
      if (state.temporalCancelled) throw new CancelledFailure(message());
      return result;
    default:
      return result;
  }
}
