/**
 * Finds the chain that a person means: a file, an id, or the beginning of one that no other chain shares. A sub-chain is
 * named by the beginning of its root's id, too, with the path from there: `editor-16d61e86/1.1`.
 */

import { type Stats, statSync } from 'node:fs';
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { Longhand } from '../../client/connect.js';
import { ChainNotFoundError, isServerUnavailable } from '../../client/errors/errors.js';
import { resolveChainSource } from '../../client/read/chain-source.js';
import { createMetadataClient } from '../../client/read/many-chains.js';
import { parseRecordedChain, type RecordedChain, readRecordedChain } from '../../client/read/recorded-chain.js';
import { workflowType } from '../../contract/names.js';
import type { ActivityAttempts } from '../../core/model/activity.js';
import { UsageError } from '../flags/usage-error.js';
import { parseFile } from '../terminal/read-text.js';

/** Opens the connection when it is needed: a file needs no server. */
export type Connect = () => Promise<Longhand>;

export async function findRecordedChain(named: string, connect: Connect): Promise<RecordedChain> {
  if (isFile(named)) return parseFile(named, parseRecordedChain);
  const longhand = await connect();
  const source = await resolveChainSource(longhand.client, await resolveChainId(longhand, named));
  const recorded = await readRecordedChain(source);
  if (recorded.closed !== null || source.archivedChain !== null) return recorded;
  return addPendingAttempts(
    recorded,
    await createMetadataClient(longhand.client).getHandle(source.chainId, source.runId).describe(),
  );
}

/** Bytes that Temporal allows. */
const maxIdBytes = 1_000;

/** @throws ChainNotFoundError, UsageError when several chains begin so */
export async function resolveChainId(longhand: Longhand, named: string): Promise<string> {
  if (named.trim() === '') throw new UsageError('Name a chain: its id, the beginning of one, or a file.');
  const bytes = Buffer.byteLength(named);
  if (bytes > maxIdBytes) throw new UsageError(`The id has ${bytes} bytes; ids of chains have ${maxIdBytes} at most.`);
  if (await hasChain(longhand, named)) return named;
  const beginning = await findIdByPrefix(longhand, named);
  if (beginning !== null) return beginning;
  // An id that somebody chose may have slashes of its own: the longest head that a chain begins with is the root's.
  for (const head of listAncestorIds(named).toReversed()) {
    const root = await findIdByPrefix(longhand, head);
    if (root === null) continue;
    const whole = root + named.slice(head.length);
    if (await hasChain(longhand, whole)) return whole;
    break;
  }
  throw new ChainNotFoundError(named);
}

async function hasChain(longhand: Longhand, chainId: string): Promise<boolean> {
  try {
    await createMetadataClient(longhand.client).getHandle(chainId).describe();
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError) && !isServerUnavailable(error)) throw error;
    return isArchived(longhand, chainId);
  }
}

/** One that was erased is there, too: whoever reads it is told so. */
async function isArchived({ archive }: Longhand, chainId: string): Promise<boolean> {
  const found = await archive?.list({ chainId, limit: 1 });
  return found !== undefined && found.chains.length > 0;
}

/** Null where none begins so. @throws UsageError when several do */
async function findIdByPrefix(longhand: Longhand, named: string): Promise<string | null> {
  const found = new Set<string>();
  const query = `WorkflowType = "${workflowType}" AND WorkflowId STARTS_WITH ${JSON.stringify(named)}`;
  try {
    for await (const { workflowId } of createMetadataClient(longhand.client).list({ query, pageSize: 100 })) {
      found.add(workflowId);
      if (found.size >= maxScannedIds) break;
    }
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
  }
  const archived = await longhand.archive?.list({ idPrefix: named, limit: maxScannedIds });
  for (const { chainId } of archived?.chains ?? []) found.add(chainId);
  const [only, ...others] = filterRootIds([...found]);
  if (only === undefined) return null;
  if (others.length === 0) return only;
  const shown = [only, ...others].slice(0, maxListedIds).join('\n  ');
  const many = others.length >= maxListedIds ? 'Many' : others.length + 1;
  throw new UsageError(`${many} chains begin with ${named}:\n  ${shown}`);
}

const maxListedIds = 10;
/** Ids that are looked at: of a tree of chains all begin as its root does. */
const maxScannedIds = 1_000;

/** Whose id begins with that of another is one of its sub-chains, and not meant. */
export function filterRootIds(ids: readonly string[]): readonly string[] {
  const all = new Set(ids);
  return ids.filter((id) => !listAncestorIds(id).some((above) => all.has(above)));
}

function listAncestorIds(id: string): readonly string[] {
  return [...id.matchAll(/\//g)].map(({ index }) => id.slice(0, index));
}

/** What looks like a path is one; else a file of that name that is there. Ids of chains may have slashes, too. */
export function isFile(named: string): boolean {
  if (/^[./\\~]|^[A-Za-z]:[/\\]|\.json$/.test(named)) return true;
  const stats = findStats(named);
  return stats !== undefined && (/[/\\]/.test(named) || !stats.isDirectory());
}

/** An id may be longer than any name of a file: asking for one throws ENAMETOOLONG. */
function findStats(named: string): Stats | undefined {
  try {
    return statSync(named, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/**
 * The chain with its running calls' attempts as they are now: a history records an attempt only when it is over. Beside the
 * facts, like all attempts.
 */
export function addPendingAttempts(
  recorded: RecordedChain,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): RecordedChain {
  const attempts = new Map(recorded.attempts);
  for (const pending of raw.pendingActivities ?? []) {
    const known = attempts.get(pending.activityId ?? '');
    if (known !== undefined && known.endedEventId === null)
      attempts.set(pending.activityId ?? '', updateAttempts(pending, known));
  }
  return { ...recorded, attempts };
}

function updateAttempts(pending: PendingActivity, known: ActivityAttempts): ActivityAttempts {
  const { attempt, lastStartedTime, lastWorkerIdentity, lastFailure } = pending;
  const begun = lastStartedTime != null;
  return {
    ...known,
    made: begun ? (attempt ?? 1) : 0,
    startedAt: begun ? Number(lastStartedTime.seconds ?? 0) * 1_000 : null,
    worker: lastWorkerIdentity || known.worker,
    lastFailure: lastFailure?.message ?? known.lastFailure,
  };
}
