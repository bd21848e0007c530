/** The shares of equal endpoints, and the conversations that stay with one. */

import { expect, it } from 'vitest';
import { averageLatency, type EndpointLoad, rankEndpoints } from '../../../src/models/endpoints/choose-endpoint.js';

const conversations = Array.from({ length: 3_000 }, (_, index) => `chain-${index}`);

const load = (name: string, weight = 1, latencyMs: number | null = null): EndpointLoad => ({ name, weight, latencyMs });

function choose(loads: readonly EndpointLoad[], conversation: string): string {
  return rankEndpoints(loads, conversation)[0]?.name ?? '';
}

function countShares(loads: readonly EndpointLoad[]): Readonly<Record<string, number>> {
  const chosen = conversations.map((each) => choose(loads, each));
  return Object.fromEntries(
    loads.map(({ name }) => [name, chosen.filter((each) => each === name).length / chosen.length]),
  );
}

it('each endpoint gets its weight of the conversations', () => {
  const shares = countShares([load('east', 2), load('west'), load('north')]);
  expect(shares.east).toBeCloseTo(0.5, 1);
  expect(shares.west).toBeCloseTo(0.25, 1);
});

it('an endpoint that takes four times as long gets a quarter of the share', () => {
  expect(countShares([load('east', 1, 400), load('west', 1, 1_600)]).east).toBeCloseTo(0.8, 1);
});

it('an endpoint that has not answered yet counts as the fastest', () => {
  expect(countShares([load('east', 1, 1_600), load('west')]).west).toBeCloseTo(0.5, 1);
});

it('a conversation keeps its endpoint while others leave, and while latencies vary a little', () => {
  const loads = [load('east', 1, 500), load('west', 1, 500), load('north', 1, 500)];
  for (const each of conversations.slice(0, 300)) {
    const chosen = choose(loads, each);
    expect(choose([load('east', 1, 600), load('west', 1, 420), load('north', 1, 550)], each)).toBe(chosen);
    const left = loads.filter(({ name }) => name === chosen || name !== 'north');
    expect(choose(left, each)).toBe(chosen);
  }
});

it('the average follows a change of the latency', () => {
  let average: number | null = null;
  for (let call = 0; call < 5; call += 1) average = averageLatency(average, 100);
  expect(average).toBe(100);
  for (let call = 0; call < 10; call += 1) average = averageLatency(average, 1_000);
  expect(average).toBeGreaterThan(850);
});
