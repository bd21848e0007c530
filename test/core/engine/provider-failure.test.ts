/** The table of failures of model calls. */

import { describe, expect, it } from 'vitest';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import { computeBackoffMs } from '../../../src/core/engine/provider-failure.js';

describe('the table of failures', () => {
  it.each(['timeout', 'connection', 'cut', 'lost'] as const)('permits a retry of %s', (kind) => {
    expect(providerFailures[kind].next).toBe('retry');
  });

  it.each(['cancelled', 'internal', 'context_overflow'] as const)('permits no retry of %s', (kind) => {
    expect(providerFailures[kind].next).toBe('end');
  });

  it.each(Object.entries(providerFailures))('has a remedy for %s in one sentence', (_, { remedy }) => {
    expect(remedy).toMatch(/^[A-Z][^.]*(?:\.[^ .][^.]*)*\.$/);
  });

  it('names the variable that holds the key', () => {
    expect(providerFailures.authentication.remedy).toContain('ANTHROPIC_API_KEY');
  });
});

describe('the wait before the next attempt', () => {
  it('doubles up to the longest', () => {
    const waits = [1, 2, 3, 4, 20, 5_000].map((attempt) => computeBackoffMs(attempt, null, 60_000));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
  });

  it('is exactly the wait that the provider requests', () => {
    expect(computeBackoffMs(1, 0, 60_000)).toBe(0);
    expect(computeBackoffMs(1, 90_000, 60_000)).toBe(90_000);
    expect(computeBackoffMs(5, 250, 60_000)).toBe(250);
  });

  it('L7: grows after five attempts even if the provider always requests a short one', () => {
    expect(computeBackoffMs(6, 0, 60_000)).toBe(32_000);
    expect(computeBackoffMs(60, 250, 60_000)).toBe(60_000);
    expect(computeBackoffMs(60, 90_000, 60_000)).toBe(90_000);
  });
});
