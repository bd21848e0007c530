/**
 * Replays a history through the true workflow, as a worker does that has lost its cache, and finds the event at which the
 * two part. The SDK says what it did not expect and not always where; so shorter and shorter beginnings of the history are
 * replayed, until one event more is one too many.
 */

import type { DataConverter } from '@temporalio/common';
import { type ReplayWorkerOptions, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { HistoryEvent } from '../history/event.js';

/** Where the workflow does something else than the history says. */
export interface ReplayMismatch {
  /** Its place in the history, from 0. */
  readonly at: number;
  /** In the SDK's words. */
  readonly said: string;
}

/**
 * @param dataConverter of histories whose payloads are coded
 * @returns null where the workflow goes the way of the history, to its end or as far as it had come
 */
export async function replayHistory(
  events: readonly HistoryEvent[],
  chainId: string,
  bundle: WorkflowBundleOption,
  dataConverter?: DataConverter,
): Promise<ReplayMismatch | null> {
  const options = { workflowBundle: bundle, ...(dataConverter ? { dataConverter } : {}) };
  const replayed = (length: number) => replayEvents(events.slice(0, length), chainId, options);
  let said = await replayed(events.length);
  if (said === null) return null;
  // The first `good` events are replayed, the first `bad` are not.
  let good = 0;
  let bad = events.length;
  while (bad - good > 1) {
    const length = Math.ceil((good + bad) / 2);
    // A worker is given no history without its first task.
    const shorter = length < 3 ? null : await replayed(length);
    if (shorter === null) good = length;
    else [bad, said] = [length, shorter];
  }
  return { at: bad - 1, said };
}

/** What the SDK did not expect, or null. @throws what keeps it from replaying, which says nothing of the workflow */
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

/** By name: the first is a class of the workflow's own package, which a worker does not load. */
const mismatchErrors: ReadonlySet<string> = new Set(['DeterminismViolationError', 'ReplayError']);

/** It stands within a printed structure of the SDK's core. */
function extractMessage(message: string): string {
  const quoted = /message: "((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
  return (quoted ?? message).replace(/^\[TMPRL\d+\]\s*/, '').replace(/\\(.)/g, '$1');
}
