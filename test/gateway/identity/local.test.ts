/** A gateway without authentication answers to this machine alone: no page of another site reaches it. */

import { expect, it } from 'vitest';
import { checkLocalSource } from '../../../src/gateway/identity/local.js';
import { isLoopbackHost, isLoopbackOrigin } from '../../../src/gateway/identity/loopback.js';

const hosts = ['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]'];
const foreignHosts = [
  ...['', 'localhost.', 'localhost.evil.com', 'evil.com', 'notlocalhost', '127.0.0.1.evil.com', '127.0.0.1.nip.io'],
  ...[
    '127.0.0.256',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0.0.0.0',
    '0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '::1',
    '10.0.0.1',
  ],
  ...['localhost:80:80', 'localhost:', 'localhost:999999', 'localhost@evil.com', 'evil.com#localhost', 'localhost/x'],
  ...['localhost evil.com', 'localhost,evil.com', 'l\u00f6calhost', '[::1', '.localhost'],
];

it('accepts names and addresses of this machine, with and without a port', () => {
  for (const host of hosts) {
    expect([host, isLoopbackHost(host), isLoopbackHost(`${host}:8080`)]).toEqual([host, true, true]);
    expect([host, isLoopbackOrigin(`http://${host}:3000`), isLoopbackOrigin(`https://${host}`)]).toEqual([
      host,
      true,
      true,
    ]);
  }
});

it('rejects names that only resemble one of this machine', () => {
  for (const host of foreignHosts)
    expect([host, isLoopbackHost(host), isLoopbackOrigin(`http://${host}`)]).toEqual([host, false, false]);
  for (const origin of [
    'null',
    '',
    'localhost',
    'file://',
    'http://localhost/',
    'ftp://localhost',
    'http://a@localhost',
  ])
    expect([origin, isLoopbackOrigin(origin)]).toEqual([origin, false]);
});

it('accepts a request by its host, and by its URL where no server set one', () => {
  const check = (url: string, headers: Record<string, string> = {}) =>
    checkLocalSource({ url, headers: new Headers(headers) }, ['https://app.acme.com'])?.code ?? 'accepted';
  const url = 'http://localhost:8080/v1/chains';
  expect(check(url)).toBe('accepted');
  expect(check('http://gateway.internal/v1/chains')).toBe('host_rejected');
  expect(check(url, { host: 'rebound.evil.com:8080' })).toBe('host_rejected');
  expect(check('http://0.0.0.0:8080/', { host: '127.0.0.1:8080' })).toBe('accepted');
  const host = 'localhost:8080';
  expect(check(url, { host, origin: 'http://localhost:3000' })).toBe('accepted');
  expect(check(url, { host, origin: 'https://app.acme.com' })).toBe('accepted');
  for (const origin of ['https://evil.com', 'null', 'https://app.acme.com.evil.com', 'https://app.acme.com:444'])
    expect(check(url, { host, origin })).toBe('origin_rejected');
  expect(check(url, { host, 'sec-fetch-site': 'cross-site' })).toBe('origin_rejected');
  for (const site of ['none', 'same-origin', 'same-site'])
    expect(check(url, { host, 'sec-fetch-site': site })).toBe('accepted');
});
