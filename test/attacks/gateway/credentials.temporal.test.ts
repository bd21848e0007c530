/** Clients that have no right to what they request: broken and stolen credentials, replays, and claims to be another. */

import { createHash, createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HttpProblemError } from '../../../src/entries/http.js';
import { canary, useGatewayScene } from '../../support/gateway-scene.js';
import { type RawRequest, sendRaw } from '../../support/raw-http.js';
import { audience, createSigningKey, issuerName, type SigningKey, signToken } from '../../support/token-issuer.js';

const signing: SigningKey = await createSigningKey('acme-1');
const scene = useGatewayScene({
  authentication: {
    keys: true,
    jwt: [
      {
        ...{ issuer: issuerName, audience, keys: [signing.jwk] },
        claims: { tenant: 'org.id', scopes: 'scope' },
        defaults: { scopes: ['read'] },
        reach: 'all',
      },
    ],
  },
  limits: { failuresPerMinute: 100_000 },
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1_000);
const claims = () => ({ iss: issuerName, aud: audience, sub: 'ana', org: { id: scene.tenant }, exp: now() + 600 });

const sign: typeof signToken = (key, more, header) => signToken(key, { org: { id: scene.tenant }, ...more }, header);

/** Requests a chain that the right credential may read. */
function readChain(headers: RawRequest['headers'] = [], query = ''): ReturnType<typeof sendRaw> {
  return sendRaw(scene.url, { path: `/v1/chains/${scene.ended}${query}`, headers });
}

const bearer = (token: string): RawRequest['headers'] => [['authorization', `Bearer ${token}`]];

describe('a request is unauthenticated', () => {
  const parts = () => ({
    id: scene.ownerKey.split('_')[1] ?? '',
    secret: scene.ownerKey.split('_').slice(2).join('_'),
  });

  it.each<readonly [what: string, headers: () => RawRequest['headers']]>([
    ['without a credential', () => []],
    ['with an empty header', () => [['authorization', '']]],
    ['with the scheme alone', () => [['authorization', 'Bearer']]],
    ['with a key without its scheme', () => [['authorization', scene.ownerKey]]],
    ['with a key as the password of Basic', () => [['authorization', `Basic ${btoa(`key:${scene.ownerKey}`)}`]]],
    ['with two keys in one header', () => bearer(`x ${scene.ownerKey}`)],
    ['with a list of keys', () => bearer(`x,${scene.ownerKey}`)],
    ['with a wrong header before the right one', () => [...(bearer('x') ?? []), ...(bearer(scene.ownerKey) ?? [])]],
    ['with a wrong header after the right one', () => [...(bearer(scene.ownerKey) ?? []), ...(bearer('x') ?? [])]],
    ['with a key in a cookie', () => [['cookie', `authorization=Bearer ${scene.ownerKey}; key=${scene.ownerKey}`]]],
    ['with a key in another header', () => [['x-api-key', scene.ownerKey]]],
    ['with the credential of a proxy', () => [['proxy-authorization', `Bearer ${scene.ownerKey}`]]],
    ['with a key that does not exist', () => bearer(`lh_0000000000_${'A'.repeat(43)}`)],
    ['with the id of a key and another secret', () => bearer(`lh_${parts().id}_${'A'.repeat(43)}`)],
    ['with the id of a key without a secret', () => bearer(`lh_${parts().id}_`)],
    [
      'with the hash of the secret',
      () => bearer(`lh_${parts().id}_${createHash('sha256').update(parts().secret).digest('hex')}`),
    ],
    ['with a key in other letters', () => bearer(scene.ownerKey.toUpperCase())],
    ['with a key and one more character', () => bearer(`${scene.ownerKey}A`)],
    ['with a key and one character less', () => bearer(scene.ownerKey.slice(0, -1))],
    ['with a percent-encoded key', () => bearer(scene.ownerKey.replace('lh_', 'lh%5f'))],
    ['with a pattern as a key', () => bearer(`lh_${parts().id}_%`)],
    ['with a very long key', () => bearer(`lh_${'a'.repeat(15_000)}`)],
  ])('%s', async (_, headers) => {
    const answer = await readChain(headers());
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(answer.text).not.toContain(canary);
    expect(answer.text).not.toContain(parts().secret);
  });

  it.each(['key=', 'api_key=', 'access_token=', 'authorization=Bearer%20'])(
    'with a key in the query: %s',
    async (name) => {
      const answer = await readChain([], `?${name}${scene.ownerKey}`);
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(parts().secret);
    },
  );

  it('with a key after its revocation', async () => {
    const { key, id: keyId } = await scene.owner.createKey({ name: 'lost', scopes: ['read'], views: ['developer'] });
    expect((await readChain(bearer(key))).status).toBe(200);
    await scene.owner.revokeKey({ keyId });
    await expect.poll(async () => (await readChain(bearer(key))).status).toBe(401);
  });

  it('with a key after its expiry', async () => {
    const { key } = await scene.owner.createKey({ name: 'short', scopes: ['read'], expiresAfter: 1_000 });
    await expect.poll(async () => (await readChain(bearer(key))).status).toBe(401);
  });

  it('with a token that is valid in all but one thing', async () => {
    expect((await readChain(bearer(await sign(signing)))).status).toBe(200);
    const other = await createSigningKey('acme-1');
    const header = { alg: 'none', typ: 'JWT' };
    const hmacInput = `${encode({ alg: 'HS256', kid: 'acme-1' })}.${encode(claims())}`;
    const hmac = createHmac('sha256', JSON.stringify(signing.jwk)).update(hmacInput).digest('base64url');
    const valid = await sign(signing);
    const [head = '', , signature = ''] = valid.split('.');
    const tokens: Readonly<Record<string, string>> = {
      'alg none': `${encode(header)}.${encode(claims())}.`,
      'alg None': `${encode({ ...header, alg: 'None' })}.${encode(claims())}.${signature}`,
      'the public key as an HMAC secret': `${hmacInput}.${hmac}`,
      'claims of another token': `${head}.${encode({ ...claims(), sub: 'root' })}.${signature}`,
      'no signature': valid.split('.').slice(0, 2).join('.'),
      'a key of its own with the same id': await sign(other),
      'a key in its header': await sign(other, {}, { jwk: other.jwk }),
      'an address of keys in its header': await sign(other, {}, { jku: `${scene.url}/keys`, x5u: scene.url }),
      'an unknown critical extension': await sign(signing, {}, { crit: ['exp'], exp: 1 }).catch(() => 'x.y.z'),
      'an expiry in the past': await sign(signing, { exp: now() - 60 }),
      'no expiry': await sign(signing, { exp: undefined }),
      'an expiry in a thousand years': await sign(signing, { exp: now() + 1_000 * 365 * 86_400 }),
      'a time of issue in the future': await sign(signing, { iat: now() + 600 }),
      'a start in the future': await sign(signing, { nbf: now() + 600 }),
      'another issuer': await sign(signing, { iss: 'https://evil.example/' }),
      'the issuer without its slash': await sign(signing, { iss: issuerName.slice(0, -1) }),
      'another audience': await sign(signing, { aud: 'billing' }),
      'no audience': await sign(signing, { aud: undefined }),
      'no tenant': await sign(signing, { org: undefined }),
      'an empty tenant': await sign(signing, { org: { id: '' } }),
      'a list of tenants': await sign(signing, { org: { id: ['rival', scene.tenant] } }),
      'an object as its tenant': await sign(signing, { org: { id: { id: scene.tenant } } }),
      'the tenant in its prototype': await sign(signing, { org: { ['__proto__']: { id: scene.tenant } } }),
      'no user': await sign(signing, { sub: undefined }),
    };
    for (const [what, token] of Object.entries(tokens)) {
      const answer = await readChain(bearer(token));
      expect([what, answer.status]).toEqual([what, 401]);
      expect(answer.text).not.toContain(canary);
    }
  });
});

describe('a credential gives no more than it has', () => {
  let rival = '';
  let ben = '';
  beforeAll(async () => {
    rival = await scene.createKey({ tenant: 'rival' });
    ben = await scene.createKey({
      ...{ name: 'ben', user: 'ben', roles: ['clerk'], reach: 'own' as const },
      ...{ scopes: ['start', 'read', 'decide', 'admin'] as const, views: ['end_user'] },
    });
  });

  it.each([
    ['another tenant', { tenant: 'acme' }, () => rival],
    ['another user', { user: 'ana' }, () => ben],
    ['a role that it lacks', { roles: ['treasury'] }, () => ben],
    ['an id of its choice', { chainId: 'mine' }, () => rival],
    ['limits', { limits: { costUsd: 1_000 } }, () => ben],
    ['another model', { model: 'claude-opus-5' }, () => ben],
  ])('to start a chain with %s', async (_, more, key) => {
    const started = scene.connect(key()).startChain({ agent: 'clerk', task: 'Answer.', ...more });
    await expect(started).rejects.toMatchObject({ status: expect.toBeOneOf([400, 403]) });
  });

  it('by a member that is twice in the body', async () => {
    const answer = await sendRaw(scene.url, {
      ...{ method: 'POST', path: '/v1/chains' },
      headers: [...(bearer(rival) ?? []), ['content-type', 'application/json']],
      body: '{"agent":"clerk","task":"Answer.","tenant":"rival","tenant":"acme"}',
    });
    expect(answer.status).toBe(400);
  });

  it('by a parameter that is twice in the query', async () => {
    for (const query of ['tenant=rival&tenant=acme', 'tenant=acme&tenant=rival', 'tenant[]=acme', 'TENANT=acme']) {
      const answer = await sendRaw(scene.url, { path: `/v1/chains?${query}`, headers: bearer(rival) ?? [] });
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toContain(canary);
      expect(answer.text).not.toContain(scene.ended);
    }
  });

  it.each(['auditor', 'developer', '__proto__', 'AUDITOR', 'auditor '])('to read as %j', async (as) => {
    const user = scene.connect(await scene.createKey({ user: 'ana', scopes: ['read'], views: ['end_user'] }));
    await expect(user.getChain({ chainId: scene.ended, as })).rejects.toMatchObject({ status: 403 });
    await expect(user.followChain({ chainId: scene.ended, as }).next()).rejects.toMatchObject({ status: 403 });
    await expect(user.listChains({ as })).rejects.toMatchObject({ status: 403 });
    await expect(user.listInbox({ as })).rejects.toMatchObject({ status: 403 });
  });

  it('to read as an auditor without the scope audit, nor to export unmasked', async () => {
    const reader = scene.connect(await scene.createKey({ scopes: ['read'], views: ['developer'] }));
    await expect(reader.getChain({ chainId: scene.ended, as: 'auditor' })).rejects.toMatchObject({ status: 403 });
    await expect(reader.exportChain({ chainId: scene.ended, format: 'json' })).rejects.toMatchObject({
      code: 'scope_missing',
    });
  });

  it.each([
    ['more scopes', { scopes: ['audit'] }],
    ['all tenants', { scopes: ['read'], tenant: null }],
    ['another tenant', { scopes: ['read'], tenant: 'rival' }],
    ['another user', { scopes: ['read'], user: 'ana' }],
    ['no user', { scopes: ['read'], user: null }],
    ['the chains of others', { scopes: ['read'], reach: 'all' }],
    ['more roles', { scopes: ['decide'], roles: ['treasury'] }],
    ['more views', { scopes: ['read'], views: ['developer'] }],
  ] as const)('to create a key with %s', async (_, more) => {
    const created = scene.connect(ben).createKey({ name: 'more', ...more, scopes: [...more.scopes] } as never);
    await expect(created).rejects.toMatchObject({ code: 'key_not_permitted', status: 403 });
  });

  it('to decide in the name of another, or with a role that it lacks', async () => {
    const user = scene.connect(ben);
    const chainId = await scene.startWaiting(user);
    const decide = (more: object) =>
      user.decideRequest({ chainId, call: '1.1', decision: 'approve', ...more } as never);
    await expect(decide({ by: 'ana' })).rejects.toMatchObject({ code: 'request_invalid' });
    await expect(decide({ roles: ['treasury'] })).rejects.toMatchObject({ code: 'request_invalid' });
    await expect(decide({ roles: ['clerk', 'treasury'] })).rejects.toMatchObject({ code: 'request_invalid' });
    expect((await user.listRequests({ chainId })).items).toHaveLength(1);
  });
});

describe('a replay', () => {
  it('of a start returns its chain, and starts no second one', async () => {
    const start = () => scene.owner.startChain({ agent: 'clerk', task: 'Answer.' }, { idempotencyKey: 'parallel' });
    const started = await Promise.all(Array.from({ length: 20 }, start));
    expect(new Set(started.map(({ chainId }) => chainId)).size).toBe(1);
    expect(started.filter(({ existed }) => !existed)).toHaveLength(1);
  });

  it('of a start with another content is rejected', async () => {
    const start = (task: string) => scene.owner.startChain({ agent: 'clerk', task }, { idempotencyKey: 'changed' });
    await start('Answer.');
    await expect(start('Answer!')).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 });
  });

  it('of a key of another tenant or user starts a chain of its own', async () => {
    const keys = [
      scene.ownerKey,
      await scene.createKey({ tenant: 'rival' }),
      await scene.createKey({ user: 'ana', roles: [] }),
      await scene.createKey({ user: 'ben', roles: [] }),
    ];
    const started = await Promise.all(
      keys.map((key) =>
        scene.connect(key).startChain({ agent: 'clerk', task: 'Answer.' }, { idempotencyKey: 'the-same' }),
      ),
    );
    expect(new Set(started.map(({ chainId }) => chainId)).size).toBe(keys.length);
    expect(started.every(({ existed }) => !existed)).toBe(true);
  });

  it('of an approval is rejected, also at the same time', async () => {
    const chainId = await scene.startWaiting();
    const decide = () =>
      scene.owner.decideRequest({ chainId, call: '1.1', decision: 'approve' }).then(
        () => 'accepted',
        ({ code }: HttpProblemError) => code,
      );
    const decided = await Promise.all(Array.from({ length: 10 }, decide));
    expect(decided.filter((result) => result === 'accepted')).toHaveLength(1);
    expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ status: 'ended' });
    expect(['call_not_waiting', 'command_rejected', 'chain_ended']).toContain(await decide());
  });

  it('of a denied request does not approve it', async () => {
    const chainId = await scene.startWaiting();
    await scene.owner.decideRequest({ chainId, call: '1.1', decision: 'deny' });
    const decided = scene.owner.decideRequest({ chainId, call: '1.1', decision: 'approve' });
    await expect(decided).rejects.toMatchObject({ status: 409 });
    expect(await scene.owner.getChain({ chainId, as: 'developer' })).not.toMatchObject({
      steps: expect.arrayContaining([expect.objectContaining({ kind: 'tool_result', status: 'ok' })]),
    });
  });

  it('of an approval at another chain is rejected by its digest', async () => {
    const chains = [await scene.startWaiting(), await scene.startWaiting()];
    const [own, other] = await Promise.all(
      chains.map(async (chainId) => (await scene.owner.listRequests({ chainId })).items[0]?.digest),
    );
    const decided = scene.owner.decideRequest({
      ...{ chainId: chains[0] ?? '', call: '1.1', decision: 'approve' },
      digest: `${(own ?? '').slice(0, -1)}${(own ?? '').endsWith('0') ? '1' : '0'}`,
    });
    await expect(decided).rejects.toMatchObject({ status: 409 });
    expect(other).toBeDefined();
  });

  it('of a stream with a credential that was revoked is rejected', async () => {
    const { key, id: keyId } = await scene.owner.createKey({ name: 'watcher', scopes: ['read'], views: ['developer'] });
    const watcher = scene.connect(key);
    const events = watcher.followChain({ chainId: scene.waiting });
    const first = (await events.next()).value;
    await events.return();
    await scene.owner.revokeKey({ keyId });
    await expect.poll(() => watcher.listChains().catch(({ code }: HttpProblemError) => code)).toBe('unauthenticated');
    const again = watcher.followChain({ chainId: scene.waiting, ...(first?.id ? { lastEventId: first.id } : {}) });
    await expect(again.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
