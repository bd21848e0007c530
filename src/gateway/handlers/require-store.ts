/** The store, for operations on what only a store has. */

import { LonghandError } from '../../core/lib/index.js';
import type { Store } from '../../store/index.js';
import type { GatewayServices } from '../request/context.js';

/** @param what is in the store: `API keys` @throws {LonghandError} `store_missing` */
export function requireStore({ store }: Pick<GatewayServices, 'store'>, what: string): Store {
  if (store !== null) return store;
  throw new LonghandError(
    'store_missing',
    `The gateway has no store, and so no ${what}. Set LONGHAND_STORE to the store of the workers.`,
  );
}
