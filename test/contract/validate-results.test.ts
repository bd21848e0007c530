/** L1, L6: a reservation that an activity returns is valid for the workflow and its readers, or for neither. */

import { expect, it } from 'vitest';
import { validateModelCallResult } from '../../src/contract/validate-results.js';
import { count } from '../../src/core/lib/check.js';
import { isReservation } from '../../src/core/model/usage.js';
import { agentOf } from '../support/core-builders.js';

const failure = {
  kind: 'timeout',
  message: '',
  status: null,
  retryAfterMs: null,
  settle: 'reservation',
  usage: null,
};

function faultWith(reservation: unknown): string | null {
  const first = { reservation, result: { status: 'failed', failure } };
  return validateModelCallResult({ status: 'prepared', agent: agentOf(), first });
}

const reservation = { inputTokens: 1_153, outputTokens: 0, usd: 0.25 };

it.each([
  ['with a cost', reservation],
  ['of a model without a price', { ...reservation, usd: null }],
])('a reservation %s is accepted', (_, given) => {
  expect(isReservation(given)).toBe(true);
  expect(faultWith(given)).toBeNull();
});

it.each([
  ['with a fraction of a token', { ...reservation, inputTokens: 0.5 }],
  ['with fewer than no tokens', { ...reservation, outputTokens: -1 }],
  ['with more tokens than can be counted', { ...reservation, inputTokens: 2 ** 53 }],
  ['with tokens in words', { ...reservation, outputTokens: '12' }],
  ['without its cost', { inputTokens: 1, outputTokens: 1 }],
  ['with a negative cost', { ...reservation, usd: -0.01 }],
  ['with an endless cost', { ...reservation, usd: Number.POSITIVE_INFINITY }],
  ['that is a list', [1, 1, 1]],
  ['that is missing', undefined],
])('a reservation %s is rejected, by the workflow and by its readers', (_, given) => {
  expect(isReservation(given)).toBe(false);
  expect(faultWith(given)).toBe('expected a reservation in "first"');
});

it('a count is an exact whole number from 0', () => {
  for (const value of [0, 1, Number.MAX_SAFE_INTEGER]) expect(count.is(value)).toBe(true);
  for (const value of [-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, '1', true, null, undefined, [1]]) {
    expect(count.is(value)).toBe(false);
  }
});
