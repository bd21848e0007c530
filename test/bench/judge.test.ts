/** The judgement of paired costs: what is slower is rejected, noise is not, and doubt asks for more pairs. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRatio, isDoubtful, judge, type Pair } from '../../bench/against/judge.js';

function pairsOf(ratios: readonly number[]): readonly Pair[] {
  return ratios.map((ratio, at) => ({ old: 100 + at, new: (100 + at) * ratio }));
}

function judgeRatios(ratios: readonly number[], isLast = false) {
  const ratio = computeRatio(pairsOf(ratios));
  return isDoubtful(ratio) && !isLast ? 'doubtful' : judge(ratio);
}

describe('the ratio of two builds', () => {
  it('is the median of the pairs, with bounds that grow closer with more pairs', () => {
    expect(computeRatio(pairsOf([1.2, 1, 1.1, 0.9, 1.3])).median).toBeCloseTo(1.1);
    const few = computeRatio(pairsOf([0.9, 1, 1.1, 1.2, 1.3]));
    expect([few.low, few.high].map((bound) => bound.toFixed(2))).toEqual(['0.90', '1.30']);
    const many = computeRatio(pairsOf(Array.from({ length: 15 }, (_, at) => 0.9 + at / 35)));
    expect(many.low).toBeGreaterThan(0.97);
    expect(many.high).toBeLessThan(1.23);
  });

  it('has bounds that enclose the median', () => {
    const ratios = fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(ratios, (some) => {
        const { low, median, high } = computeRatio(pairsOf(some));
        expect(low).toBeLessThanOrEqual(median + 1e-9);
        expect(high).toBeGreaterThanOrEqual(median - 1e-9);
      }),
    );
  });
});

describe('a build', () => {
  it('is slower when even the lower bound is above the allowance', () => {
    expect(judgeRatios([1.12, 1.15, 1.2, 1.14, 1.3])).toBe('slower');
  });

  it('is kept when even the upper bound is within the allowance', () => {
    expect(judgeRatios([0.95, 1, 1.04, 1.09, 1.02])).toBe('kept');
  });

  it('is measured again when the bounds enclose the allowance, and judged by the median at last', () => {
    const disturbed = [0.98, 1, 1.01, 1.02, 1.5];
    expect(judgeRatios(disturbed)).toBe('doubtful');
    expect(judgeRatios(disturbed, true)).toBe('kept');
    expect(judgeRatios([1.05, 1.12, 1.13, 1.14, 1.2], true)).toBe('slower');
  });

  it('is kept when its pairs do not exclude that it is equal', () => {
    expect(judgeRatios([0.9, 0.95, 1.11, 1.12, 1.13, 1.14, 1.15, 1.2, 1.2, 1.3], true)).toBe('kept');
    expect(judgeRatios([0.9, 1.01, 1.11, 1.12, 1.13, 1.14, 1.15, 1.2, 1.2, 1.3], true)).toBe('slower');
  });
});
