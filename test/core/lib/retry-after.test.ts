/** The header `retry-after` of providers, receivers of webhooks and gateways. */

import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/core/lib/retry-after.js';

const now = Date.UTC(2026, 10, 28, 12);

it.each([
  ['3', 3_000],
  ['0', 0],
  ['1.0001', 1_001],
  ['Sat, 28 Nov 2026 12:00:05 GMT', 5_000],
  ['2026-11-28T12:00:05Z', 5_000],
  ['Sat, 28 Nov 2026 11:00:00 GMT', 0],
  ['-5', null],
  ['1e999', null],
  ['soon', null],
  [' ', null],
  [null, null],
  [undefined, null],
])('%j is %j ms', (text, ms) => {
  expect(parseRetryAfter(text, now)).toBe(ms);
});
