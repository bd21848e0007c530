/** Replays of several histories in one worker, because its start costs as much as many replays. */

import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import type { HistoryEvent } from '../../src/history/event.js';

export interface RecordedRun {
  /** Unique among the runs that are replayed together. */
  readonly name: string;
  readonly chainId: string;
  readonly events: readonly HistoryEvent[];
}

/** Replays the runs one after the other. Returns for each its name, and its error or null. */
export async function replayRuns(
  options: ReplayWorkerOptions,
  runs: readonly RecordedRun[],
): Promise<ReadonlyMap<string, Error | null>> {
  const errors = new Map<string, Error | null>();
  const histories = runs.map(({ chainId, events }) => ({ workflowId: chainId, history: { events: [...events] } }));
  for await (const { error } of Worker.runReplayHistories(options, histories))
    errors.set(runs[errors.size]?.name ?? '', error ?? null);
  return errors;
}
