/** Opens the store for a command, and closes it when the command is done. */

import { openStore } from '../../store/db/open.js';
import { storeFrom } from '../../store/db/place.js';
import type { Store } from '../../store/db/store.js';
import { UsageError } from '../flags/usage-error.js';

/** @throws UsageError where there is to be no store; StoreError when it cannot be opened */
export async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const where = storeFrom(process.env);
  if (where === null) {
    throw new UsageError('There is no store: LONGHAND_STORE is none. Name the one that the workers write to.');
  }
  const store = await openStore(where);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The namespace whose log it is, as for every other command. */
export function namespaceOf({ namespace }: { readonly namespace?: string }): string {
  return namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
}
