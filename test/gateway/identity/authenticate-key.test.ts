/** Authentication by API keys: only the key itself is accepted, and revocations take effect within seconds. */

import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { createApiKey, parseApiKey } from '../../../src/gateway/identity/api-key.js';
import { createKeyAuthenticator } from '../../../src/gateway/identity/authenticate-key.js';
import { createKeyStore, type KeyStore, type NewKey } from '../../../src/store/keys/key-store.js';
import { anyText } from '../../support/any-text.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();
const ops = { who: { by: 'ops', roles: [] }, at: 1 };
let keys: KeyStore;
beforeEach(() => {
  keys = createKeyStore(stored.store, 'default');
});

async function create(more: Partial<NewKey> = {}) {
  const { id, secretHash, text } = createApiKey();
  await keys.create(
    {
      ...{ id, secretHash, name: 'web', tenant: 'acme', user: 'ana', scopes: ['start', 'read'], roles: ['clerk'] },
      ...{ views: ['end_user'], reach: 'own', requestsPerMinute: 60, expiresAt: null },
      ...more,
    },
    ops,
  );
  return { id, text };
}

const send = (authorization: string) => new Request('http://localhost/', { headers: { authorization } });

/** Counts the queries, and fails on demand. */
function countQueries() {
  const counted = { finds: 0, uses: 0, fails: false };
  const counting: Pick<KeyStore, 'find' | 'recordUse'> = {
    find: async (id) => {
      counted.finds += 1;
      if (counted.fails) throw new Error('no store');
      return keys.find(id);
    },
    recordUse: async (id, at) => {
      counted.uses += 1;
      await keys.recordUse(id, at);
    },
  };
  return { counted, keys: counting };
}

it('accepts a key and returns what it gives', async () => {
  const { id, text } = await create();
  const authenticate = createKeyAuthenticator({ keys });
  for (const authorization of [`Bearer ${text}`, `bearer  ${text}`]) {
    expect(await authenticate(send(authorization))).toEqual({
      ...{ id: `key ${id}`, by: 'ana', tenant: 'acme', user: 'ana', roles: ['clerk'] },
      ...{ scopes: new Set(['start', 'read']), views: ['end_user'], reach: 'own' },
      ...{ requestsPerMinute: 60, expiresAt: null },
    });
  }
});

it('names a service by its key, so that two keys are never one person, and ignores scopes of other versions', async () => {
  const { id, text } = await create({ user: null, roles: null, reach: 'all', scopes: ['read', 'fly'] });
  expect(await createKeyAuthenticator({ keys })(send(`Bearer ${text}`))).toMatchObject({
    ...{ by: `key ${id}`, user: null, roles: null, scopes: new Set(['read']) },
  });
});

it('rejects every other secret, id and form of a key', async () => {
  const [one, two] = [await create(), await create()];
  const authenticate = createKeyAuthenticator({ keys });
  const secretOf = (text: string) => parseApiKey(text)?.secret ?? '';
  const flipped = one.text.slice(0, -1) + (one.text.endsWith('A') ? 'B' : 'A');
  for (const [text, reason] of [
    [`lh_${one.id}_${secretOf(two.text)}`, 'unknown'],
    [`lh_${two.id}_${secretOf(one.text)}`, 'unknown'],
    [flipped, 'unknown'],
    [createApiKey().text, 'unknown'],
    [`${one.text}A`, 'malformed'],
    [one.text.slice(0, -1), 'malformed'],
    [`lh_${one.id}_`, 'malformed'],
    [`lh_${one.id}`, 'malformed'],
    ['lh_', 'malformed'],
    [`lh_${one.id.toUpperCase()}_${secretOf(one.text)}`, 'malformed'],
    [`lh_${'x'.repeat(16_000)}`, 'malformed'],
  ] as const)
    expect([text, await authenticate(send(`Bearer ${text}`))]).toEqual([text, { reason }]);
  const notBearer = [
    one.text,
    `Basic ${one.text}`,
    `Bearer${one.text}`,
    `Bearer ${one.text} x`,
    'Bearer ',
    '',
    `Bearer LH_`,
  ];
  for (const authorization of [...notBearer, `Bearer lh_${'x'.repeat(20_000)}`, `Bearer ${one.text}\u00e9`])
    expect([authorization, await authenticate(send(authorization))]).toEqual([authorization, null]);
  const elsewhere = new Request(`http://localhost/?key=${one.text}&access_token=${one.text}`, {
    headers: { cookie: `key=${one.text}`, 'x-api-key': one.text },
  });
  expect(await authenticate(elsewhere)).toBeNull();
});

it('rejects random headers, also those that resemble a key', async () => {
  const { id, text } = await create();
  const authenticate = createKeyAuthenticator({ keys });
  const part = fc.oneof(fc.constantFrom('Bearer ', 'lh_', '_', id, text.slice(3, 30), text.slice(20)), anyText);
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const written = parts.join('');
      let request: Request;
      try {
        request = send(written);
      } catch {
        // No server receives a header with such characters.
        return;
      }
      const found = await authenticate(request);
      if (written.replace(/^bearer +/i, '').trim() !== text) expect(found === null || 'reason' in found).toBe(true);
    }),
  );
});

it('rejects an expired key from its last millisecond on, and a revoked one', async () => {
  let now = 1_000_000;
  const authenticate = createKeyAuthenticator({ keys, now: () => now, cacheMs: 10 });
  const expiring = await create({ expiresAt: 1_000_500 });
  const revoked = await create();
  now = 1_000_499;
  expect(await authenticate(send(`Bearer ${expiring.text}`))).toMatchObject({ by: 'ana' });
  now = 1_000_500;
  expect(await authenticate(send(`Bearer ${expiring.text}`))).toEqual({ reason: 'expired' });
  expect(await authenticate(send(`Bearer ${revoked.text}`))).toMatchObject({ by: 'ana' });
  await keys.revoke(revoked.id, { tenant: null, user: null }, ops);
  now += 10;
  expect(await authenticate(send(`Bearer ${revoked.text}`))).toEqual({ reason: 'revoked' });
});

it('reads a key once in a few seconds, also one that does not exist, and writes its use once a minute', async () => {
  let now = 1_000_000;
  const { counted, keys: counting } = countQueries();
  const authenticate = createKeyAuthenticator({ keys: counting, now: () => now });
  const { text } = await create();
  const absent = createApiKey().text;
  const flood = async (token: string) => {
    await Promise.all(Array.from({ length: 100 }, () => authenticate(send(`Bearer ${token}`))));
    for (let at = 0; at < 100; at++) await authenticate(send(`Bearer ${token}`));
    return counted.finds;
  };
  expect([await flood(text), await flood(absent)]).toEqual([1, 2]);
  now += 5_000;
  expect([await flood(text), await flood(absent)]).toEqual([3, 4]);
  expect(counted.uses).toBe(1);
  now += 60_000;
  await flood(text);
  expect(counted.uses).toBe(2);
});

it('reports that a key cannot be checked while the store fails, and accepts it as soon as the store answers', async () => {
  let now = 1_000_000;
  const { counted, keys: counting } = countQueries();
  const failures: unknown[] = [];
  const onError = (error: unknown) => void failures.push(error);
  const authenticate = createKeyAuthenticator({ keys: counting, now: () => now, onError });
  const [known, other] = [await create(), await create()];
  await authenticate(send(`Bearer ${known.text}`));
  counted.fails = true;
  expect(await authenticate(send(`Bearer ${known.text}`))).toMatchObject({ by: 'ana' });
  expect(await authenticate(send(`Bearer ${other.text}`))).toEqual({ reason: 'unavailable' });
  now += 5_000;
  expect(await authenticate(send(`Bearer ${known.text}`))).toEqual({ reason: 'unavailable' });
  expect(failures).toHaveLength(2);
  expect(JSON.stringify(failures.map(String))).not.toContain(known.text);
  counted.fails = false;
  expect(await authenticate(send(`Bearer ${other.text}`))).toMatchObject({ by: 'ana' });
});

it('creates keys of one form, with 256 random bits', () => {
  const made = Array.from({ length: 200 }, createApiKey);
  expect(new Set(made.map(({ text }) => text)).size).toBe(200);
  for (const { id, text, secretHash } of made) {
    expect(text).toMatch(/^lh_[0-9a-z]{10}_[\w-]{43}$/);
    expect(parseApiKey(text)?.id).toBe(id);
    expect(Buffer.from(parseApiKey(text)?.secret ?? '', 'base64url')).toHaveLength(32);
    expect(secretHash).toMatch(/^[0-9a-f]{64}$/);
  }
});
