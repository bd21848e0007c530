/** Handlers of API keys: the keys of the caller's tenant; of a caller that reaches only its own chains, its own keys. */

import { LonghandError } from '../../core/lib/errors.js';
import type { KeyItem, keyOperations } from '../../http/operations/keys.js';
import { parseDuration } from '../../options/duration.js';
import { StoreError } from '../../store/db/errors.js';
import { createKeyStore, type KeyReach, type KeyStore, type StoredKey } from '../../store/keys/key-store.js';
import { createApiKey } from '../identity/api-key.js';
import type { Identity } from '../identity/identity.js';
import { planKey } from '../identity/plan-key.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';

export const keyHandlers: Handlers<typeof keyOperations> = {
  createKey: async ({ body }, context) => {
    const { identity } = context;
    const { tenant = identity.tenant, user = identity.user, expiresAfter, ...wish } = body;
    if (tenant === null && body.tenant !== null) {
      throw new LonghandError(
        'invalid_options',
        'Your credential is of all tenants. State the `tenant` of the key, or null for all.',
      );
    }
    const at = Date.now();
    const time = expiresAfter === undefined ? {} : { expiresAt: at + parseLifetime(expiresAfter) };
    const planned = planKey({ ...wish, ...time, tenant, user }, identity, at);
    const { id, secretHash, text } = createApiKey();
    const created = await openKeys(context).create({ ...planned, id, secretHash }, toChange(identity, at));
    return { ...toKeyItem(created), key: text };
  },
  listKeys: async ({ query }, context) => {
    const { identity } = context;
    const { tenant, inactive, limit, cursor } = query;
    if (tenant !== undefined && identity.tenant !== null && tenant !== identity.tenant)
      return { items: [], cursor: null };
    const reach = { ...toKeyReach(identity), ...(tenant === undefined ? {} : { tenant }) };
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

/** Dates end in the year 275760. */
const maxLifetimeMs = 100 * 365 * 86_400_000;

function parseLifetime(given: number | string): number {
  const ms = parseDuration(given as Parameters<typeof parseDuration>[0], 'expiresAfter');
  if (ms <= maxLifetimeMs) return ms;
  throw new LonghandError(
    'invalid_options',
    'Invalid `expiresAfter`: expected at most 100 years. Omit it for a key that does not expire.',
  );
}

function openKeys({ store, namespace }: RequestContext): KeyStore {
  if (store !== null) return createKeyStore(store, namespace);
  throw new StoreError('missing', 'The gateway has no store, and so no API keys. Set LONGHAND_STORE.');
}

function toKeyReach({ tenant, user, reach }: Identity): KeyReach {
  if (reach === 'all') return { tenant, user: null };
  // A caller without a user reaches nothing: no key has an empty user.
  return { tenant, user: user ?? '' };
}

function toChange({ by, roles }: Identity, at: number) {
  return { who: { by, roles: roles ?? [] }, at };
}

function toKeyItem({ secretHash: _, ...item }: StoredKey): KeyItem {
  return item;
}
