/** The store of a gateway: the workers' store, by option or environment. */

import { isStoreError } from '../store/db/errors.js';
import { openStore } from '../store/db/open.js';
import type { Store } from '../store/db/store.js';
import { isStoreConfigured, readStoreUrl } from '../store/db/store-location.js';
import type { GatewayOptions } from './gateway-options.js';

export interface GatewayStore {
  readonly store: Store | null;
  /** Closes the store, unless the caller passed it. */
  readonly close: () => Promise<void>;
}

/** @throws {StoreError} when a configured store cannot be opened on this machine */
export async function openGatewayStore({ store: requested, log }: GatewayOptions): Promise<GatewayStore> {
  if (requested === false) return { store: null, close: async () => {} };
  if (typeof requested === 'object') return { store: requested, close: async () => {} };
  const where = requested ?? readStoreUrl(process.env);
  if (where === null) return { store: null, close: async () => {} };
  try {
    const store = await openStore(where, { onUnavailable: ({ message }) => log?.warn(message) });
    return { store, close: store.close };
  } catch (error) {
    // Only the default store may be missing.
    if (requested !== undefined || isStoreConfigured(process.env) || !isStoreError(error)) throw error;
    log?.warn(`${error.message} The gateway runs without a store: no archive, keys, audit log and preferences.`);
    return { store: null, close: async () => {} };
  }
}
