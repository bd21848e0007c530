/** Which of many chains were started first, by counts alone. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findFirstStarts } from '../../../src/client/list/first-starts.js';

/** Counts starts as the server does, and records the times that it was asked for. */
function createCounter(starts: readonly number[]) {
  const asked: number[] = [];
  const count = async (condition: string): Promise<number> => {
    const until = Date.parse(/^StartTime <= '(.+)'$/.exec(condition)?.[1] ?? '');
    asked.push(until);
    return starts.filter((ms) => ms <= until).length;
  };
  return { asked, count };
}

it('finds as many chains as needed, and at most half more unless they were started at once', async () => {
  const ages = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 40_000_000_000 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(ages, { minLength: 9, maxLength: 300 }),
      fc.integer({ min: 1, max: 8 }),
      async (all, least) => {
        const now = Date.now();
        const starts = all.map((age) => now - age);
        const { asked, count } = createCounter(starts);
        const first = await findFirstStarts(count, least, starts.length);
        const chosen = await count(first.until);
        expect(chosen).toBe(first.count);
        expect(chosen).toBeGreaterThanOrEqual(least);
        const [last = 0] = starts.toSorted((a, b) => a - b).slice(chosen - 1);
        if (chosen > 1.5 * least) expect(starts.filter((ms) => ms === last).length).toBeGreaterThan(least / 2);
        expect(asked.length).toBeLessThanOrEqual(60);
      },
    ),
  );
});

it('needs few counts where starts are even', async () => {
  const now = Date.now();
  const { asked, count } = createCounter(Array.from({ length: 10_000 }, (_, nth) => now - 3_600_000 - nth * 30));
  const first = await findFirstStarts(count, 150, 10_000);
  expect(first.count).toBeGreaterThanOrEqual(150);
  expect(first.count).toBeLessThanOrEqual(225);
  expect(asked.length).toBeLessThanOrEqual(20);
});
