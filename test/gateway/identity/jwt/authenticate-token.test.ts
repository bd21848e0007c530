/** Authentication by tokens, with real keys and a real server of keys: forged, stale and foreign tokens are rejected. */

import { createHmac, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { CompactSign, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createAuthenticateAndLimit } from '../../../../src/gateway/identity/authenticate-and-limit.js';
import type { Identity } from '../../../../src/gateway/identity/identity.js';
import { createTokenAuthenticator } from '../../../../src/gateway/identity/jwt/authenticate-token.js';
import type { JwtIssuer } from '../../../../src/gateway/identity/jwt/options.js';
import { createRateLimits } from '../../../../src/gateway/identity/rate-limits.js';
import { anyText } from '../../../support/any-text.js';
import {
  audience,
  createSigningKey,
  issuerName,
  type SigningKey,
  signToken,
  useKeySite,
} from '../../../support/token-issuer.js';

type Claims = Readonly<Record<string, unknown>>;

const send = (token: string) => new Request('http://localhost/', { headers: { authorization: `Bearer ${token}` } });
const signClaims = ({ alg, kid, privateKey }: SigningKey, json: string) =>
  new CompactSign(Buffer.from(json)).setProtectedHeader({ alg, kid }).sign(privateKey);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

function anIssuer(more: Partial<JwtIssuer> = {}): JwtIssuer {
  return {
    issuer: issuerName,
    audience,
    claims: { tenant: 'org.id', scopes: 'scope' },
    defaults: { scopes: ['read'] },
    ...more,
  };
}

const withKeys = (...keys: readonly SigningKey[]) => anIssuer({ keys: keys.map(({ jwk }) => jwk) });

describe('a valid token', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('is accepted with %s', async (alg) => {
    const key = await createSigningKey('one', alg);
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(key)] });
    expect(await authenticate(send(await signToken(key, { scope: 'start read email' })))).toEqual({
      ...{ id: 'jwt https://auth.acme.test/ acme ana', by: 'ana', tenant: 'acme', user: 'ana', roles: [] },
      ...{ scopes: new Set(['start', 'read']), views: ['end_user'], reach: 'own', requestsPerMinute: null },
    });
  });

  it('is accepted without the id of its key where only one key fits', async () => {
    const [one, two] = [await createSigningKey('one'), await createSigningKey('two')];
    const token = await signToken(one, {}, { kid: undefined });
    expect(await createTokenAuthenticator({ issuers: [withKeys(one)] })(send(token))).toMatchObject({ by: 'ana' });
    expect(await createTokenAuthenticator({ issuers: [withKeys(one, two)] })(send(token))).toEqual({
      ...{ reason: 'unverified', detail: 'ERR_JWKS_MULTIPLE_MATCHING_KEYS' },
    });
  });

  it('is not concerned with other credentials', async () => {
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(await createSigningKey('one'))] });
    const others = ['lh_0123456789_x', 'opaque', 'a.b', 'a.b.c.d', 'a.b.c.d.e', 'ä.b.c'];
    for (const token of others) expect([token, await authenticate(send(token))]).toEqual([token, null]);
    expect(await authenticate(new Request('http://localhost/'))).toBeNull();
  });
});

describe('the id of a caller', () => {
  const [one, other] = ['https://auth.acme.test/', 'https://auth.acme.test'];

  it.each<readonly [string, Claims, Claims]>([
    ['a space in the tenant or the user', { org: { id: 'a' }, sub: 'b c' }, { org: { id: 'a b' }, sub: 'c' }],
    ['an encoded space', { org: { id: 'a b' }, sub: 'c' }, { org: { id: 'a%20b' }, sub: 'c' }],
    ['a user named like a tenant', { org: { id: 'a' }, sub: 'b' }, { org: { id: 'b' }, sub: 'a' }],
    ['issuers that differ in a slash', { iss: one }, { iss: other }],
  ])('differs with %s', async (_, first, second) => {
    const key = await createSigningKey('one');
    const issuers = [one, other].map((issuer) => ({ ...withKeys(key), issuer }));
    const authenticate = createTokenAuthenticator({ issuers });
    const [a, b] = await Promise.all(
      [first, second].map(async (claims) => authenticate(send(await signToken(key, claims)))),
    );
    expect([a, b]).toMatchObject([{ id: expect.stringMatching(/^jwt /) }, { id: expect.stringMatching(/^jwt /) }]);
    expect((a as Identity).id).not.toBe((b as Identity).id);
  });

  it('has its own rate', async () => {
    const key = await createSigningKey('one');
    const admit = createAuthenticateAndLimit({
      identify: createTokenAuthenticator({ issuers: [withKeys(key)] }),
      limits: createRateLimits({ requestsPerMinute: 1 }),
      ...{ origins: [], allowUnknownPeer: false },
    });
    const ask = async (tenant: string, sub: string) =>
      (await admit(send(await signToken(key, { org: { id: tenant }, sub })), '192.0.2.1')).kind;
    expect(await ask('a', 'b c')).toBe('admitted');
    expect(await ask('a', 'b c')).toBe('rejected');
    expect(await ask('a b', 'c')).toBe('admitted');
  });
});

describe('a forged or foreign token', () => {
  it('is rejected for its claims', async () => {
    const key = await createSigningKey('one');
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(key)] });
    const rejected: readonly (readonly [Claims, string])[] = [
      [{ aud: 'another' }, 'unverified'],
      [{ aud: ['another', 'third'] }, 'unverified'],
      [{ aud: undefined }, 'unverified'],
      [{ iss: 'https://evil.test/' }, 'unverified'],
      [{ iss: issuerName.slice(0, -1) }, 'unverified'],
      [{ iss: undefined }, 'unverified'],
      [{ exp: inSeconds(-10) }, 'expired'],
      [{ exp: undefined }, 'unverified'],
      [{ exp: '2099' }, 'unverified'],
      [{ exp: inSeconds(10 * 365 * 86_400 + 60) }, 'unverified'],
      [{ exp: Number.MAX_SAFE_INTEGER }, 'unverified'],
      [{ exp: -1 }, 'expired'],
      [{ iat: inSeconds(60) }, 'unverified'],
      [{ iat: Number.MAX_VALUE }, 'unverified'],
      [{ iat: 'today' }, 'unverified'],
      [{ nbf: inSeconds(60) }, 'unverified'],
      [{ org: undefined }, 'unverified'],
      [{ org: 'acme' }, 'unverified'],
      [{ org: { id: '' } }, 'unverified'],
      [{ org: { id: null } }, 'unverified'],
      [{ org: { id: ['acme'] } }, 'unverified'],
      [{ org: { id: 'ac\u0000me' } }, 'unverified'],
      [{ org: { id: '\u200b' } }, 'unverified'],
      [{ org: { id: 'x'.repeat(201) } }, 'unverified'],
      [{ sub: undefined }, 'unverified'],
      [{ sub: 'ana\nX-Admin: 1' }, 'unverified'],
      [{ scope: 7 }, 'unverified'],
      [{ scope: { admin: true } }, 'unverified'],
      [{ scope: [['admin']] }, 'unverified'],
    ];
    for (const [claims, reason] of rejected)
      expect([claims, await authenticate(send(await signToken(key, claims)))]).toMatchObject([claims, { reason }]);
    const accepted: readonly Claims[] = [
      { aud: ['another', audience] },
      { exp: inSeconds(-2) },
      { exp: inSeconds(10 * 365 * 86_400 - 60) },
      { iat: inSeconds(2) },
      { iat: inSeconds(-86_400) },
      { nbf: inSeconds(2) },
      { org: { id: 42 } },
    ];
    for (const claims of accepted)
      expect(await authenticate(send(await signToken(key, claims)))).toMatchObject({ by: 'ana' });
  });

  it('is rejected for a time that no issuer means, with the claim in the log', async () => {
    const key = await createSigningKey('one');
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(key)] });
    expect(await authenticate(send(await signToken(key, { iat: inSeconds(60) })))).toEqual({
      ...{ reason: 'unverified', detail: 'the claim iat is in the future' },
    });
    // JSON has no infinity, and reads this number as one.
    const endless = await signClaims(
      key,
      `{"iss":"${issuerName}","aud":"${audience}","sub":"ana","org":{"id":"acme"},"exp":1e999}`,
    );
    for (const token of [endless, await signToken(key, { exp: 32_503_680_000 })])
      expect(await authenticate(send(token))).toEqual({
        ...{ reason: 'unverified', detail: 'the claim exp is more than 10 years ahead' },
      });
  });

  it('is rejected for its algorithm: none, a shared secret made of the public key, one that is not listed', async () => {
    const key = await createSigningKey('one', 'RS256');
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(key)] });
    const [, payload = ''] = (await signToken(key)).split('.');
    const pem = createPublicKey({ key: key.jwk as import('node:crypto').JsonWebKey, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const unsigned = (alg: string) => `${base64({ alg, kid: 'one', typ: 'JWT' })}.${payload}.`;
    const hmac = (alg: string, secret: string | Buffer) => {
      const signed = `${base64({ alg, kid: 'one' })}.${payload}`;
      return `${signed}.${createHmac(`sha${alg.slice(2)}`, secret)
        .update(signed)
        .digest('base64url')}`;
    };
    const forged = [
      ...['none', 'None', 'NONE', '', 'RS256'].map(unsigned),
      ...['HS256', 'HS384', 'HS512'].map((alg) => hmac(alg, pem as string)),
      hmac('HS256', JSON.stringify(key.jwk)),
      hmac('HS256', key.jwk.n ?? ''),
      hmac('HS256', ''),
      await new SignJWT(JSON.parse(Buffer.from(payload, 'base64url').toString()))
        .setProtectedHeader({ alg: 'RS512', kid: 'one' })
        .sign((await createSigningKey('one', 'RS512')).privateKey),
    ];
    for (const token of forged) expect(await authenticate(send(token))).toMatchObject({ reason: 'unverified' });
  });

  it('is rejected for its key: of another issuer, with the same id, in its own header, changed after signing', async () => {
    const [own, other] = [await createSigningKey('one'), await createSigningKey('one')];
    const second = 'https://other.test/';
    const authenticate = createTokenAuthenticator({
      issuers: [withKeys(own), { ...withKeys(other), issuer: second }],
    });
    const [header, payload, signature] = (await signToken(own)).split('.');
    const asAdmin = base64({ ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()), scope: 'admin' });
    const forged = [
      await signToken(other),
      await signToken(own, { iss: second }),
      await signToken(other, {}, { jwk: other.jwk }),
      await signToken(other, {}, { jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/' }),
      await signToken(own, {}, { kid: 'two' }),
      await signToken(own, {}, { kid: '../../etc/passwd' }),
      await signToken(own, {}, { kid: '__proto__' }),
      `${header}.${asAdmin}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature?.split('').reverse().join('')}`,
    ];
    const answers = await Promise.all(forged.map((token) => authenticate(send(token))));
    for (const [at, found] of answers.entries()) expect([at, found]).toMatchObject([at, { reason: 'unverified' }]);
    expect(await authenticate(send(await signToken(other, { iss: second })))).toMatchObject({ by: 'ana' });
  });

  it('is rejected where access tokens are required and it is of another type', async () => {
    const key = await createSigningKey('one');
    const authenticate = createTokenAuthenticator({ issuers: [{ ...withKeys(key), type: 'at+jwt' }] });
    expect(await authenticate(send(await signToken(key, {}, { typ: 'at+jwt' })))).toMatchObject({ by: 'ana' });
    for (const typ of ['JWT', undefined])
      expect(await authenticate(send(await signToken(key, {}, { typ })))).toMatchObject({ reason: 'unverified' });
  });

  it('is never accepted, for random parts', async () => {
    const key = await createSigningKey('one');
    const authenticate = createTokenAuthenticator({ issuers: [withKeys(key)] });
    const valid = await signToken(key);
    const part = fc.oneof(
      fc.constantFrom(...valid.split('.'), '.', '..', base64({ alg: 'none' }), base64({ iss: issuerName })),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      anyText,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('.', ''),
        async (parts, glue) => {
          const token = parts.join(glue);
          let request: Request;
          try {
            request = send(token);
          } catch {
            // No server receives a header with such characters.
            return;
          }
          const found = await authenticate(request);
          if (token.trim() !== valid) expect(found === null || 'reason' in found).toBe(true);
        },
      ),
    );
  });
});

describe('the keys of an issuer', () => {
  it('load once for many tokens, and again when a token has a new key', async () => {
    let now = Date.now();
    const [old, next] = [await createSigningKey('old'), await createSigningKey('next')];
    const site = await useKeySite(old);
    const authenticate = createTokenAuthenticator({ issuers: [anIssuer({ jwks: site.url })], now: () => now });
    const tokens = await Promise.all(Array.from({ length: 20 }, () => signToken(old)));
    const found = await Promise.all(tokens.map((token) => authenticate(send(token))));
    expect(found).toMatchObject(tokens.map(() => ({ by: 'ana' })));
    expect(site.countLoads()).toBe(1);

    site.publish(old, next);
    now += 10_000;
    const rotated = await Promise.all(Array.from({ length: 20 }, (_, at) => signToken(at % 2 === 0 ? next : old)));
    const still = await Promise.all(rotated.map((token) => authenticate(send(token))));
    expect(still).toMatchObject(rotated.map(() => ({ by: 'ana' })));
    expect(site.countLoads()).toBe(2);
  });

  it('load at most once in 10 seconds for tokens with unknown keys', async () => {
    let now = Date.now();
    const site = await useKeySite(await createSigningKey('old'));
    const authenticate = createTokenAuthenticator({ issuers: [anIssuer({ jwks: site.url })], now: () => now });
    const forged = await signToken(await createSigningKey('forged'));
    const flood = () => Promise.all(Array.from({ length: 30 }, () => authenticate(send(forged))));
    for (const found of await flood()) expect(found).toMatchObject({ reason: 'unverified' });
    expect(site.countLoads()).toBe(1);
    now += 10_000;
    await flood();
    await flood();
    expect(site.countLoads()).toBe(2);
  });

  it('are withdrawn within 10 minutes', async () => {
    let now = Date.now();
    const [old, next] = [await createSigningKey('old'), await createSigningKey('next')];
    const site = await useKeySite(old);
    const authenticate = createTokenAuthenticator({ issuers: [anIssuer({ jwks: site.url })], now: () => now });
    const token = await signToken(old, { exp: inSeconds(7_200) });
    expect(await authenticate(send(token))).toMatchObject({ by: 'ana' });
    site.publish(next);
    now += 599_999;
    expect(await authenticate(send(token))).toMatchObject({ by: 'ana' });
    now += 1;
    expect(await authenticate(send(token))).toMatchObject({ reason: 'unverified' });
  });

  it('are used while the issuer does not answer, for a day; tokens with other keys cannot be checked meanwhile', async () => {
    let now = Date.now();
    const [old, next] = [await createSigningKey('old'), await createSigningKey('next')];
    const site = await useKeySite(old);
    const authenticate = createTokenAuthenticator({ issuers: [anIssuer({ jwks: site.url })], now: () => now });
    const week = { exp: inSeconds(604_800) };
    const [known, other] = [await signToken(old, week), await signToken(next, week)];
    expect(await authenticate(send(known))).toMatchObject({ by: 'ana' });
    site.publish(old, next);
    site.setDown(true);
    now += 3_600_000;
    for (let at = 0; at < 20; at++) expect(await authenticate(send(known))).toMatchObject({ by: 'ana' });
    expect(site.countLoads()).toBe(2);
    expect(await authenticate(send(other))).toMatchObject({ reason: 'unavailable' });
    now += 86_400_000;
    expect(await authenticate(send(known))).toMatchObject({ reason: 'unavailable' });
    site.setDown(false);
    now += 10_000;
    expect(await authenticate(send(known))).toMatchObject({ by: 'ana' });
    expect(await authenticate(send(other))).toMatchObject({ by: 'ana' });
  });

  it('cannot be checked before the issuer answered once, and are then found without a restart', async () => {
    let now = Date.now();
    const key = await createSigningKey('one');
    const site = await useKeySite(key);
    site.setDown(true);
    const authenticate = createTokenAuthenticator({ issuers: [anIssuer({ jwks: site.url })], now: () => now });
    const token = await signToken(key);
    for (let at = 0; at < 5; at++) expect(await authenticate(send(token))).toMatchObject({ reason: 'unavailable' });
    expect(site.countLoads()).toBe(1);
    site.setDown(false);
    now += 10_000;
    expect(await authenticate(send(token))).toMatchObject({ by: 'ana' });
  });
});

describe('the claims of a token', () => {
  const identify = async (more: Partial<JwtIssuer>, claims: Claims) => {
    const key = await createSigningKey('one');
    const issuer = { ...withKeys(key), ...more };
    return createTokenAuthenticator({ issuers: [issuer] })(send(await signToken(key, claims)));
  };

  it('are found by path, by a list of names, and by a URL', async () => {
    const claims = {
      tenant: 'https://acme.test/claims.tenant',
      user: ['user.name'],
      roles: 'realm.roles',
      views: 'views',
    };
    const token = {
      ...{ 'https://acme.test/claims.tenant': 'acme', 'user.name': 'bob', realm: { roles: ['approver', 'clerk'] } },
      ...{ views: 'operator end_user' },
    };
    expect(await identify({ claims, reach: 'all', requestsPerMinute: 9 }, token)).toMatchObject({
      ...{ tenant: 'acme', user: 'bob', roles: ['approver', 'clerk'], views: ['operator', 'end_user'] },
      ...{ scopes: new Set(['read']), reach: 'all', requestsPerMinute: 9 },
    });
  });

  it('are no inherited members', async () => {
    for (const path of ['constructor.name', '__proto__.x', 'org.constructor.name', 'org.id.length'])
      expect(await identify({ claims: { tenant: path } }, {})).toMatchObject({ reason: 'unverified' });
  });

  it('have the prefix of the configuration, where it states one', async () => {
    const claims = { tenant: 'org.id', scopes: 'scope' };
    const found = await identify({ claims, scopePrefix: 'longhand:' }, { scope: 'longhand:start admin longhand:fly' });
    expect(found).toMatchObject({ scopes: new Set(['start']) });
  });

  it('give no tenant and no user only where the configuration states so', async () => {
    const found = await identify({ claims: {}, tenant: null, user: null }, { sub: 'billing', org: { id: 'acme' } });
    const id = 'jwt https://auth.acme.test/ billing';
    expect(found).toMatchObject({ id, by: id, tenant: null, user: null, roles: null, reach: 'all' });
    expect(await identify({ claims: {}, tenant: 'fixed' }, {})).toMatchObject({ tenant: 'fixed', user: 'ana' });
  });
});
