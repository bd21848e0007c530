/** A worker bounds its garbage, unless its process was started with other flags. */

import { expect, it } from 'vitest';
import { limitHeapGrowth } from '../../src/worker/heap-growth.js';

it.each([
  [[], ['--heap-growing-percent=30', '--max-semi-space-size=4']],
  [['--max-old-space-size=512', '--heap-growing-percent=0'], ['--max-semi-space-size=4']],
  [['--max-semi-space-size=32'], ['--heap-growing-percent=30']],
])('a process started with %j gets %j', (given, set) => {
  expect(limitHeapGrowth(given)).toEqual(set);
});
