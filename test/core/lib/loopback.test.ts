/** Names and addresses of this machine, and those that only resemble them. */

import { expect, it } from 'vitest';
import { isLoopbackAddress, isLoopbackHost, isLoopbackOrigin } from '../../../src/core/lib/loopback.js';

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

it('accepts addresses of this machine alone as the other end of a connection', () => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])
    expect([address, isLoopbackAddress(address)]).toEqual([address, true]);
  for (const address of [
    ...['', '203.0.113.9', '::ffff:203.0.113.9', '::', '0.0.0.0', '128.0.0.1', '127.0.0.256', '127.0.0.1.5', '::11'],
    ...['::ffff:0:127.0.0.1', 'fe80::1', 'localhost', '127.0.0.1 ', '1127.0.0.1'],
  ])
    expect([address, isLoopbackAddress(address)]).toEqual([address, false]);
});
