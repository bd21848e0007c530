/**
 * The store of a worker, given or named by the environment, and the archive in it.
 *
 * A store that is down does not stop a worker: it is used again once it answers.
 */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Archive } from '../activities/context/dependencies.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { readRetention } from '../store/archive/retention.js';
import { openConfiguredBlobs } from '../store/blobs/blobs.js';
import { isStoreError } from '../store/db/errors.js';
import { openStore } from '../store/db/open.js';
import type { Store } from '../store/db/store.js';
import { readStoreUrl } from '../store/db/store-location.js';

interface WorkerStore {
  readonly store: Store | null;
  /** Leaves open what the worker was given. */
  readonly close: () => Promise<void>;
}

/**
 * @param given a store, where one lies, or null for none. Default: what `LONGHAND_STORE` names, else a file among the
 *   user's data
 * @param warn told in a sentence why there is none now
 * @throws {StoreError} when what was named is no place of a store, or cannot be opened on this machine
 */
export async function openWorkerStore(
  given: Store | string | null | undefined,
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void,
): Promise<WorkerStore> {
  const none = { store: null, close: async () => {} };
  if (typeof given === 'object') return { ...none, store: given };
  const where = given ?? readStoreUrl(env);
  if (where === null) return none;
  try {
    const store = await openStore(where, {
      onUnavailable: ({ message }) => warn(`${message} Until then chains run without it.`),
    });
    return { store, close: store.close };
  } catch (error) {
    // Nobody asked for the one that is used by default.
    if (given !== undefined || env.LONGHAND_STORE || !isStoreError(error)) throw error;
    warn(`${error.message} Chains run without a store; LONGHAND_STORE=none says that this is meant.`);
    return none;
  }
}

interface ArchiveParts {
  readonly archive: Archive;
  /** Takes away what else was kept of a chain until it closed. */
  readonly forget: (chainId: string, closedAt: number) => Promise<void>;
}

/**
 * Returns the archive of a namespace, for commands that archive beside a worker.
 *
 * Rules on what is audited are a worker's own: without them all of it is.
 *
 * @throws RangeError for a retention that cannot be used
 */
export function createStoreArchive(of: {
  readonly store: Store;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  /** Of the workers that archive there, where it is known. */
  readonly visibility?: VisibilityConfig;
}): ArchiveParts {
  const { store, namespace, visibility = {} } = of;
  const blobs = openConfiguredBlobs(store, process.env);
  return {
    archive: { ...of, retention: readRetention(process.env), visibility, audit: { visibility } },
    forget: async (chainId, until) => void (await blobs.delete({ namespace, chainId }, until)),
  };
}
