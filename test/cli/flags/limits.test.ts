/** Parsing of `--limit`. */

import { describe, expect, it } from 'vitest';
import { parseLimits } from '../../../src/cli/flags/limits.js';
import { matchError } from '../../support/match-error.js';

describe('--limit', () => {
  it('parses each limit in its unit', () => {
    const written = ['steps=5', 'tokens=20000', 'cost=0.25', 'time=30s', 'stall=3', 'similarity=0.9'];
    expect(parseLimits(written)).toEqual({
      steps: 5,
      tokens: 20_000,
      costUsd: 0.25,
      time: 30_000,
      stallThreshold: 3,
      stallSimilarity: 0.9,
    });
    expect(parseLimits(['wait=2d'])).toEqual({ wait: 172_800_000 });
    expect(parseLimits(['time=2m', 'time=1.5h'])).toEqual({ time: 5_400_000 });
  });

  it.each(['time=5', 'time=', 'steps=2=9', 'steps', 'steps= ', 'stepz=3', 'tokens=many', 'time=soon', 'timeMs=500'])(
    'rejects %s',
    (written) => {
      expect(() => parseLimits([written])).toThrow(matchError('usage', `Invalid limit ${written}. Write steps=5`));
    },
  );

  it('rejects a limit that is out of range with the reason', () => {
    expect(() => parseLimits(['stall=1'])).toThrow(matchError('usage', 'one step repeats nothing'));
    expect(() => parseLimits(['time=60d'])).toThrow(matchError('usage', '30 days at most'));
    expect(() => parseLimits(['cost=0'])).toThrow(matchError('usage', 'more than 0 US dollars'));
  });
});
