/** The operations on API keys: tenants and users are kept apart, and no key gives more than its creator has. */

import { describe, expect, it } from 'vitest';
import { createKeyHandlers } from '../../../src/gateway/handlers/keys.js';
import { isAuthenticationFailure } from '../../../src/gateway/identity/authenticate.js';
import { createKeyAuthenticator } from '../../../src/gateway/identity/authenticate-key.js';
import type { Identity } from '../../../src/gateway/identity/identity.js';
import { createTokenAuthenticator } from '../../../src/gateway/identity/jwt/authenticate-token.js';
import { localIdentity } from '../../../src/gateway/identity/local.js';
import type { RequestContext } from '../../../src/gateway/request/context.js';
import { keyOperations } from '../../../src/http/operations/keys.js';
import { createKeyStore } from '../../../src/store/keys/key-store.js';
import { matchError } from '../../support/match-error.js';
import { useFileStore } from '../../support/stores.js';
import { audience, createSigningKey, issuerName, signToken } from '../../support/token-issuer.js';

const stored = useFileStore();
const keyHandlers = createKeyHandlers({ defaultRequestsPerMinute: 600 });
const { body, query, params } = {
  body: keyOperations.createKey.body,
  query: keyOperations.listKeys.query,
  params: keyOperations.revokeKey.params,
};

function as(more: Partial<Identity> = {}): RequestContext {
  const identity: Identity = { ...localIdentity, id: 'key admin', by: 'key admin', tenant: 'acme', ...more };
  return { identity, namespace: 'default', store: stored.store } as unknown as RequestContext;
}

const unused = { params: undefined, query: undefined, headers: undefined, body: undefined };

async function create(context: RequestContext, request: Record<string, unknown>) {
  const created = await keyHandlers.createKey({ ...unused, body: body.parse({ name: 'web', ...request }) }, context);
  if (created instanceof Response) throw new Error('expected a value');
  return keyOperations.createKey.result.schema.parse(created);
}

async function list(context: RequestContext, given: Record<string, string> = {}) {
  const page = await keyHandlers.listKeys({ ...unused, query: query.parse(given) }, context);
  if (page instanceof Response) throw new Error('expected a value');
  return page.items.map(({ id }) => id);
}

const revoke = (context: RequestContext, keyId: string) =>
  keyHandlers.revokeKey({ ...unused, params: params.parse({ keyId }) }, context);

it('creates a key for the tenant of the caller, which works, and returns it once', async () => {
  const { key, id } = await create(as(), { scopes: ['read'], user: 'ana', expiresAfter: '1 hour' });
  const authenticate = createKeyAuthenticator({ keys: createKeyStore(stored.store, 'default') });
  const request = new Request('http://localhost/', { headers: { authorization: `Bearer ${key}` } });
  expect(await authenticate(request)).toMatchObject({ tenant: 'acme', user: 'ana', scopes: new Set(['read']) });
  const page = await keyHandlers.listKeys({ ...unused, query: query.parse({}) }, as());
  expect(JSON.stringify(page)).not.toContain(key.slice(14));
  expect(page).toMatchObject({ items: [{ id, createdBy: 'key admin' }] });
  expect(JSON.stringify(page)).not.toMatch(/hash/i);
});

it('requires a credential of all tenants to state the tenant', async () => {
  await expect(create(as({ tenant: null }), { scopes: ['read'] })).rejects.toThrow(matchError('invalid_options'));
  expect(await create(as({ tenant: null }), { scopes: ['read'], tenant: null })).toMatchObject({ tenant: null });
  expect(await create(as({ tenant: null }), { scopes: ['read'], tenant: 'other' })).toMatchObject({ tenant: 'other' });
});

describe('keeps tenants and users apart', () => {
  it('in lists and revocations', async () => {
    const everywhere = as({ tenant: null });
    const acme = await create(everywhere, { scopes: ['read'], tenant: 'acme', user: 'ana' });
    const other = await create(everywhere, { scopes: ['read'], tenant: 'other', user: 'ana' });
    const all = await create(everywhere, { scopes: ['read'], tenant: null });
    expect(await list(everywhere)).toHaveLength(3);
    expect(await list(everywhere, { tenant: 'other' })).toEqual([other.id]);
    expect(await list(as())).toEqual([acme.id]);
    await expect(list(as(), { tenant: 'other' })).rejects.toMatchObject({ code: 'request_invalid' });
    expect(await list(as(), { tenant: 'acme' })).toEqual([acme.id]);
    expect(await list(as({ reach: 'own', user: 'ana' }))).toEqual([acme.id]);
    expect(await list(as({ reach: 'own', user: 'bob' }))).toEqual([]);
    expect(await list(as({ reach: 'own', user: null }))).toEqual([]);
    for (const { id } of [other, all]) await expect(revoke(as(), id)).rejects.toThrow(matchError('key_not_found'));
    await expect(revoke(as({ reach: 'own', user: 'bob' }), acme.id)).rejects.toThrow(matchError('key_not_found'));
    expect(await revoke(as(), acme.id)).toMatchObject({ revokedBy: 'key admin' });
    expect([await list(as()), await list(as(), { inactive: 'true' })]).toEqual([[], [acme.id]]);
  });

  it('in new keys', async () => {
    const attempts: readonly (readonly [Partial<Identity>, Record<string, unknown>])[] = [
      [{}, { tenant: 'other' }],
      [{}, { tenant: null }],
      [{ user: 'ana' }, { user: 'bob' }],
      [{ user: 'ana' }, { user: null }],
      [{ scopes: new Set(['admin'] as const) }, { scopes: ['read'] }],
      [{ views: ['end_user'] }, { views: ['developer'] }],
      [{ roles: [] }, { roles: ['approver'], user: 'ana' }],
      [{ expiresAt: Date.now() + 60_000 }, { expiresAfter: '1 hour' }],
    ];
    for (const [creator, request] of attempts)
      await expect(create(as(creator), { scopes: ['admin'], ...request })).rejects.toThrow(
        matchError('key_not_permitted'),
      );
    expect(await list(as({ tenant: null }), { inactive: '' })).toEqual([]);
  });
});

it('lets a token create only keys that expire within 90 days', async () => {
  const signing = await createSigningKey('one');
  const claims = { tenant: 'org.id' };
  const issuer = { issuer: issuerName, audience, claims, defaults: { scopes: ['admin' as const] } };
  const authenticate = createTokenAuthenticator({ issuers: [{ ...issuer, keys: [signing.jwk] }] });
  const headers = { authorization: `Bearer ${await signToken(signing)}` };
  const found = await authenticate(new Request('http://localhost/', { headers }));
  if (found === null || isAuthenticationFailure(found)) throw new Error('expected an identity');
  const context: RequestContext = { ...as(), identity: found };
  const wanted = { scopes: ['admin'] };
  await expect(create(context, wanted)).rejects.toThrow(matchError('invalid_options', 'expiresAfter'));
  await expect(create(context, { ...wanted, expiresAfter: '91d' })).rejects.toThrow(matchError('key_not_permitted'));
  const { createdAt, expiresAt } = await create(context, { ...wanted, expiresAfter: '90d' });
  expect((expiresAt ?? 0) - createdAt).toBe(90 * 86_400_000);
});

it('rejects an invalid lifetime', async () => {
  for (const expiresAfter of ['soon', '', '1000 years', Number.MAX_VALUE])
    await expect(create(as(), { scopes: ['read'], expiresAfter })).rejects.toThrow(matchError('invalid_options'));
});

it('needs a store', async () => {
  const context = { ...as(), store: null };
  await expect(create(context, { scopes: ['read'] })).rejects.toThrow(matchError('store_missing'));
});
