/**
 * L5 and Temporal's reset: a run that was reset asks the model again, and what it then calls the earlier run may have
 * done. So an unsafe call first looks whether its run came from a reset, and what the runs before did behind the point
 * where this one was cut off from them.
 *
 * 1. A call of the same tool behind that point stands in the way, whatever its step and its arguments: this run does
 *    not know of it.
 * 2. So does this very call, if it was under way at that point.
 * 3. Calls that ended before that point are in this run's history too: the chain knows them. Of the runs that an earlier one
 *    went on in, this one knows nothing.
 * 4. A person's word that the call did not happen stands against the first two, if this run had asked for it. One that the
 *    reset has handed on was said of what came before.
 */

import type { Context } from '@temporalio/activity';
import { failureTypes } from '../contract/names.js';
import { continuedIn, idOf } from '../history/event.js';
import { type HistoryService, type Run, readForward } from '../history/read.js';
import { failure } from './failures.js';
import { ownHistory } from './own-history.js';

/** The type of the failure says that the outcome is in doubt: anything but `NotDone` does. */
const doneBeforeReset = 'DoneBeforeReset';

/** Which run another was made of, and the first event that they do not share. */
interface Base {
  readonly run: Run;
  readonly cut: number;
}

/**
 * @param retried whether somebody has said that an attempt at the call did not happen
 * @throws a failure that leaves the outcome unknown, if an earlier run of this workflow began such a call
 */
export async function refuseAfterReset(context: Context, retried: boolean): Promise<void> {
  const { history, run } = ownHistory(context);
  const { activityType, activityId } = context.info;
  let begun = false;
  try {
    let base = await baseOf(history, run);
    const attempts = base === null ? [] : await attemptsAt(history, run, activityId);
    if (retried && attempts.filter((id) => id >= (base?.cut ?? 0)).length > 1) return;
    const current = attempts.at(-1) ?? null;
    while (base !== null && !begun) {
      begun = await hasBegun(history, base, activityType, current);
      base = await baseBefore(history, base);
    }
  } catch (error) {
    throw failure(
      failureTypes.notDone,
      `Whether this run was reset could not be found out; nothing was done. ${error}`,
    );
  }
  if (!begun) return;
  throw failure(doneBeforeReset, `The run was reset in Temporal, and the run before had already begun ${activityType}`);
}

/** The events that scheduled a call, newest last: each after the first was made on a person's word. */
async function attemptsAt(history: HistoryService, run: Run, call: string): Promise<readonly number[]> {
  const attempts: number[] = [];
  for await (const page of readForward(history, run)) {
    const scheduled = page.filter((event) => event.activityTaskScheduledEventAttributes?.activityId === call);
    attempts.push(...scheduled.map(idOf));
  }
  return attempts;
}

async function baseOf(history: HistoryService, run: Run): Promise<Base | null> {
  if (!(await isCopied(history, run))) return null;
  let base: Base | null = null;
  for await (const page of readForward(history, run)) {
    for (const event of page) {
      const runId = event.workflowTaskFailedEventAttributes?.baseRunId;
      // The last one is of this run's own reset; it may have copied others.
      if (runId) base = { run: { ...run, runId }, cut: idOf(event) };
    }
  }
  return base;
}

/** What the first run shares with one before its base, is what all three share. */
async function baseBefore(history: HistoryService, { run, cut }: Base): Promise<Base | null> {
  const before = await baseOf(history, run);
  return before && { ...before, cut: Math.min(cut, before.cut) };
}

/** The start keeps the id of the run it was written in; a reset copies it into a run of another id. */
async function isCopied(history: HistoryService, run: Run): Promise<boolean> {
  for await (const [first] of readForward(history, run, 1)) {
    return first?.workflowExecutionStartedEventAttributes?.originalExecutionRunId !== run.runId;
  }
  return false;
}

/** @param current the event that scheduled the attempt under way, which the run may share with this one */
async function hasBegun(
  history: HistoryService,
  { run, cut }: Base,
  type: string,
  current: number | null,
): Promise<boolean> {
  let next: string | null = null;
  for await (const page of readForward(history, run)) {
    for (const event of page) {
      if (event.activityTaskScheduledEventAttributes?.activityType?.name !== type) continue;
      if (idOf(event) >= cut || idOf(event) === current) return true;
    }
    next = continuedIn(page);
  }
  // All of a run that it went on in lies behind the point.
  return next !== null && hasBegun(history, { run: { ...run, runId: next }, cut: 0 }, type, null);
}
