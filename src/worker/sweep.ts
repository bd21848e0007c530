/**
 * Finds closed runs that nobody has archived, by the server's own list: after a crash, a terminate, a store that was down.
 * Deletes what was kept for long enough, too.
 *
 * W1 It begins at the last close that the last one which came to its end was told of, and some minutes before: the list
 *    lags behind, and the server's clocks differ. The clock of this machine moves it back at most: where it was ahead for a
 *    while, nothing is passed over.
 * W2 Of several workers one does it at a time. Who dies over it is waited for some minutes, and no longer.
 * W3 A run that cannot be archived keeps none of the others from it; the next sweep begins before it.
 */

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type ArchiveResult, archiveRun } from '../activities/archive/archive-run.js';
import type { Archive } from '../activities/context/dependencies.js';
import { workflowType } from '../contract/names.js';
import { isNotFound } from '../contract/no-such-namespace.js';
import type { HistoryService, Run } from '../history/read-history.js';
import { pruneChains } from '../store/archive/prune.js';
import { claimSweep, completeSweep } from '../store/archive/sweep-claim.js';

export interface SweepOptions {
  readonly archive: Archive;
  readonly history: HistoryService;
  /** The server's list of workflows. */
  readonly list: (query: string) => AsyncIterable<Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'closeTime'>>;
  readonly now?: () => number;
  /** Everything that the server still has, whoever sweeps. */
  readonly all?: boolean;
  /** Takes away what else is kept of chains that go. */
  readonly forget?: (chainId: string, closedAt: number) => Promise<void>;
  readonly onRun?: (chainId: string, came: ArchiveResult | Error) => void;
}

export interface SweepResult {
  readonly archived: number;
  readonly there: number;
  /** Of chains that were to be archived and could not be. */
  readonly failed: readonly { readonly chainId: string; readonly reason: string }[];
  /** Chains that had been kept for long enough. */
  readonly pruned: number;
}

const marginMs = 10 * 60_000;
const leaseMs = 10 * 60_000;

/** Null where another worker does it. @throws StoreError, and what the server answers */
export async function sweep(source: SweepOptions): Promise<SweepResult | null> {
  const { archive, list, all = false, now = Date.now } = source;
  const { store, namespace, retention } = archive;
  const began = now();
  const watermark = await claimSweep(store, { namespace, now: began, leaseMs, force: all });
  if (watermark === null) return null;
  const failed: SweepResult['failed'][number][] = [];
  const counts = { archived: 0, there: 0 };
  const since = all ? 0 : Math.max(0, watermark - marginMs);
  let told = watermark;
  for await (const { workflowId, runId, closeTime } of list(formatClosedQuery(since))) {
    told = Math.max(told, closeTime?.getTime() ?? 0);
    const came = await archiveOne(source, { workflowId, runId }, Math.min(told, began));
    source.onRun?.(workflowId, came);
    if (came instanceof Error) failed.push({ chainId: workflowId, reason: came.message });
    else if (came === 'put' || came === 'erased') counts.archived += 1;
    else if (came === 'there') counts.there += 1;
  }
  const { forget } = source;
  const pruned = await pruneChains(store, { namespace, retention, now: now(), ...(forget ? { forget } : {}) });
  await completeSweep(store, { namespace, watermark: failed.length === 0 ? Math.min(told, began) : watermark });
  return { ...counts, failed, pruned };
}

/** W3. What is gone from the server since it was listed is no failure. */
async function archiveOne({ archive, history }: SweepOptions, run: Run, now: number): Promise<ArchiveResult | Error> {
  try {
    return await archiveRun(archive, history, run, now);
  } catch (error) {
    if (isNotFound(error)) return 'noChain';
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function formatClosedQuery(since: number): string {
  const closed = `WorkflowType = ${JSON.stringify(workflowType)} AND ExecutionStatus != 'Running'`;
  return since === 0 ? closed : `${closed} AND CloseTime >= '${new Date(since).toISOString()}'`;
}
