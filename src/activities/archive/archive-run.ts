/** Takes a closed run from the server into the archive, with what the audit log tells of it: `longhand.archive`, and whoever else archives. */

import { Context } from '@temporalio/activity';
import type { ArchiveInput } from '../../contract/activities.js';
import { computeClosedResult } from '../../core/record/closed-result.js';
import { type ClosedRunRecord, type ClosedRunSource, readClosedRun } from '../../history/closed-run.js';
import type { HistoryService, Run } from '../../history/read-history.js';
import { createArchiveReader } from '../../store/archive/archived-runs.js';
import { isArchived, type PutResult, putRun } from '../../store/archive/put-run.js';
import { computeRetentionMs, type Retention } from '../../store/archive/retention.js';
import { toSegment } from '../../store/archive/segment.js';
import { auditErasedRun, auditRun } from '../../store/audit/audit-run.js';
import { openConfiguredBlobs } from '../../store/blobs/blobs.js';
import { getOwnHistory } from '../context/activity-context.js';
import type { Archive, Dependencies } from '../context/dependencies.js';

/** `noChain`: there is no chain in it. `over`: it has been longer than it would be kept. */
export type ArchiveResult = PutResult | 'running' | 'noChain' | 'over';

/**
 * @param now the latest time that the server has told of, for what is long over: a clock that is ahead would keep a run from
 *   being archived for good. Left out: when the run closed
 * @throws StoreError, and what the server answers
 */
export async function archiveRun(
  archive: Archive,
  history: HistoryService,
  run: Run,
  now?: number,
): Promise<ArchiveResult> {
  const { store, namespace, converter, retention, visibility } = archive;
  const { workflowId: chainId, runId } = run;
  if (await isArchived(store, { namespace, chainId }, runId)) return 'there';
  const source: ClosedRunSource = { history, converter, archived: createArchiveReader(store, namespace) };
  const read = await readClosedRun(source, run);
  if (read === null) return 'noChain';
  if (read.run.closed === null) return 'running';
  if (isExpired(read, retention, now)) return 'over';
  const { before, chain, hidden } = read;
  const steps = chain.steps.slice(before?.steps.length ?? 0);
  const own = { run: read.run, chain: { ...chain, steps }, headBefore: before?.state.head ?? '', hidden };
  const segment = toSegment({ namespace, chainId, ...own, visibility });
  if (segment === null) return 'noChain';
  const told = { namespace, chainId, ...read.run, turns: read.turns, before };
  const put = await putRun(store, segment, async (tx, erasure) => {
    if (erasure === null) await auditRun(tx, told, archive.audit);
    else {
      const { scope, erased_by: by, erased_at: at } = erasure;
      await auditErasedRun(tx, told, { scope, by, at }, archive.audit);
    }
  });
  // What it stored while it ran was not yet known to be its when it was erased.
  if (put === 'erased')
    await openConfiguredBlobs(store, process.env).delete({ namespace, chainId }, read.run.closedAt ?? undefined);
  return put;
}

/**
 * It would be deleted with the next sweep, and archived again by it. A later run is put all the same: those before it are there
 * by now, and go with it.
 */
function isExpired({ run, chain, before }: ClosedRunRecord, retention: Retention, now: number | undefined): boolean {
  const { closed, closedAt } = run;
  if (closed === 'continuedAsNew' || before !== null) return false;
  const { outcome } = computeClosedResult({ chain, closed, closedAt });
  const kept = computeRetentionMs(retention, { tenant: chain.state.input?.tenant ?? null, outcome });
  return kept !== null && (kept === 0 || (closedAt ?? 0) + kept < (now ?? closedAt ?? 0));
}

export function createArchiveActivity({ archive }: Dependencies) {
  return async ({ runId }: ArchiveInput): Promise<ArchiveResult | null> => {
    // A chain goes on without an archive, and says so in its history.
    if (archive === null) return null;
    const { history, run } = getOwnHistory(Context.current());
    return archiveRun(archive, history, { ...run, runId });
  };
}
