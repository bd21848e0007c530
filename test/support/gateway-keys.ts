/** API keys for tests of the gateway, created in its store. */

import type { Scope } from '../../src/entries/http.js';
import type { Store } from '../../src/entries/store.js';
import { createApiKey } from '../../src/gateway/identity/api-key.js';
import { type KeyRequest, validateKeyRequest } from '../../src/gateway/identity/validate-key-request.js';
import { createKeyStore } from '../../src/store/keys/key-store.js';

export type TestKey = Partial<Omit<KeyRequest, 'scopes'>> & { readonly scopes: readonly Scope[] };

/** Creates a key as the command line does, and returns its text. Without a tenant, it has all tenants. */
export async function createKey(
  store: Store,
  { name = 'test', tenant = null, user = null, ...more }: TestKey,
): Promise<string> {
  const { id, secretHash, text } = createApiKey();
  const at = Date.now();
  const planned = validateKeyRequest({ name, tenant, user, ...more }, null, at);
  await createKeyStore(store, 'default').create({ id, secretHash, ...planned }, { who: { by: 'test', roles: [] }, at });
  return text;
}
