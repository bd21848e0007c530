/**
 * Archives closed runs that were missed, by the server's list: after a crash, a terminate, or an outage of the store.
 * Also deletes chains past their retention.
 *
 * W1 A sweep starts some minutes before the last close time that the previous complete sweep saw: the list lags, and
 *    the server's clocks differ. This machine's clock can only move the start back, so a fast clock skips nothing.
 * W2 One worker sweeps at a time. The claim of a worker that died expires after some minutes.
 * W3 A run that cannot be archived does not stop the others; the next sweep starts before it.
 */

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type Archive, type ArchiveResult, archiveRun } from '../activities/index.js';
import { createKeywordKey, workflowType } from '../contract/index.js';
import type { HistoryService, RunReference } from '../history/index.js';
import { claimSweep, completeSweep, pruneChains } from '../store/index.js';

export interface SweepOptions {
  readonly archive: Archive;
  readonly history: HistoryService;
  /** The server's list of workflows. */
  readonly list: (query: string) => AsyncIterable<ListedRun>;
  readonly now?: () => number;
  /** Whether to sweep all runs on the server, also while another worker sweeps. */
  readonly all?: boolean;
  /** Deletes the other stored content of pruned chains. */
  readonly forget?: (chainId: string, closedAt: number) => Promise<void>;
  readonly onRun?: (chainId: string, result: ArchiveResult | Error) => void;
  /**
   * Called for each closed run, once it is archived. Its failure counts as one of the run (W3).
   *
   * @param tenant undefined if the list does not have it
   */
  readonly onClosed?: (run: RunReference, tenant: string | null | undefined) => Promise<void>;
}

type ListedRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'closeTime'> &
  Partial<Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>>;

export interface SweepResult {
  readonly archived: number;
  readonly alreadyArchived: number;
  /** Chains that could not be archived. */
  readonly failed: readonly { readonly chainId: string; readonly reason: string }[];
  /** Chains deleted after their retention. */
  readonly pruned: number;
}

const marginMs = 10 * 60_000;
const leaseMs = 10 * 60_000;

/** Sweeps once; null while another worker sweeps. @throws {StoreError} and errors of the server */
export async function sweep(source: SweepOptions): Promise<SweepResult | null> {
  const { archive, list, all = false, now = Date.now } = source;
  const { store, namespace, retention } = archive;
  const began = now();
  const watermark = await claimSweep(store, { namespace, now: began, leaseMs, force: all });
  if (watermark === null) return null;
  const failed: SweepResult['failed'][number][] = [];
  const counts = { archived: 0, alreadyArchived: 0 };
  const since = all ? 0 : Math.max(0, watermark - marginMs);
  let latestClose = watermark;
  for await (const { workflowId, runId, closeTime, typedSearchAttributes } of list(formatClosedQuery(since))) {
    latestClose = Math.max(latestClose, closeTime?.getTime() ?? 0);
    const result = await archiveOne(
      source,
      { workflowId, runId, tenant: findTenant(typedSearchAttributes) },
      Math.min(latestClose, began),
    );
    source.onRun?.(workflowId, result);
    if (result instanceof Error) failed.push({ chainId: workflowId, reason: result.message });
    else if (result === 'put' || result === 'erased') counts.archived += 1;
    else if (result === 'alreadyArchived') counts.alreadyArchived += 1;
  }
  const { forget } = source;
  const pruned = await pruneChains(store, { namespace, retention, now: now(), ...(forget ? { forget } : {}) });
  await completeSweep(store, { namespace, watermark: failed.length === 0 ? Math.min(latestClose, began) : watermark });
  return { ...counts, failed, pruned };
}

/** W3. */
async function archiveOne(
  { archive, history, onClosed }: SweepOptions,
  { tenant, ...run }: RunReference & { readonly tenant: string | null | undefined },
  now: number,
): Promise<ArchiveResult | Error> {
  try {
    const result = await archiveRun(archive, history, run, now);
    await onClosed?.(run, tenant);
    return result;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns undefined if the attributes of chains are not known. */
function findTenant(attributes: ListedRun['typedSearchAttributes']): string | null | undefined {
  if (attributes?.get(createKeywordKey('LonghandAgent')) === undefined) return undefined;
  return attributes.get(createKeywordKey('LonghandTenant')) ?? null;
}

export function formatClosedQuery(since: number): string {
  const closed = `WorkflowType = ${JSON.stringify(workflowType)} AND ExecutionStatus != 'Running'`;
  return since === 0 ? closed : `${closed} AND CloseTime >= '${new Date(since).toISOString()}'`;
}
