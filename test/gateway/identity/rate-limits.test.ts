/** Limits of requests, and the addresses that they count. */

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findClientAddress } from '../../../src/gateway/identity/client-address.js';
import { createRateLimits, toAddressGroup } from '../../../src/gateway/identity/rate-limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('counts the requests of each identity in each minute, by its own limit or the default', async () => {
  const { consume } = createRateLimits({ requestsPerMinute: 3 });
  const send = async (id: string, requestsPerMinute: number | null = null) =>
    (await consume({ id, requestsPerMinute })).allowed;
  expect([await send('a'), await send('a'), await send('a'), await send('a')]).toEqual([true, true, true, false]);
  expect([await send('b', 1), await send('b', 1)]).toEqual([true, false]);
  vi.advanceTimersByTime(20_500);
  expect(await consume({ id: 'a', requestsPerMinute: null })).toEqual({ allowed: false, retryAfterSeconds: 40 });
  vi.advanceTimersByTime(40_000);
  expect(await send('a')).toBe(true);
});

it('counts only wrong credentials of an address', async () => {
  const { checkAddress, recordFailure } = createRateLimits({ failuresPerMinute: 2 });
  const check = async (address: string) => (await checkAddress(address)).allowed;
  expect(await check('192.0.2.1')).toBe(true);
  await recordFailure('192.0.2.1');
  expect([await check('192.0.2.1'), await check('192.0.2.1')]).toEqual([true, true]);
  await recordFailure('::ffff:192.0.2.1');
  expect([await check('192.0.2.1'), await check('::ffff:192.0.2.1'), await check('192.0.2.2')]).toEqual([
    false,
    false,
    true,
  ]);
  await recordFailure('2001:db8:1:2::1');
  await recordFailure('2001:db8:1:2:ffff:1:2:3');
  expect([await check('2001:db8:1:2::9'), await check('2001:db8:1:3::1')]).toEqual([false, true]);
  vi.advanceTimersByTime(60_000);
  expect(await check('192.0.2.1')).toBe(true);
});

it('groups IPv6 addresses by their network, however they are written', () => {
  for (const [address, group] of [
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0007::1', '2001:db8:0:7::/64'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['10.1.2.3', '10.1.2.3'],
  ] as const)
    expect(toAddressGroup(address)).toBe(group);
  fc.assert(fc.property(fc.string(), (text) => void toAddressGroup(text)));
});

it('believes as many entries of x-forwarded-for as there are proxies of ours, from the end', () => {
  const find = (forwarded: string | null, proxies: number) =>
    findClientAddress(
      '10.0.0.1',
      { headers: new Headers(forwarded === null ? {} : { 'x-forwarded-for': forwarded }) },
      proxies,
    );
  expect(find('203.0.113.7', 0)).toBe('10.0.0.1');
  expect(find(null, 1)).toBe('10.0.0.1');
  expect(find('203.0.113.7', 1)).toBe('203.0.113.7');
  expect(find('1.1.1.1, 203.0.113.7', 1)).toBe('203.0.113.7');
  expect(find('1.1.1.1, 203.0.113.7, 10.0.0.9', 2)).toBe('203.0.113.7');
  expect(find('203.0.113.7:4711', 1)).toBe('203.0.113.7');
  expect(find('[2001:DB8::1]:4711', 1)).toBe('2001:db8::1');
  expect(find('::ffff:203.0.113.7', 1)).toBe('::ffff:203.0.113.7');
  for (const wrong of ['unknown', '', ',', '<script>', 'a'.repeat(5_000), 'evil, x'])
    expect([wrong, find(wrong, 1)]).toEqual([wrong, '10.0.0.1']);
});
