/** How measurements are repeated and combined. */

import { describe, expect, it } from 'vitest';
import { median, medianRow, percentile, takeTurns } from '../../bench/repeat.js';

describe('takeTurns', () => {
  it('alternates the order, and does not count the warm-up', async () => {
    const order: string[] = [];
    const counted: string[] = [];
    const results = await takeTurns(
      ['a', 'b'] as const,
      { warmUp: 1, times: 2 },
      async (contestant, turn) => {
        order.push(`${contestant}${turn}`);
        return turn;
      },
      (contestant, turn) => counted.push(`${contestant}${turn}`),
    );
    expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
    expect(counted).toEqual(['b1', 'a1', 'a2', 'b2']);
    expect(results).toEqual(
      new Map([
        ['a', [1, 2]],
        ['b', [1, 2]],
      ]),
    );
  });
});

describe('the median of several measurements', () => {
  it('is computed for each column; a row is completed only if all rows are', () => {
    const rows = [
      { system: 'longhand', ms: 30, bytes: 100, completed: true },
      { system: 'longhand', ms: 10, bytes: 101, completed: false },
      { system: 'longhand', ms: 20, bytes: 999, completed: true },
    ];
    expect(medianRow(rows)).toEqual({ system: 'longhand', ms: 20, bytes: 101, completed: false });
    expect(() => medianRow([])).toThrow('There are no rows');
  });

  it('is between the two middle values of an even number', () => {
    expect(median([1, 10, 2, 4])).toBe(3);
    expect(median([3])).toBe(3);
  });

  it('is not a number without measurements, so that it cannot look like a quick result', () => {
    expect(median([])).toBeNaN();
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('generalizes to percentiles: the value below which that share of all values is', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([percentile(hundred, 0.5), percentile(hundred, 0.99)]).toEqual([51, 100]);
    expect(percentile([7], 0.99)).toBe(7);
  });
});
