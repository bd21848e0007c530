/** New API keys: what is completed, what is rejected, and that none gives more than its creator has. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/gateway/identity/identity.js';
import {
  type KeyCreator,
  type KeyRequest,
  validateKeyRequest,
} from '../../../src/gateway/identity/validate-key-request.js';
import { scopes } from '../../../src/http/operation.js';
import { matchError } from '../../support/match-error.js';

const now = 1_000;
const request: KeyRequest = { name: 'web', tenant: 'acme', user: 'ana', scopes: ['read'] };

function aCreator(more: Partial<Identity> = {}, defaultRequestsPerMinute = 600): KeyCreator {
  const identity: Identity = {
    id: 'key admin',
    by: 'key admin',
    tenant: 'acme',
    user: null,
    roles: ['clerk'],
    scopes: new Set(['read', 'start', 'admin'] as const),
    views: ['end_user', 'developer'],
    reach: 'all',
    requestsPerMinute: null,
    expiresAt: null,
    ...more,
  };
  return { identity, defaultRequestsPerMinute };
}

/** A creator with a token, which its issuer renews. */
function aTokenCreator(): KeyCreator {
  const { identity, ...rest } = aCreator();
  const { expiresAt: _, ...renewed } = identity;
  return { ...rest, identity: renewed };
}

it('completes a key of a user and of a service with the least', () => {
  const least = { views: ['end_user'], requestsPerMinute: null, expiresAt: null };
  expect(validateKeyRequest(request, null, now)).toEqual({ ...request, ...least, roles: [], reach: 'own' });
  const service = { ...request, user: null };
  expect(validateKeyRequest(service, null, now)).toEqual({ ...service, ...least, roles: null, reach: 'all' });
});

it.each<Partial<KeyRequest>>([
  { scopes: [] },
  { scopes: ['write'] },
  { scopes: ['read', 'constructor'] },
  { name: '' },
  { name: '\u200b' },
  { name: 'x\ny' },
  { name: 'x'.repeat(201) },
  { tenant: '' },
  { user: ' ' },
  { roles: ['a\u0000'] },
  { views: ['auditor'] },
  { user: null, reach: 'own' },
  { expiresAt: now },
])('rejects %j', (more) => {
  expect(() => validateKeyRequest({ ...request, ...more }, null, now)).toThrow(matchError('invalid_options'));
});

describe('a key that is created over HTTP', () => {
  it.each<[Partial<Identity>, Partial<KeyRequest>]>([
    [{}, { scopes: ['read', 'decide'] }],
    [{}, { tenant: 'other' }],
    [{}, { tenant: null }],
    [{}, { roles: ['clerk', 'approver'] }],
    [{}, { views: ['operator'] }],
    [{ user: 'ana' }, { user: 'bob' }],
    [{ user: 'ana' }, { user: null }],
    [{ user: 'ana', reach: 'own' }, { reach: 'all' }],
    [{ requestsPerMinute: 10 }, { requestsPerMinute: 11 }],
    [{}, { requestsPerMinute: 601 }],
    [{}, { requestsPerMinute: 1_000_000 }],
    [{ expiresAt: 5_000 }, { expiresAt: 5_001 }],
  ])('of %j cannot have %j', (creator, more) => {
    expect(() => validateKeyRequest({ ...request, ...more }, aCreator(creator), now)).toThrow(
      matchError('key_not_permitted'),
    );
  });

  it('inherits the limits of its creator', () => {
    const creator = aCreator({ requestsPerMinute: 10, expiresAt: 5_000 });
    expect(validateKeyRequest({ ...request, user: null }, creator, now)).toMatchObject({
      ...{ requestsPerMinute: 10, expiresAt: 5_000, roles: ['clerk'], reach: 'all' },
    });
  });

  it('may have the rate of the gateway, where its creator has no other', () => {
    expect(validateKeyRequest({ ...request, requestsPerMinute: 600 }, aCreator(), now)).toMatchObject({
      requestsPerMinute: 600,
    });
    const few = { ...request, requestsPerMinute: 61 };
    expect(() => validateKeyRequest(few, aCreator({}, 60), now)).toThrow(matchError('key_not_permitted'));
    const creator = aCreator({}, 5_000);
    expect(validateKeyRequest({ ...request, requestsPerMinute: 5_000 }, creator, now)).toMatchObject({
      requestsPerMinute: 5_000,
    });
    expect(validateKeyRequest(request, creator, now)).toMatchObject({ requestsPerMinute: null });
  });

  it('of a token has a time of its own, of at most 90 days', () => {
    const day = 86_400_000;
    const expiring = (days: number) =>
      validateKeyRequest({ ...request, expiresAt: now + days * day }, aTokenCreator(), now);
    expect(() => validateKeyRequest(request, aTokenCreator(), now)).toThrow(
      matchError('invalid_options', 'expiresAfter'),
    );
    expect(() => expiring(91)).toThrow(matchError('key_not_permitted'));
    expect(expiring(90)).toMatchObject({ expiresAt: now + 90 * day });
  });

  it('has the least view of its creator, where none is stated', () => {
    expect(validateKeyRequest(request, aCreator({ views: ['developer'] }), now).views).toEqual(['developer']);
    expect(validateKeyRequest(request, aCreator({ views: ['developer', 'end_user'] }), now).views).toEqual([
      'end_user',
    ]);
  });

  it('never gives more than its creator has', () => {
    const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
    const subset = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
    const names = ['clerk', 'approver', 'ops'];
    const views = ['end_user', 'developer', 'operator'];
    const optional = <T>(values: readonly T[]) => some([...values, undefined]);
    const anIdentity = fc.record({
      tenant: some([null, 'acme', 'other']),
      user: some([null, 'ana', 'bob']),
      scopes: subset(scopes).map((given) => new Set(given)),
      roles: fc.oneof(fc.constant(null), subset(names)),
      views: subset(views).map(([first = '', ...rest]): Identity['views'] => [first, ...rest]),
      reach: some(['own', 'all'] as const),
      requestsPerMinute: some([null, 10, 100]),
      expiresAt: some([null, 5_000, 9_000]),
    });
    const aRequest = fc.record({
      name: fc.constant('web'),
      tenant: some([null, 'acme', 'other']),
      user: some([null, 'ana', 'bob']),
      scopes: subset(scopes),
      roles: fc.oneof(fc.constant(undefined), subset(names)),
      views: fc.oneof(fc.constant(undefined), subset(views)),
      reach: optional(['own', 'all'] as const),
      requestsPerMinute: optional([5, 50, 500, 5_000]),
      expiresAt: optional([4_000, 8_000]),
    });
    const least = (value: number | null | undefined) => value ?? Number.POSITIVE_INFINITY;
    fc.assert(
      fc.property(anIdentity, aRequest, (given, wanted) => {
        const creator = aCreator(given);
        const { identity } = creator;
        let key: ReturnType<typeof validateKeyRequest>;
        try {
          key = validateKeyRequest(wanted, creator, now);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^(key_not_permitted|invalid_options)$/) });
          return;
        }
        expect(identity.tenant === null || key.tenant === identity.tenant).toBe(true);
        expect(identity.user === null || key.user === identity.user).toBe(true);
        expect(identity.reach === 'all' || key.reach === 'own').toBe(true);
        expect(key.scopes.every((scope) => (identity.scopes as ReadonlySet<string>).has(scope))).toBe(true);
        expect(key.views.every((view) => identity.views.includes(view))).toBe(true);
        const { roles } = identity;
        expect(roles === null || (key.roles?.every((role) => roles.includes(role)) ?? false)).toBe(true);
        expect(key.requestsPerMinute ?? 600).toBeLessThanOrEqual(identity.requestsPerMinute ?? 600);
        expect(least(key.expiresAt)).toBeLessThanOrEqual(least(identity.expiresAt));
      }),
      { numRuns: 2_000 },
    );
  });
});
