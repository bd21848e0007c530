/** Whether there is a store, where it lies, and whether it can be used. Chains run without one. */

import { bytesText } from '../../core/lib/display.js';
import { isStoreError } from '../../store/db/errors.js';
import { inspectStore } from '../../store/db/inspect.js';
import { storeFrom } from '../../store/db/place.js';
import type { Check } from './check.js';

const name = 'Store';

export async function checkStore(env: NodeJS.ProcessEnv): Promise<Check> {
  const where = storeFrom(env);
  if (where === null) {
    const found = 'none (LONGHAND_STORE=none): histories live in Temporal until its retention ends';
    return { name, status: 'ok', found, remedy: null };
  }
  try {
    const store = await inspectStore(where);
    const files = env.LONGHAND_BLOBS ? `, large contents in ${env.LONGHAND_BLOBS}` : '';
    if (store.kind === 'notYet') {
      return { name, status: 'ok', found: `${store.place}${files}: made when a worker starts`, remedy: null };
    }
    if (store.newer !== null) {
      const remedy = 'upgrade Longhand here, or name another store in LONGHAND_STORE';
      return {
        name,
        status: 'warning',
        found: `${store.place}: migrated by a newer Longhand (${store.newer})`,
        remedy,
      };
    }
    const state = store.toCome === 0 ? 'up to date' : 'brought up to date when a worker starts';
    return { name, status: 'ok', found: `${store.place}, ${bytesText(store.bytes)}${files}: ${state}`, remedy: null };
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { name, status: 'warning', found: `cannot be used: ${error.kind}`, remedy: error.message };
  }
}
