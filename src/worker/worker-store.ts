/**
 * The store of a worker: the one it was given, or the one that the environment names.
 *
 * A store that is down is no reason not to work: it is used again once it answers.
 */

import { isStoreError } from '../store/db/errors.js';
import { openStore } from '../store/db/open.js';
import { storeFrom } from '../store/db/place.js';
import type { Store } from '../store/db/store.js';

export interface WorkerStore {
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
export async function workerStore(
  given: Store | string | null | undefined,
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void,
): Promise<WorkerStore> {
  const none = { store: null, close: async () => {} };
  if (typeof given === 'object') return { ...none, store: given };
  const where = given ?? storeFrom(env);
  if (where === null) return none;
  try {
    const store = await openStore(where, {
      later: ({ message }) => warn(`${message} Until then chains run without it.`),
    });
    return { store, close: store.close };
  } catch (error) {
    // Nobody asked for the one that is used by default.
    if (given !== undefined || env.LONGHAND_STORE || !isStoreError(error)) throw error;
    warn(`${error.message} Chains run without a store; LONGHAND_STORE=none says that this is meant.`);
    return none;
  }
}
