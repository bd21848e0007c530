/** Cross-origin requests: exact origins of an allow list, and never with cookies. */

import { expect, it } from 'vitest';
import { answerCors, parseOrigins } from '../../../src/gateway/identity/cors.js';
import { matchError } from '../../support/match-error.js';

const origins = parseOrigins(['https://App.acme.com:443', 'http://localhost:3000', 'capacitor://localhost']);
const send = (origin: string | null, headers: Record<string, string> = {}, method = 'GET') =>
  answerCors({ method, headers: new Headers(origin === null ? headers : { origin, ...headers }) }, origins);
const preflight = { 'access-control-request-method': 'POST' };

it('parses exact origins as browsers send them, and rejects patterns and URLs', () => {
  expect(origins).toEqual(['https://app.acme.com', 'http://localhost:3000', 'capacitor://localhost']);
  for (const origin of [
    '*',
    'https://*.acme.com',
    'null',
    '',
    'app.acme.com',
    'https://a.com/',
    'https://a.com/x',
    'https://u@a.com',
  ])
    expect(() => parseOrigins([origin])).toThrow(matchError('invalid_options'));
});

it('answers the preflight of a listed origin with methods and headers', () => {
  expect(send('https://app.acme.com', preflight, 'OPTIONS')).toEqual({
    kind: 'preflight',
    headers: {
      'access-control-allow-origin': 'https://app.acme.com',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, last-event-id, range, ai-sdk-version',
      'access-control-max-age': '600',
      vary: 'origin, access-control-request-method, access-control-request-headers',
    },
  });
});

it('lets a listed origin read the answer, and never allows cookies', () => {
  const { kind, headers } = send('http://localhost:3000');
  expect([kind, headers.vary, headers['access-control-allow-origin']]).toEqual([
    'actual',
    'origin',
    'http://localhost:3000',
  ]);
  expect(headers['access-control-expose-headers']).toContain('retry-after');
  for (const each of [send('http://localhost:3000'), send('http://localhost:3000', preflight, 'OPTIONS')])
    expect(Object.keys(each.headers)).not.toContain('access-control-allow-credentials');
});

it('gives no other origin anything but the notice for caches', () => {
  const others = [
    'https://evil.com',
    'null',
    'http://app.acme.com',
    'https://app.acme.com.evil.com',
    'https://app.acme.com:8443',
  ];
  for (const origin of others) {
    expect(send(origin)).toEqual({ kind: 'actual', headers: { vary: 'origin' } });
    expect(Object.keys(send(origin, preflight, 'OPTIONS').headers)).toEqual(['vary']);
  }
  expect(send(null)).toEqual({ kind: 'actual', headers: { vary: 'origin' } });
  // Not every OPTIONS is a preflight.
  expect(send('https://app.acme.com', {}, 'OPTIONS').kind).toBe('actual');
  expect(answerCors({ method: 'GET', headers: new Headers({ origin: 'https://app.acme.com' }) }, []).headers).toEqual(
    {},
  );
});
