/**
 * Resolves the chain that a person names: a file, an id, or the unique beginning of an id. The beginning of a root's id
 * also names its sub-chains, with the path from the root: `editor-16d61e86/1.1`. The beginning of a thread's ids names its
 * first chain.
 */

import { type Stats, statSync } from 'node:fs';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { RecordedHistory } from '../../client/index.js';
import {
  addPendingAttempts,
  ChainNotFoundError,
  createMetadataClient,
  createThreadSource,
  isServerUnavailable,
  type Longhand,
  parseRecordedChain,
  readChainPart,
  readRecordedChain,
  resolveChainSource,
} from '../../client/index.js';
import { workflowType } from '../../contract/index.js';
import { UsageError } from '../flags/usage-error.js';
import { parseFile } from '../terminal/read-text.js';

/** Opens the connection on first use: a file needs no server. */
export type Connect = () => Promise<Longhand>;

/** @param step reads no further than this step needs; default: the whole chain. A file is always read whole. */
export async function findRecordedChain(reference: string, connect: Connect, step?: number): Promise<RecordedHistory> {
  if (isFile(reference)) return parseFile(reference, parseRecordedChain);
  const longhand = await connect();
  const source = await resolveChainSource(longhand.client, await resolveChainId(longhand, reference));
  const recorded = step === undefined ? await readRecordedChain(source) : await readChainPart(source, step);
  if (recorded.closed !== null || source.archivedChain !== null) return recorded;
  const described = await createMetadataClient(longhand.client).getHandle(source.chainId, source.runId).describe();
  return addPendingAttempts(recorded, described, source.converter);
}

/** Temporal's limit. */
const maxIdBytes = 1_000;

/** @throws ChainNotFoundError; UsageError when several chains begin with `reference` */
export async function resolveChainId(longhand: Longhand, reference: string): Promise<string> {
  if (reference.trim() === '') throw new UsageError('Name a chain: its id, the beginning of its id, or a file.');
  const bytes = Buffer.byteLength(reference);
  if (bytes > maxIdBytes) throw new UsageError(`The chain id has ${bytes} bytes; the limit is ${maxIdBytes}.`);
  if (await hasChain(longhand, reference)) return reference;
  const beginning = await findIdByPrefix(longhand, reference);
  if (beginning !== null) return beginning;
  // A chosen id may contain slashes: the longest part that begins a chain's id is the root's.
  for (const head of listAncestorIds(reference).toReversed()) {
    const root = await findIdByPrefix(longhand, head);
    if (root === null) continue;
    const whole = root + reference.slice(head.length);
    if (await hasChain(longhand, whole)) return whole;
    break;
  }
  throw new ChainNotFoundError(reference);
}

/** Like `resolveChainId`, for a thread: its id names it even when its first chain is gone. */
export async function resolveThreadChain(longhand: Longhand, reference: string): Promise<string> {
  const [member] = reference === '' ? [] : await createThreadSource(longhand.client, longhand.archive).list(reference);
  return member === undefined ? resolveChainId(longhand, reference) : reference;
}

async function hasChain(longhand: Longhand, chainId: string): Promise<boolean> {
  try {
    if (await isOnServer(longhand, chainId)) return true;
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
  }
  return isArchived(longhand, chainId);
}

export async function isOnServer({ client }: Longhand, chainId: string): Promise<boolean> {
  try {
    await createMetadataClient(client).getHandle(chainId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Erased chains count as archived: the reader then gets the error for an erased chain. */
async function isArchived({ archive }: Longhand, chainId: string): Promise<boolean> {
  const archivedPage = await archive?.list({ chainId, limit: 1 });
  return archivedPage !== undefined && archivedPage.chains.length > 0;
}

/** Returns the only chain whose id begins with `prefix`, or null. @throws UsageError when several do */
async function findIdByPrefix(longhand: Longhand, prefix: string): Promise<string | null> {
  const ids = new Set<string>();
  const query = `WorkflowType = "${workflowType}" AND WorkflowId STARTS_WITH ${JSON.stringify(prefix)}`;
  try {
    for await (const { workflowId } of createMetadataClient(longhand.client).list({ query, pageSize: 100 })) {
      ids.add(workflowId);
      if (ids.size >= maxScannedIds) break;
    }
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
  }
  const archived = await longhand.archive?.list({ idPrefix: prefix, limit: maxScannedIds });
  for (const { chainId } of archived?.chains ?? []) ids.add(chainId);
  const [only, ...others] = filterRootIds([...ids]);
  if (only === undefined) return null;
  if (others.length === 0) return only;
  const list = [only, ...others].slice(0, maxListedIds).join('\n  ');
  const many = others.length >= maxListedIds ? 'Many' : others.length + 1;
  throw new UsageError(`${many} chains begin with ${prefix}. Give more of the id:\n  ${list}`);
}

const maxListedIds = 10;
/** The ids of a whole tree begin with its root's id, so more are read than are listed. */
const maxScannedIds = 1_000;

/** Removes sub-chains and follow-ups: an id that extends another id in the list. */
export function filterRootIds(ids: readonly string[]): readonly string[] {
  const all = new Set(ids);
  return ids.filter((id) => !listAncestorIds(id).some((above) => all.has(above)));
}

function listAncestorIds(id: string): readonly string[] {
  return [...id.matchAll(/\/|~(?=\d+(?:\/|$))/g)].map(({ index }) => id.slice(0, index));
}

/** Whether `reference` is a file: it looks like a path, or a file of that name exists. Chain ids may contain slashes, too. */
export function isFile(reference: string): boolean {
  if (/^[./\\~]|^[A-Za-z]:[/\\]|\.json$/.test(reference)) return true;
  const stats = findStats(reference);
  return stats !== undefined && (/[/\\]/.test(reference) || !stats.isDirectory());
}

/** An id may be longer than a file name may be: `statSync` then throws ENAMETOOLONG. */
function findStats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
