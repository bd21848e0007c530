/** L7: Temporal accepts every number and text of a workflow command, with any state of the chain. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toAttempts,
  toDetails,
  toDoubleAttribute,
  toIntAttribute,
  toKeywordAttribute,
  toSummary,
  toTimeout,
} from '../../../src/contract/temporal-limits.js';
import { budget } from '../../support/budget.js';

const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(5e18, 1e19, 1e22, 1e308, -0, 0.5, Number.NaN, Infinity, -Infinity),
);

describe('a number for Temporal', () => {
  it('is a whole number of 64 bits in a search attribute of type Int', () => {
    fc.assert(fc.property(anyNumber, (value) => void expect(Number.isSafeInteger(toIntAttribute(value))).toBe(true)));
    expect([5e18, -0.2, 12, 12.5].map(toIntAttribute)).toEqual([999_999_999_999_999, -0, 12, 13]);
  });

  it('is finite and has 15 digits in a search attribute of type Double', () => {
    fc.assert(fc.property(anyNumber, (value) => void expect(Math.abs(toDoubleAttribute(value))).toBeLessThan(1e15)));
    expect(toDoubleAttribute(0.0123)).toBe(0.0123);
  });

  it('is a timeout from a millisecond to ten years', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        expect(toTimeout(value)).toBeGreaterThanOrEqual(1);
        expect(toTimeout(value)).toBeLessThanOrEqual(10 * 365 * 86_400_000);
        expect(toAttempts(value)).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(toAttempts(value))).toBe(true);
      }),
    );
    expect(toTimeout(30 * 86_400_000)).toBe(30 * 86_400_000);
  });
});

it('a text has the size that Temporal accepts, with any characters', () => {
  fc.assert(
    fc.property(fc.constantFrom('a', 'ü', '漢', '👍'), fc.nat({ max: 40_000 }), (character, times) => {
      const text = character.repeat(times);
      expect(toKeywordAttribute(text).length).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(toSummary(text))).toBeLessThanOrEqual(400);
      expect(Buffer.byteLength(toDetails(text))).toBeLessThanOrEqual(20_000);
    }),
    { numRuns: budget(25, 50) },
  );
});
