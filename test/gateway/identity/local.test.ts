/** A gateway without authentication answers to this machine alone: no page of another site reaches it. */

import { expect, it } from 'vitest';
import { checkLocalSource } from '../../../src/gateway/identity/local.js';

it('accepts a request by its host, and by its URL where no server set one', () => {
  const check = (url: string, headers: Record<string, string> = {}) =>
    checkLocalSource({ url, headers: new Headers(headers) }, options, '127.0.0.1')?.code ?? 'accepted';
  const options = { origins: ['https://app.acme.com'], allowUnknownPeer: false };
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

it('rejects a request of another machine or of a proxy, also for a host of this machine', () => {
  const check = (peer: string | null, headers: Record<string, string> = {}, allowUnknownPeer = true) => {
    const request = { url: 'http://localhost:7700/', headers: new Headers(headers) };
    return checkLocalSource(request, { origins: [], allowUnknownPeer }, peer)?.code ?? 'accepted';
  };
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    expect([peer, check(peer, {}, false)]).toEqual([peer, 'accepted']);
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1', null])
    expect([peer, check(peer)]).toEqual([peer, 'accepted']);
  for (const peer of ['203.0.113.9', '10.0.0.7', '::ffff:192.168.1.9', 'fe80::1%eth0'])
    expect([peer, check(peer)]).toEqual([peer, 'host_rejected']);
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
    for (const peer of ['127.0.0.1', null])
      expect([name, check(peer, { [name]: '127.0.0.1' })]).toEqual([name, 'host_rejected']);
});

it('rejects a request whose other end the server does not pass, unless its options accept it', () => {
  const check = (allowUnknownPeer: boolean) => {
    const request = { url: 'http://localhost:7700/', headers: new Headers({ host: 'localhost:7700' }) };
    return checkLocalSource(request, { origins: [], allowUnknownPeer }, null)?.code ?? 'accepted';
  };
  expect([check(false), check(true)]).toEqual(['host_rejected', 'accepted']);
});
