/** Handlers of API keys: the keys of the caller's tenant; of a caller that reaches only its own chains, its own keys. */

import { LonghandError } from '../../core/lib/index.js';
import type { KeyItem, keyOperations } from '../../http/index.js';
import { createKeyStore, type KeyReach, type KeyStore, type StoredKey } from '../../store/index.js';
import { createApiKey } from '../identity/api-key.js';
import type { Identity } from '../identity/identity.js';
import { parseKeyLifetime, validateKeyRequest } from '../identity/validate-key-request.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { resolveTenant } from '../request/requester.js';
import { requireStore } from './require-store.js';
import { toChange } from './to-change.js';

/** @param defaultRequestsPerMinute of the gateway */
export function createKeyHandlers({
  defaultRequestsPerMinute,
}: {
  readonly defaultRequestsPerMinute: number;
}): Handlers<typeof keyOperations> {
  return {
    createKey: async ({ body }, context) => {
      const { identity } = context;
      const { tenant = identity.tenant, user = identity.user, expiresAfter, ...request } = body;
      if (tenant === null && body.tenant !== null) {
        throw new LonghandError(
          'invalid_options',
          'Your credential is of all tenants. State the `tenant` of the key, or null for all.',
        );
      }
      const at = Date.now();
      const time =
        expiresAfter === undefined ? {} : { expiresAt: at + parseKeyLifetime(expiresAfter, '`expiresAfter`') };
      const creator = { identity, defaultRequestsPerMinute };
      const planned = validateKeyRequest({ ...request, ...time, tenant, user }, creator, at);
      const { id, secretHash, text } = createApiKey();
      const created = await openKeys(context).create({ ...planned, id, secretHash }, toChange(identity, at));
      return { ...toKeyItem(created), key: text };
    },
    listKeys: async ({ query: { tenant, inactive, limit, cursor } }, context) => {
      const { identity } = context;
      const reach = { ...toKeyReach(identity), tenant: resolveTenant(identity, tenant) ?? null };
      const page = await openKeys(context).list(reach, { limit, cursor, withInactive: inactive, now: Date.now() });
      return { items: page.keys.map(toKeyItem), cursor: page.cursor };
    },
    revokeKey: async ({ params: { keyId } }, context) => {
      const { identity } = context;
      const change = toChange(identity, Date.now());
      const revoked = await openKeys(context).revoke(keyId, toKeyReach(identity), change);
      // A key of another tenant is reported as one that does not exist.
      if (revoked === null) throw new LonghandError('key_not_found', `There is no API key ${keyId}. List the keys.`);
      return toKeyItem(revoked);
    },
  };
}

function openKeys(context: RequestContext): KeyStore {
  return createKeyStore(requireStore(context, 'API keys'), context.namespace);
}

function toKeyReach({ tenant, user, reach }: Identity): KeyReach {
  if (reach === 'all') return { tenant, user: null };
  // A caller without a user reaches nothing: no key has an empty user.
  return { tenant, user: user ?? '' };
}

function toKeyItem({ secretHash: _, ...item }: StoredKey): KeyItem {
  return item;
}
