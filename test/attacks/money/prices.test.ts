/** L6: an invalid price is rejected. As a missing price, it would remove the cost limit. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validateLimits } from '../../../src/core/model/limits.js';
import { computeCost, noUsage } from '../../../src/core/model/usage.js';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import { agentOf, asks, look, somePrice, someTools, usage } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

function priced(entry: string) {
  const file = join(folder, 'prices.json');
  writeFileSync(file, `{ "claude-sonnet-5-5": ${entry} }`);
  return () => loadCatalogue(file).find('claude-sonnet-5-5')?.price;
}

describe('an invalid price is rejected with its name', () => {
  test.each([
    ['negative', '{ "input_cost_per_token": -0.000001 }', /input_cost_per_token is -0.000001/],
    ['text', '{ "output_cost_per_token": "0.00001" }', /output_cost_per_token is "0.00001"/],
    ['infinite', '{ "output_cost_per_token": 1e999 }', /output_cost_per_token is Infinity/],
    ['per million tokens', '{ "input_cost_per_token": 2 }', /per token, not per million/],
    ['a list', '{ "cache_read_input_token_cost": [] }', /cache_read_input_token_cost is \[\]/],
    ['true', '{ "cache_creation_input_token_cost": true }', /cache_creation_input_token_cost is true/],
  ])('if it is %s', (_, entry, problem) => {
    expect(priced(entry)).toThrow(matchError('invalid_prices', problem));
  });

  test('unless it is missing, null or 0', () => {
    expect(priced('{ "input_cost_per_token": null }')()).toBeNull();
    expect(priced('{ "input_cost_per_token": 0, "output_cost_per_token": 0 }')()).toMatchObject({
      input: 0,
      output: 0,
    });
    expect(priced('{ "max_tokens": "a text, as in the sample of the map" }')()).toMatchObject({ input: 2e-6 });
  });
});

describe('a very low price', () => {
  const tiny = { input: 4e-12, output: 4e-12, cacheRead: 4e-12, cacheWrite: 4e-12 };

  test('is charged at least a tenth of a billionth of a dollar', () => {
    expect(computeCost({ ...noUsage, input: 1, output: 1 }, tiny)).toBe(1e-10);
    expect(computeCost(noUsage, tiny)).toBe(0);
  });

  test('uses up a low limit after many calls', () => {
    const limits = { costUsd: 3e-8, steps: 1_000 };
    const play = prepared(agentOf({ model: { price: tiny, maxTokens: 1_024 }, tools: someTools, limits }));
    let calls = 0;
    while (play.actions.some(({ type }) => type === 'callModel') && calls < 400 && play.state.stop === null) {
      calls += 1;
      play.replied({ ...asks(look({ calls })), usage: usage(10, 1) });
      if (play.state.flight.kind === 'calls') play.returned(play.ran.at(-1)!, `news ${calls}`);
    }
    expect(calls).toBeLessThan(300);
    expect(play.state.stop?.outcome).toBe('cost_budget');
  });
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', true, []])('a cost limit of %s is rejected', (costUsd) => {
  expect(validateLimits({ costUsd })).toMatch(/costUsd must be more than 0/);
});

test('a model that costs nothing is bounded by its token limit', () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const play = prepared(agentOf({ model: { price: free }, limits: { tokens: 60_000, costUsd: 1 } }));
  play.replied({ ...asks(look()), usage: null, usageProblem: 'it reported no input_tokens' });
  play.returned('1.1');
  expect(play.state.charged.usd).toBe(0);
  expect(play.state.charged.tokens).toBeGreaterThan(16_000);
  expect(somePrice.input).toBeGreaterThan(0);
});
