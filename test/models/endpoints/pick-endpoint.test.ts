/** Load balancing: the shares of equal endpoints. */

import { expect, it } from 'vitest';
import { type EndpointLoad, pickEndpoint } from '../../../src/models/endpoints/pick-endpoint.js';

/** Shares of a thousand calls, spread evenly. */
function countPicks(endpoints: readonly EndpointLoad[]): readonly number[] {
  const counts = endpoints.map(() => 0);
  for (let call = 0; call < 1_000; call += 1) {
    const picked = pickEndpoint(endpoints, call / 1_000);
    counts[picked] = (counts[picked] ?? 0) + 1;
  }
  return counts;
}

const load = (weight: number, latencyMs: number | null = null): EndpointLoad => ({ weight, latencyMs });

it.each([
  { name: 'by weight before anything is known', endpoints: [load(3), load(1)], counts: [750, 250] },
  { name: 'by weight and latency', endpoints: [load(1, 300), load(1, 100)], counts: [250, 750] },
  { name: 'a few milliseconds decide nothing', endpoints: [load(1, 5), load(1, 40)], counts: [500, 500] },
  { name: 'one that was never called counts as the fastest', endpoints: [load(1, 900), load(1)], counts: [500, 500] },
  { name: 'one endpoint gets all', endpoints: [load(0.1, 9_000)], counts: [1_000] },
])('$name', ({ endpoints, counts }) => {
  expect(countPicks(endpoints)).toEqual(counts);
});

it('always picks one of them', () => {
  expect(pickEndpoint([load(1), load(1)], 0.999_999_999_999_999_9)).toBe(1);
});
