/** What a process knows of equal endpoints: latencies and rests, for each model. */

import { expect, it } from 'vitest';
import { createEndpointLoads } from '../../../src/models/endpoints/endpoint-loads.js';

const east = { name: 'east', weight: 1 };
const west = { name: 'west', weight: 1 };
const minute = 60_000;

/** The part of conversations that use the endpoint. */
function countShare(loads: ReturnType<typeof createEndpointLoads<typeof east>>, model: string, name: string): number {
  const firsts = Array.from({ length: 500 }, (_, chain) => loads.order(model, `chain-${chain}`)[0]?.name);
  return firsts.filter((each) => each === name).length / firsts.length;
}

it('a slow model of an endpoint has no effect on its other models, and is forgotten after minutes', () => {
  let now = 1_000_000;
  const loads = createEndpointLoads([east, west], () => now);
  loads.recordAnswer(east, 'large', 40_000);
  loads.recordAnswer(west, 'large', 1_000);
  expect(countShare(loads, 'large', 'east')).toBeLessThan(0.1);
  expect(countShare(loads, 'small', 'east')).toBeCloseTo(0.5, 1);
  now += 6 * minute;
  expect(countShare(loads, 'large', 'east')).toBeCloseTo(0.5, 1);
});

it('a reply without text measures nothing', () => {
  const loads = createEndpointLoads([east, west], () => 0);
  for (let call = 0; call < 5; call += 1) loads.recordAnswer(east, 'm', null);
  expect(countShare(loads, 'm', 'east')).toBeCloseTo(0.5, 1);
});

it.each([
  ['that requests no time, 10 seconds', null, false, 10_000],
  ['that requests a time, as long', 30_000, false, 30_000],
  ['that requests hours, a minute', 3_600_000, false, minute],
  ['that a person has to repair, 5 minutes', null, true, 5 * minute],
])('an endpoint rests after a failure %s', (_, retryAfterMs, needsRepair, ms) => {
  let now = 1_000_000;
  const loads = createEndpointLoads([east, west], () => now);
  loads.recordFailure(east, 'm', { retryAfterMs }, needsRepair);
  now += ms - 1;
  expect(countShare(loads, 'm', 'east')).toBe(0);
  expect(countShare(loads, 'other', 'east')).toBeGreaterThan(0.4);
  now += 1;
  expect(countShare(loads, 'm', 'east')).toBeGreaterThan(0.4);
});
