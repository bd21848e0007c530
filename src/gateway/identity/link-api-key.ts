/** The API key that created something which outlives its request, such as a link: once the key is revoked, that ends too. */

import { LonghandError } from '../../core/lib/index.js';
import { createKeyStore, type Store } from '../../store/index.js';
import type { Identity } from './identity.js';

interface Keys {
  readonly store: Store | null;
  readonly namespace: string;
}

/** Returns the id of the API key of an identity; null for one of another kind, such as a token. */
export async function findLinkApiKey(keys: Keys, { id }: Pick<Identity, 'id'>): Promise<string | null> {
  const [, key] = /^key (\w+)$/.exec(id) ?? [];
  return key !== undefined && (await findKey(keys, key)) !== null ? key : null;
}

/**
 * Whether a key was revoked, or cannot be found. A key that expired was not withdrawn.
 *
 * @throws {LonghandError} `store_missing`
 */
export async function isKeyRevoked(keys: Keys, key: string): Promise<boolean> {
  if (keys.store === null) {
    throw new LonghandError(
      'store_missing',
      'This link ends with the API key that created it, and the gateway has no store to look it up. Set LONGHAND_STORE.',
    );
  }
  const record = await findKey(keys, key);
  return record === null || record.revokedAt !== null;
}

async function findKey({ store, namespace }: Keys, key: string) {
  return store === null ? null : createKeyStore(store, namespace).find(key);
}
