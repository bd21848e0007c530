/** The store of a gateway: the workers' store, by option or environment. */

import { openStore, readStoreUrl, type Store, toStore } from '../store/index.js';
import type { GatewayOptions } from './gateway-options.js';

export interface GatewayStore {
  readonly store: Store | null;
  /** Closes the store, unless the caller passed it. */
  readonly close: () => Promise<void>;
}

/** @throws {StoreError} when the store cannot be opened on this machine */
export async function openGatewayStore({ store: requested, log }: GatewayOptions): Promise<GatewayStore> {
  if (requested === false || requested === null) return { store: null, close: async () => {} };
  if (typeof requested === 'object') return { store: toStore(requested), close: async () => {} };
  const where = requested ?? readStoreUrl(process.env);
  if (where === null) return { store: null, close: async () => {} };
  const store = await openStore(where, { onUnavailable: ({ message }) => log?.warn(message) });
  return { store, close: store.close };
}
