/** A store of a user's option, with its tables. */

import { LonghandError } from '../../core/lib/index.js';
import type { Store } from './store.js';
import type { OpenStore } from './store-option.js';

/** @throws {LonghandError} `invalid_options` for an object that `openStore` did not return */
export function toStore(store: OpenStore): Store {
  if ('db' in store && 'write' in store) return store as Store;
  throw new LonghandError(
    'invalid_options',
    'Invalid option `store`: the object is no store. Pass what `openStore` returned.',
  );
}
