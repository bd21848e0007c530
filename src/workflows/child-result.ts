/** The result of a chain that closed without returning one to the workflow that ran it. */

import { ApplicationFailure, CancelledFailure, type ChildWorkflowFailure, TimeoutFailure } from '@temporalio/common';
import { isCancellation, scheduleActivity } from '@temporalio/workflow';
import { activityNames, failureTypes, type ReadResultInput, toSummary } from '../contract/index.js';
import { type ChainResult, toEndTimes } from '../core/engine/index.js';
import { isObject } from '../core/lib/index.js';
import { noUsage } from '../core/model/index.js';

/** Returns the result in the close of a failed chain. */
export function findResult({ cause }: ChildWorkflowFailure): ChainResult | null {
  if (!(cause instanceof ApplicationFailure) || cause.type !== failureTypes.chainFailed) return null;
  const [result] = cause.details ?? [];
  return isObject(result) && typeof result.outcome === 'string' ? (result as unknown as ChainResult) : null;
}

/** The failure of a chain that was terminated in the meantime is not a cancel: a cancelled workflow would close as failed. */
export function toCancel(error: ChildWorkflowFailure): Error {
  return isCancellation(error) ? error : new CancelledFailure(error.message);
}

interface EndedChain extends ReadResultInput {
  readonly taskQueue: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Reads the result of a chain that Temporal ended. Its history may be deleted, or sealed with keys that are missing. */
export async function readResult(
  { cause }: ChildWorkflowFailure,
  { chainId, taskQueue, startedAt }: EndedChain,
): Promise<ChainResult> {
  try {
    return await scheduleReadResult({ chainId }, taskQueue);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return {
      ...{ chainId, outcome: 'terminated', success: false, answer: null, partial: null, reasonCode: null },
      reason: `${describeEnd(cause)}. Its history cannot be read, so its steps and cost are unknown.`,
      ...{ steps: 0, usage: noUsage, costUsd: null },
      startedAt: new Date(startedAt).toISOString(),
      ...toEndTimes(startedAt, Date.now()),
    };
  }
}

function describeEnd(cause: Error | undefined): string {
  if (cause instanceof TimeoutFailure) return "Temporal's own timeout ended it";
  return cause instanceof CancelledFailure ? 'It was cancelled' : 'It was terminated in Temporal';
}

/** The agent's workers read the result from the history. */
function scheduleReadResult(input: ReadResultInput, taskQueue: string): Promise<ChainResult> {
  return scheduleActivity<ChainResult>(activityNames.readResult, [input], {
    activityId: `${activityNames.readResult} ${input.chainId}`,
    taskQueue,
    startToCloseTimeout: 60_000,
    retry: { maximumAttempts: 5 },
    summary: toSummary(input.chainId),
  });
}
