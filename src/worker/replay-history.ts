/**
 * Replays a history through the real workflow and finds the first event that differs. The SDK does not always report
 * the event, so prefixes of the history are replayed in a binary search.
 */

import type { DataConverter } from '@temporalio/common';
import { type ReplayWorkerOptions, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { HistoryEvent } from '../history/index.js';

/** The first event at which the workflow differs from the history. */
export interface ReplayMismatch {
  /** Index of the event in the history, from 0. */
  readonly at: number;
  /** Message of the SDK. */
  readonly message: string;
}

/**
 * @param dataConverter for encoded payloads
 * @returns null when the workflow matches the whole history
 */
export async function replayHistory(
  events: readonly HistoryEvent[],
  chainId: string,
  bundle: WorkflowBundleOption,
  dataConverter?: DataConverter,
): Promise<ReplayMismatch | null> {
  const options = { workflowBundle: bundle, ...(dataConverter ? { dataConverter } : {}) };
  const replayed = (length: number) => replayEvents(events.slice(0, length), chainId, options);
  let message = await replayed(events.length);
  if (message === null) return null;
  // The first `good` events replay, the first `bad` do not.
  let good = 0;
  let bad = events.length;
  while (bad - good > 1) {
    const length = Math.ceil((good + bad) / 2);
    // A history needs its first workflow task.
    const shorter = length < 3 ? null : await replayed(length);
    if (shorter === null) good = length;
    else [bad, message] = [length, shorter];
  }
  return { at: bad - 1, message };
}

/** Returns the SDK's mismatch, or null. @throws errors that prevent a replay and are not a mismatch */
async function replayEvents(
  events: readonly HistoryEvent[],
  chainId: string,
  options: ReplayWorkerOptions,
): Promise<string | null> {
  try {
    await Worker.runReplayHistory(options, { events: [...events] }, chainId);
    return null;
  } catch (error) {
    if (!(error instanceof Error) || !mismatchErrors.has(error.name)) throw error;
    return extractMessage(error.message);
  }
}

/** By name: the first is a class of the workflow package, which a worker does not load. */
const mismatchErrors: ReadonlySet<string> = new Set(['DeterminismViolationError', 'ReplayError']);

/** Extracts the message from a printed structure of the SDK's core. */
function extractMessage(message: string): string {
  const quoted = /message: "((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
  return (quoted ?? message).replace(/^\[TMPRL\d+\]\s*/, '').replace(/\\(.)/g, '$1');
}
