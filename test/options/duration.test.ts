/** Durations of options. */

import { describe, expect, it } from 'vitest';
import { checkDuration, type Duration, parseDuration } from '../../src/options/duration.js';

const invalid: readonly [unknown, string][] = [
  ['soon', "'soon'"],
  ['', "''"],
  ['-5m', "'-5m'"],
  [-1, '-1'],
  [0, '0'],
  [0.4, '0.4'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [Number.NaN, 'NaN'],
  [null, 'null'],
];

describe('a duration', () => {
  it.each<[Duration, number]>([
    ['90s', 90_000],
    ['5 minutes', 300_000],
    ['1.5h', 5_400_000],
    ['250', 250],
    [1, 1],
    [1.6, 2],
  ])('%j is %i ms', (written, ms) => {
    expect(checkDuration(written, 'wait')).toBeNull();
    expect(parseDuration(written, 'wait')).toBe(ms);
  });

  it.each(invalid)('%j is rejected with its value and the fix', (written, shown) => {
    const expected = "milliseconds (at least 1) or a text such as '90s'";
    expect(checkDuration(written, 'retry.wait')).toBe(`retry.wait must be ${expected}`);
    expect(() => parseDuration(written as Duration, 'wait')).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: `Invalid option \`wait\` ${shown}: expected ${expected}.`,
      }),
    );
  });
});
