/**
 * L5 and Temporal's reset: a run that was reset to before an unsafe call asks for the call again, and
 * the earlier run may have made it. So an unsafe call first looks whether its run came from a reset, and
 * what the run before did.
 */

import type { Context } from '@temporalio/activity';
import { failureTypes } from '../contract/names.js';
import type { HistoryEvent } from '../history/event.js';
import { type HistoryService, readForward } from '../history/read.js';
import { failure } from './failures.js';

/** The type of the failure says that the outcome is in doubt: anything but `NotDone` does. */
const doneBeforeReset = 'DoneBeforeReset';

/** @throws a failure that leaves the outcome unknown, if an earlier run of this workflow began the same call */
export async function refuseAfterReset({ client, info }: Context): Promise<void> {
  const { workflowId, runId } = info.workflowExecution ?? { workflowId: '', runId: '' };
  const history: HistoryService = { service: client.connection.workflowService, namespace: client.options.namespace };
  try {
    for (let run = runId; ; ) {
      const earlier = await runBeforeReset(history, workflowId, run);
      if (earlier === null) return;
      if (await hasBegun(history, workflowId, earlier, info.activityId)) break;
      run = earlier;
    }
  } catch (error) {
    throw failure(
      failureTypes.notDone,
      `Whether this run was reset could not be found out; nothing was done. ${error}`,
    );
  }
  throw failure(doneBeforeReset, 'The run was reset to before this call, and the earlier run had already begun it');
}

async function runBeforeReset(history: HistoryService, workflowId: string, runId: string): Promise<string | null> {
  const first = await firstEvent(history, workflowId, runId);
  // The start keeps the id of the run it was written in; a reset copies it into a run of another id.
  if (first?.workflowExecutionStartedEventAttributes?.originalExecutionRunId === runId) return null;
  let base: string | null = null;
  for await (const page of readForward(history, { workflowId, runId })) {
    for (const event of page) base = event.workflowTaskFailedEventAttributes?.baseRunId || base;
  }
  return base;
}

async function firstEvent(
  history: HistoryService,
  workflowId: string,
  runId: string,
): Promise<HistoryEvent | undefined> {
  for await (const page of readForward(history, { workflowId, runId }, 1)) return page[0];
  return undefined;
}

async function hasBegun(
  history: HistoryService,
  workflowId: string,
  runId: string,
  activityId: string,
): Promise<boolean> {
  for await (const page of readForward(history, { workflowId, runId })) {
    if (page.some((event) => event.activityTaskScheduledEventAttributes?.activityId === activityId)) return true;
  }
  return false;
}
