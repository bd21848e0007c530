/**
 * The files of chains for model calls: those of the task are stored when the agent is prepared, all are read for a request.
 *
 * 1. Small files are arguments of the workflow's start, beside the input; no fact contains them. Larger ones were stored by
 *    the client, in the store that it shares with the workers.
 * 2. A fork has the files of its origin, a branch those of its parent: its own first request stores them for it, so that they
 *    remain when the other chain is erased.
 */

import { createHash } from 'node:crypto';
import type { Context } from '@temporalio/activity';
import { failureTypes } from '../../contract/index.js';
import { isObject } from '../../core/lib/index.js';
import {
  type Chain,
  type ChainState,
  findParent,
  isFileList,
  type ModelRequest,
  type StoredFile,
} from '../../core/model/index.js';
import { readStartArguments } from '../../history/index.js';
import { type BlobStore, isStoreError, StoreError } from '../../store/index.js';
import { withTimeout } from '../../timing/index.js';
import { getOwnHistory } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure } from '../context/failures.js';

/** Milliseconds for the files of a task or of a request: a store that hangs holds the chain like one that fails. */
const storeTimeoutMs = 20_000;

/**
 * Stores the files of the task, or checks that they are stored.
 *
 * @throws a failure that names the first one without bytes; or one by which the chain waits for the store
 */
export async function storeTaskFiles(
  context: Context,
  dependencies: Pick<Dependencies, 'blobs' | 'converter'>,
): Promise<void> {
  await useStore('Cannot store the files of the task', () => storeFiles(context, dependencies)).catch(
    (error: unknown) => {
      throw isStoreError(error) && error.kind === 'tooLarge' ? toBadStart(error.message) : error;
    },
  );
}

/** @throws `StoreError` `tooLarge`, a failure of the work, or `StoreUnavailable` for all that another attempt may repair */
async function useStore<T>(problem: string, work: () => Promise<T>): Promise<T> {
  try {
    const done = await withTimeout(work(), storeTimeoutMs);
    if (done !== null) return done.value;
    throw new StoreError('unavailable', `The store did not answer within ${storeTimeoutMs / 1_000} s.`);
  } catch (error) {
    if (!isStoreError(error) || error.kind === 'tooLarge') throw error;
    throw createFailure(failureTypes.storeUnavailable, `${problem}: ${error.message}`);
  }
}

async function storeFiles(
  context: Context,
  { blobs, converter }: Pick<Dependencies, 'blobs' | 'converter'>,
): Promise<void> {
  const { history, run } = getOwnHistory(context);
  const { input, contents } = await readStartArguments(history, run, converter);
  const start: { readonly files?: unknown; readonly origin?: unknown } = isObject(input) ? input : {};
  const files = isFileList(start.files) ? start.files : [];
  if (files.length === 0) return;
  if (blobs === null) throw toBadStart(`this worker has no store for ${files[0]?.name}. Set LONGHAND_STORE for it.`);
  const owner = { namespace: history.namespace, chainId: run.workflowId };
  const origin = isObject(start.origin) ? [String(start.origin.chainId)] : [];
  const place = { namespace: history.namespace, chainIds: [run.workflowId, ...origin] };
  for (const [index, file] of files.entries()) {
    const content = contents[index];
    if (content === undefined) await checkStored(blobs, place, file);
    else await blobs.put(owner, checkContent(content, file), file.mediaType);
  }
}

interface FilePlace {
  readonly namespace: string;
  /** The chain, then those that may have its files. */
  readonly chainIds: readonly string[];
}

/** A fork has files of its origin, a branch those of its parent. */
function listPlaces(state: ChainState): FilePlace['chainIds'] {
  const { chainId, origin, input } = state;
  const parent = input?.lineage?.branch === undefined ? undefined : findParent(state)?.chainId;
  return [chainId, origin?.chainId, parent].filter((id) => id !== undefined);
}

async function checkStored(blobs: BlobStore, place: FilePlace, file: StoredFile): Promise<void> {
  if ((await findContent(blobs, place, file.digest)) !== null) return;
  throw toBadStart(
    `the store of this worker (${blobs.location}) does not have ${file.name}. Set LONGHAND_STORE to the same store for the program that starts chains and for the workers.`,
  );
}

function checkContent(content: Uint8Array | null, { name, digest, bytes }: StoredFile): Uint8Array {
  if (content === null) throw toBadStart(`the content of ${name} is not bytes.`);
  const contentDigest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  if (contentDigest === digest && content.byteLength === bytes) return content;
  throw toBadStart(`the content of ${name} does not have the digest of its reference.`);
}

function toBadStart(problem: string): Error {
  return createFailure(failureTypes.badDefinition, `Cannot read the files of the task: ${problem}`);
}

/** Reads the files of a request, by their digests. @throws a failure by which the chain waits for the store */
export async function readRequestFiles(
  context: Context,
  blobs: BlobStore | null,
  { state }: Chain,
  request: ModelRequest,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { namespace } = getOwnHistory(context).history;
  const place = { namespace, chainIds: listPlaces(state) };
  const contents = new Map<string, Uint8Array>();
  for (const file of listRequestFiles(request)) {
    if (contents.has(file.digest)) continue;
    const content = await useStore(`Cannot read ${file.name}`, () => readFile(blobs, place, file));
    contents.set(file.digest, content);
  }
  return contents;
}

function listRequestFiles({ messages }: ModelRequest): readonly StoredFile[] {
  const files: StoredFile[] = [];
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'file') files.push(block.file);
      else if (block.type === 'tool_result') for (const { file } of block.files ?? []) files.push(file);
    }
  }
  return files;
}

async function readFile(blobs: BlobStore | null, place: FilePlace, { digest, mediaType }: StoredFile) {
  if (blobs === null) throw new StoreError('missing', 'this worker has no store. Set LONGHAND_STORE for it.');
  const content = await findContent(blobs, place, digest);
  if (content === null)
    throw new StoreError('missing', `the store (${blobs.location}) does not have it. It may be deleted.`);
  const parts: Uint8Array[] = [];
  for await (const part of content.content) parts.push(part);
  const bytes = Buffer.concat(parts);
  const [chainId = ''] = place.chainIds;
  if (content.chainId !== chainId) await blobs.put({ namespace: place.namespace, chainId }, bytes, mediaType);
  return bytes;
}

async function findContent(blobs: BlobStore, { namespace, chainIds }: FilePlace, digest: string) {
  for (const chainId of chainIds) {
    const blob = await blobs.get({ namespace, chainId }, digest);
    if (blob !== null) return { ...blob, chainId };
  }
  return null;
}
