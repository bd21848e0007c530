/** Limits as users write them. */

import { describe, expect, it } from 'vitest';
import { limitTable } from '../../src/core/model/limits.js';
import { fromStoredLimits, type LimitOptions, parseLimitOptions } from '../../src/options/limits.js';

const parse = (limits: unknown) => parseLimitOptions(limits as LimitOptions, (sentence) => new Error(sentence));

describe('limits', () => {
  it('are stored with times in milliseconds', () => {
    const others = { steps: 5, tokens: 1_000, costUsd: 0.5, stallThreshold: 3, depth: 0, chains: 2 };
    expect(parse({ ...others, time: '5m' })).toEqual({ ...others, timeMs: 300_000 });
    expect(parse({ time: 1_500 })).toEqual({ timeMs: 1_500 });
    expect(parse({ time: '30 days' })).toEqual({ timeMs: 2_592_000_000 });
    expect(parse({ wait: '2d' })).toEqual({ waitMs: 172_800_000 });
    expect(() => parse({ wait: '366 days' })).toThrow(/^limits\.wait must be 365 days at most\.$/);
    expect(parse({ costUsd: null, time: undefined })).toEqual({ costUsd: null });
  });

  it('that are stored can all be set again', () => {
    const stored = Object.fromEntries(
      Object.keys(limitTable).map((name) => [name, name === 'stallSimilarity' ? 1 : 2]),
    );
    expect(parse(fromStoredLimits(stored))).toEqual(stored);
    expect(parse(fromStoredLimits({ costUsd: null }))).toEqual({ costUsd: null });
  });

  it.each(['soon', -1, 0, Number.POSITIVE_INFINITY])('reject %j as time', (time) => {
    expect(() => parse({ time })).toThrow(
      /^limits\.time must be milliseconds \(at least 1\) or a text such as '90s'\.$/,
    );
  });

  it.each(['31 days', 31 * 86_400_000])('reject a time of %j, which is over 30 days', (time) => {
    expect(() => parse({ time })).toThrow(/^limits\.time must be 30 days at most\.$/);
  });

  it('reject an unknown limit with the fix', () => {
    expect(() => parse({ timeMs: 1_000 })).toThrow(/^limits\.timeMs is unknown; you may mean time\.$/);
    expect(() => parse({ dollars: 1 })).toThrow(
      'limits.dollars is unknown; expected steps, tokens, costUsd, time, stallThreshold, stallSimilarity, depth, chains, wait.',
    );
    expect(() => parse(null)).toThrow('limits must be an object.');
  });
});
