/** The admission of requests: who is served, what is counted, and what a rejected client learns. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type Authenticate,
  type AuthenticationFailure,
  createIdentify,
} from '../../../src/gateway/identity/authenticate.js';
import { createAuthenticateAndLimit } from '../../../src/gateway/identity/authenticate-and-limit.js';
import type { Identity } from '../../../src/gateway/identity/identity.js';
import { localIdentity } from '../../../src/gateway/identity/local.js';
import { createRateLimits } from '../../../src/gateway/identity/rate-limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ana: Identity = { ...localIdentity, id: 'ana', by: 'ana', tenant: 'acme' };
const common = () => ({
  limits: createRateLimits({ requestsPerMinute: 5, failuresPerMinute: 3 }),
  origins: [],
  allowUnknownPeer: false,
});

function send(authorization: string | null = null, headers: Record<string, string> = {}) {
  return new Request('http://localhost/', {
    headers: authorization === null ? headers : { authorization, ...headers },
  });
}

/** Knows `good` and `good2`, fails with the reason that the credential names, and has nothing for others. */
const byWord: Authenticate = async ({ headers }) => {
  const word = headers.get('authorization')?.replace('Bearer ', '') ?? '';
  if (word.startsWith('good')) return { ...ana, id: word };
  return word === 'other' || word === '' ? null : { reason: word as AuthenticationFailure['reason'] };
};

it('serves this machine with all rights where no authentication is configured, and no other', async () => {
  const admit = createAuthenticateAndLimit({ ...common(), identify: null });
  expect(await admit(send(), '127.0.0.1')).toEqual({ kind: 'admitted', identity: localIdentity });
  expect(await admit(send(null, { host: 'evil.com' }), '127.0.0.1')).toMatchObject({ code: 'host_rejected' });
  expect(await admit(send(null, { origin: 'https://evil.com' }), '127.0.0.1')).toMatchObject({
    code: 'origin_rejected',
  });
  expect(await admit(send(), null)).toMatchObject({ code: 'host_rejected' });
  const request = () => new Request('http://127.0.0.1/', { headers: { host: 'localhost:7700' } });
  expect(await admit(request(), '203.0.113.9')).toMatchObject({ code: 'host_rejected' });
  expect(await admit(request(), '127.0.0.1', '203.0.113.9')).toMatchObject({ code: 'host_rejected' });
  expect(await admit(send(null, { 'x-forwarded-for': '203.0.113.9' }), '203.0.113.9', '127.0.0.1')).toMatchObject({
    code: 'host_rejected',
  });
});

it('lets the first authenticator that applies decide', async () => {
  const session: Authenticate = async ({ headers }) => (headers.get('cookie') === 'session=1' ? ana : null);
  const admit = createAuthenticateAndLimit({
    ...common(),
    identify: createIdentify({ authenticators: [session, byWord] }),
  });
  expect(await admit(send('Bearer revoked', { cookie: 'session=1' }), null)).toMatchObject({ identity: { id: 'ana' } });
  expect(await admit(send('Bearer good'), null)).toMatchObject({ identity: { id: 'good' } });
  expect(await admit(send('Bearer revoked'), null)).toMatchObject({ code: 'unauthenticated' });
});

it('gives all wrong credentials one answer, and the reason to the log alone', async () => {
  const admit = createAuthenticateAndLimit({ ...common(), identify: byWord });
  const answers = [];
  for (const reason of ['unknown', 'expired', 'revoked', 'malformed', 'unverified', 'other']) {
    const found = await admit(send(`Bearer ${reason}`), null);
    expect(found).toMatchObject({ reason: reason === 'other' ? null : reason });
    answers.push(JSON.stringify({ ...found, reason: '' }));
  }
  expect(new Set(answers).size).toBe(1);
  expect(await admit(send('Bearer revoked'), null)).toMatchObject({
    headers: { 'www-authenticate': 'Bearer realm="longhand", error="invalid_token"' },
  });
  expect(await admit(send(), null)).toMatchObject({ headers: { 'www-authenticate': 'Bearer realm="longhand"' } });
});

it('reports a credential that cannot be checked now as such, and does not count it', async () => {
  const admit = createAuthenticateAndLimit({ ...common(), identify: byWord });
  for (let at = 0; at < 10; at++)
    expect(await admit(send('Bearer unavailable'), '192.0.2.1')).toMatchObject({
      ...{ code: 'not_ready', headers: { 'retry-after': '5' } },
    });
});

it('limits the requests of an identity', async () => {
  const admit = createAuthenticateAndLimit({ ...common(), identify: byWord });
  for (let at = 0; at < 5; at++) expect(await admit(send('Bearer good'), null)).toMatchObject({ kind: 'admitted' });
  expect(await admit(send('Bearer good'), null)).toMatchObject({
    ...{ code: 'too_many_requests', headers: { 'retry-after': '60' } },
  });
  expect(await admit(send('Bearer good2'), null)).toMatchObject({ kind: 'admitted' });
});

it('accepts no new credential from an address that sent wrong ones, but those that it accepted before', async () => {
  const admit = createAuthenticateAndLimit({ ...common(), identify: byWord });
  expect(await admit(send('Bearer good'), '192.0.2.1')).toMatchObject({ kind: 'admitted' });
  for (let at = 0; at < 3; at++)
    expect(await admit(send('Bearer unknown'), '192.0.2.1')).toMatchObject({ code: 'unauthenticated' });
  for (const word of ['unknown', 'good2', 'other'])
    expect(await admit(send(`Bearer ${word}`), '192.0.2.1')).toMatchObject({ code: 'too_many_requests' });
  expect(await admit(send('Bearer good'), '192.0.2.1')).toMatchObject({ kind: 'admitted' });
  expect(await admit(send('Bearer good2'), '192.0.2.2')).toMatchObject({ kind: 'admitted' });
  // Nothing can be guessed without a credential.
  expect(await admit(send(), '192.0.2.1')).toMatchObject({ code: 'unauthenticated' });
  vi.advanceTimersByTime(60_000);
  expect(await admit(send('Bearer good2'), '192.0.2.1')).toMatchObject({ kind: 'admitted' });
});

it('lets no page of another site act with a cookie', async () => {
  const session: Authenticate = async ({ headers }) => (headers.has('cookie') ? ana : null);
  const origins = ['https://app.acme.com'];
  const identify = createIdentify({ authenticators: [session, byWord] });
  const admit = createAuthenticateAndLimit({ ...common(), identify, limits: createRateLimits(), origins });
  const post = async (headers: Record<string, string>, method = 'POST') => {
    const request = new Request('http://gateway.acme.com/', { method, headers: { cookie: 'session=1', ...headers } });
    const found = await admit(request, null);
    return found.kind === 'admitted' ? 'admitted' : found.code;
  };
  for (const headers of [
    { origin: 'https://evil.com' },
    { origin: 'null' },
    { origin: 'https://evil.com', host: 'gateway.acme.com', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://other.acme.com', 'sec-fetch-site': 'same-site' },
    { origin: 'https://gateway.acme.com.evil.com', host: 'gateway.acme.com' },
  ])
    expect([headers, await post(headers), await post(headers, 'DELETE')]).toEqual([
      headers,
      ...['origin_rejected', 'origin_rejected'],
    ]);
  for (const headers of [
    {},
    { origin: 'https://app.acme.com', 'sec-fetch-site': 'same-site' },
    { origin: 'https://gateway.acme.com', host: 'Gateway.acme.com' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://public.acme.com' },
    { authorization: 'Bearer good', origin: 'https://evil.com' },
  ])
    expect([headers, await post(headers)]).toEqual([headers, 'admitted']);
  expect(await post({ origin: 'https://evil.com' }, 'GET')).toBe('admitted');
});
