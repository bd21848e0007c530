/**
 * The workflow of an unsafe call of an activity of the user. The id of a workflow is taken once, also after the chain was reset: a
 * server that resets a run starts the running activities of that run again, but not its child workflows (L5).
 */

import { ApplicationFailure } from '@temporalio/common';
import { isCancellation, scheduleActivity } from '@temporalio/workflow';
import { failureTypes, toFailure, unwrapFailure } from '../contract/index.js';

export interface CallActivityInput {
  readonly type: string;
  readonly args: unknown[];
  readonly options: Parameters<typeof scheduleActivity>[2];
}

/** Returns the result of the activity. A failure is in the details of its own, as the chain of the call reads it. */
export async function longhandCall({ type, args, options }: CallActivityInput): Promise<unknown> {
  try {
    return await scheduleActivity<unknown>(type, args, options);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = toFailure(unwrapFailure(error));
    throw ApplicationFailure.create({
      type: failureTypes.callFailed,
      message: failure.message,
      nonRetryable: true,
      details: [failure],
    });
  }
}
