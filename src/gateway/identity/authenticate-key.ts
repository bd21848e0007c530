/**
 * Authentication by API keys.
 *
 * 1. Keys are cached for some seconds, also ids that do not exist: a flood of requests is one query each few seconds, and a
 *    revocation takes effect within this time on every gateway. The cache is bounded.
 * 2. A key is found by its id, and its secret is compared in constant time. The time of the query reveals only whether an id
 *    exists, and ids are not secret.
 * 3. Without the store, keys fail as `unavailable` as soon as their cache time is over: a revocation could not be seen.
 */

import { LRUCache } from 'lru-cache';
import { isScope, type Scope } from '../../http/index.js';
import { type KeyStore, type StoredKey, useInterval } from '../../store/index.js';
import { keyPrefix, matchesSecret, parseApiKey } from './api-key.js';
import type { Authenticate, AuthenticationFailure } from './authenticate.js';
import { readBearer } from './bearer.js';
import type { Identity } from './identity.js';

export interface KeyAuthenticatorOptions {
  readonly keys: Pick<KeyStore, 'find' | 'recordUse'>;
  /** Milliseconds for which a key is not read again. Default: 5,000. */
  readonly cacheMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Receives failures of the store; they fail no valid request. */
  readonly onError?: (error: unknown) => void;
}

const maxCachedKeys = 10_000;

interface CachedKey {
  /** Null for an id that does not exist. Requests at the same time share one query. */
  readonly key: Promise<StoredKey | null>;
  readonly readAt: number;
}

export function createKeyAuthenticator(options: KeyAuthenticatorOptions): Authenticate {
  const { keys, cacheMs = 5_000, now = Date.now, onError = () => {} } = options;
  const cache = new LRUCache<string, CachedKey>({ max: maxCachedKeys });
  const uses = new LRUCache<string, number>({ max: maxCachedKeys });

  const read = (id: string): Promise<StoredKey | null> => {
    const cached = cache.get(id);
    if (cached !== undefined && now() - cached.readAt < cacheMs) return cached.key;
    const reading: CachedKey = { key: keys.find(id), readAt: now() };
    cache.set(id, reading);
    reading.key.catch(() => {
      if (cache.peek(id) === reading) cache.delete(id);
    });
    return reading.key;
  };

  const recordUse = ({ id, lastUsedAt }: StoredKey) => {
    const at = now();
    if (at - Math.max(uses.get(id) ?? 0, lastUsedAt ?? 0) < useInterval) return;
    uses.set(id, at);
    keys.recordUse(id, at).catch(onError);
  };

  return async (request) => {
    const token = readBearer(request);
    if (token === null || !token.startsWith(keyPrefix)) return null;
    const parsed = parseApiKey(token);
    if (parsed === null) return fail('malformed');
    let key: StoredKey | null;
    try {
      key = await read(parsed.id);
    } catch (error) {
      onError(error);
      return fail('unavailable');
    }
    if (key === null || !matchesSecret(parsed.secret, key.secretHash)) return fail('unknown');
    if (key.revokedAt !== null) return fail('revoked');
    if (key.expiresAt !== null && key.expiresAt <= now()) return fail('expired');
    recordUse(key);
    return toKeyIdentity(key);
  };
}

function fail(reason: AuthenticationFailure['reason']): AuthenticationFailure {
  return { reason };
}

function toKeyIdentity(key: StoredKey): Identity {
  const { id, tenant, user, roles, scopes, views, reach, requestsPerMinute, expiresAt } = key;
  const name = `key ${id}`;
  return {
    id: name,
    // The id, not the name: two keys of one name, or a key with the name of a person, must not count as one approver.
    by: user ?? name,
    tenant,
    user,
    roles,
    views,
    reach,
    requestsPerMinute,
    expiresAt,
    scopes: new Set<Scope>(scopes.filter(isScope)),
  };
}
