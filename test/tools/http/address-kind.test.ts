/** Which addresses are public: those around the ranges that are not. */

import { expect, it } from 'vitest';
import { classifyAddress } from '../../../src/tools/http/address-kind.js';

it.each([
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...[
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
  ],
  ...[
    '168.63.129.15',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ],
])('%s is public', (address) => {
  expect(classifyAddress(address)).toBe('public');
});

it('an address with a zone is one of a network of this machine', () => {
  expect(classifyAddress('2001:4860:4860::8888%eth0')).toBe('link_local');
});

it.each(['', 'localhost', '1', '0x08080808', '010.8.8.8', '8.8.8', '8.8.8.8.', '[::1]', '8.8.8.8/32'])(
  '%j is no address, so it is not public',
  (text) => {
    expect(classifyAddress(text)).toBe('reserved');
  },
);
