/**
 * The store of a worker, by option or environment, and the archive in it.
 *
 * A worker runs without an unavailable store, and uses it once it answers.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Archive } from '../activities/index.js';
import type { VisibilityConfig } from '../core/view/index.js';
import {
  type BlobStore,
  deletePlans,
  openConfiguredBlobs,
  openStore,
  readRetention,
  readStoreUrl,
  type Store,
  type StoreOption,
  toStore,
} from '../store/index.js';

interface WorkerStore {
  readonly store: Store | null;
  /** Closes the store, unless the caller passed it. */
  readonly close: () => Promise<void>;
}

/**
 * @param requested a store, its address, or false for none. Default: `LONGHAND_STORE`, else none
 * @param warn receives why the store is unavailable
 * @throws {StoreError} for an invalid address, or a store that cannot be opened on this machine
 */
export async function openWorkerStore(
  requested: StoreOption | undefined,
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void,
): Promise<WorkerStore> {
  const none = { store: null, close: async () => {} };
  if (requested === false || requested === null) return none;
  if (typeof requested === 'object') return { ...none, store: toStore(requested) };
  const where = requested ?? readStoreUrl(env);
  if (where === null) return none;
  const store = await openStore(where, {
    onUnavailable: ({ message }) => warn(`${message} Until then chains run without it.`),
  });
  return { store, close: store.close };
}

interface ArchiveParts {
  readonly archive: Archive;
  /** Deletes the other stored content of a chain until its close. */
  readonly forget: (chainId: string, closedAt: number) => Promise<void>;
}

/**
 * Returns the archive of a namespace, for commands that archive without a worker.
 *
 * A worker's audit rules are unknown here: the audit log receives all content.
 *
 * @throws {LonghandError} `invalid_policy` for an invalid retention
 */
export function createStoreArchive(options: {
  readonly store: Store;
  readonly namespace: string;
  readonly server: string | null;
  readonly converter: LoadedDataConverter;
  /** Visibility rules of the workers that archive there, if known. */
  readonly visibility?: VisibilityConfig;
}): ArchiveParts {
  const { store, namespace, visibility = {} } = options;
  const blobs = openConfiguredBlobs(store, process.env);
  return {
    archive: { ...options, retention: readRetention(process.env), visibility, audit: { visibility } },
    forget: createForget(store, namespace, blobs),
  };
}

/** Returns a function that deletes what a chain has stored beside its archived runs: plans that worked, and contents. */
export function createForget(store: Store, namespace: string, blobs: BlobStore): ArchiveParts['forget'] {
  return async (chainId, closedAt) => {
    await deletePlans(store, { namespace, chainId }, closedAt);
    await blobs.delete({ namespace, chainId }, closedAt);
  };
}
