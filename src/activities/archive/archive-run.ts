/**
 * Archives a closed run and appends its entries to the audit log, for the activity `longhand.archive` and every other
 * archiver.
 */

import { Context } from '@temporalio/activity';
import { type ArchiveInput, isNotFound } from '../../contract/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import {
  type ClosedRunRecord,
  type ClosedRunSource,
  type HistoryService,
  type RunReference,
  readClosedRun,
} from '../../history/index.js';
import {
  auditErasedRun,
  auditRun,
  computeRetentionMs,
  createArchiveReader,
  isArchived,
  openConfiguredBlobs,
  type PutResult,
  putRun,
  type Retention,
  toSegment,
} from '../../store/index.js';
import { getOwnHistory } from '../context/activity-context.js';
import type { Archive, Dependencies } from '../context/dependencies.js';

/** `noChain`: the run has no chain, or the server has deleted its history. `expired`: its retention has ended. */
export type ArchiveResult = PutResult | 'running' | 'noChain' | 'expired';

/**
 * @param now the latest time that the server has reported, to skip runs past their retention. This machine's clock may
 *   be ahead, and would prevent archiving. Default: the close time of the run
 * @throws {StoreError} and errors of the server
 */
export async function archiveRun(
  archive: Archive,
  history: HistoryService,
  run: RunReference,
  now?: number,
): Promise<ArchiveResult> {
  const { store, namespace, server, converter, retention, visibility } = archive;
  const { workflowId: chainId, runId } = run;
  if (await isArchived(store, { namespace, chainId }, runId)) return 'alreadyArchived';
  const source: ClosedRunSource = { history, converter, archived: createArchiveReader(store, namespace) };
  const read = await readClosedRun(source, run).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
  if (read === null) return 'noChain';
  if (read.run.closed === null) return 'running';
  if (isExpired(read, retention, now)) return 'expired';
  const { before, chain, hidden } = read;
  const steps = chain.steps.slice(before?.steps.length ?? 0);
  const own = { run: read.run, chain: { ...chain, steps }, headBefore: before?.state.head ?? '', hidden };
  const segment = toSegment({ namespace, server, chainId, ...own, visibility });
  if (segment === null) return 'noChain';
  const auditedRun = { namespace, chainId, ...read.run, turns: read.turns, before };
  const put = await putRun(store, segment, async (tx, erasure) => {
    if (archive.audit === null) return;
    if (erasure === null) await auditRun(tx, auditedRun, archive.audit);
    else {
      const { scope, erased_by: by, erased_at: at } = erasure;
      await auditErasedRun(tx, auditedRun, { scope, by, at }, archive.audit);
    }
  });
  // An erased chain that still ran may have stored content after its erasure.
  if (put === 'erased')
    await openConfiguredBlobs(store, process.env).delete({ namespace, chainId }, read.run.closedAt ?? undefined);
  return put;
}

/**
 * Whether the next sweep would prune the chain, and then archive it again. A later run is archived: its earlier runs
 * are in the archive and are pruned with it.
 */
function isExpired({ run, chain, before }: ClosedRunRecord, retention: Retention, now: number | undefined): boolean {
  const { closed, closedAt } = run;
  if (closed === 'continuedAsNew' || before !== null) return false;
  const { outcome } = computeClosedResult({ chain, closed, closedAt });
  const retentionMs = computeRetentionMs(retention, { tenant: chain.state.input?.tenant ?? null, outcome });
  return retentionMs !== null && (retentionMs === 0 || (closedAt ?? 0) + retentionMs < (now ?? closedAt ?? 0));
}

export function createArchiveActivity({ archive }: Dependencies) {
  return async ({ runId }: ArchiveInput): Promise<ArchiveResult | null> => {
    // A chain continues without an archive, and records that in its history.
    if (archive === null) return null;
    const { history, run } = getOwnHistory(Context.current());
    return archiveRun(archive, history, { ...run, runId });
  };
}
