/** L6: what a step leaves for the last call pays for it, whichever model sums up. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeReservation, reserve } from '../../../../src/core/engine/state/budget.js';
import { toBudgetReason, toMaxStepsReason } from '../../../../src/core/engine/state/notice-text.js';
import { stopChain } from '../../../../src/core/engine/state/stop.js';
import type { ModelSnapshot } from '../../../../src/core/model/agent.js';
import type { Price } from '../../../../src/core/model/price.js';
import { type ChainState, emptyState } from '../../../../src/core/model/state.js';
import { budget } from '../../../support/budget.js';
import { asks, look, usage } from '../../../support/core-builders.js';
import { prepared } from '../../../support/core-play.js';
import { by, modelOf, routedAgent } from '../../../support/core-routing.js';

const names = ['own', 'second', 'third'] as const;
const tokens = fc.nat({ max: 30_000 });
const rate = fc.double({ min: 0, max: 1e-4, noNaN: true });
const rates = fc.record({ input: rate, output: rate, cacheRead: rate, cacheWrite: rate });
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, rates, fc.constantFrom(null, 2_000, 20_000))
  .map(([base, longer, above]) => (above === null ? base : { ...base, tiers: [{ above, ...longer }] }));
const models: fc.Arbitrary<readonly ModelSnapshot[]> = fc
  .tuple(
    ...names.map((name) =>
      fc.record({ price, maxTokens: fc.constantFrom(200, 1_024, 16_000) }).map((each) => modelOf(name, each)),
    ),
  )
  .map((all) => all);

const agent = fc
  .record({
    models,
    summarizer: fc.constantFrom(...names),
    policy: fc.boolean(),
    limits: fc.record({
      tokens: fc.integer({ min: 1, max: 300_000 }),
      costUsd: fc.double({ min: 1e-3, max: 20, noNaN: true }),
    }),
  })
  .map(({ models: [own, ...others], summarizer, policy, limits }) =>
    routedAgent({ others, roles: { summarizer }, ...(policy ? { policy } : {}), agent: { model: own!, limits } }),
  );

/** Some models have answered, and know the conversation in their own tokens; for the others there are only its bytes. */
const state: fc.Arbitrary<ChainState> = fc
  .record({
    bytes: tokens,
    answered: fc.dictionary(fc.constantFrom(...names), fc.record({ tokens, newBytes: fc.nat({ max: 5_000 }) })),
    tried: fc.subarray([...names]),
    charged: fc.record({ tokens, usd: fc.double({ min: 0, max: 5, noNaN: true }) }),
  })
  .map(({ bytes, answered, tried, charged }) => ({
    ...emptyState,
    charged,
    tried: tried.map((model) => ({ model, failure: 'overloaded' as const, message: '', retryAfterMs: null })),
    context: { tokens: bytes, newBytes: 0 },
    contexts: { bytes, models: answered },
  }));

it('L6: where a step left room for the last call, that call can be paid, even if the step used all it had reserved', () => {
  let ends = 0;
  fc.assert(
    fc.property(agent, state, (clerk, before) => {
      const step = reserve(before, clerk, 'step');
      if (!step.ok) return;
      const after: ChainState = { ...chargeReservation(before, step.reservation, null), tried: [] };
      const next = reserve(after, clerk, 'step');
      const reason = next.ok ? toMaxStepsReason(clerk, null) : toBudgetReason(after, clerk, next);
      const stopped = stopChain(after, 'token_budget', reason, { closing: true }).state;
      ends += next.ok ? 0 : 1;
      expect(reserve(stopped, clerk, 'closing').ok).toBe(true);
    }),
    { numRuns: budget(500, 5_000) },
  );
  expect(ends).toBeGreaterThan(20);
});

describe('a model that has answered nothing yet sums up', () => {
  it.each([
    ['token', { tokens: 120_000 }],
    ['cost', { costUsd: 0.5 }],
  ])('at a %s limit', (_, limit) => {
    const short = modelOf('short');
    const limits = { steps: 100, stallThreshold: 100, ...limit };
    const play = prepared(
      routedAgent({
        others: [short],
        fallbacks: [],
        roles: { summarizer: 'short' },
        agent: { limits, model: modelOf('fast', { maxTokens: 1_024 }) },
      }),
    );
    for (let step = 1; play.modelCall.purpose === 'step'; step += 1) {
      play.replied({ ...by('fast', asks(look({ page: step }))), usage: usage(400 + 150 * step, 40) });
      play.returned(`${step}.1`, `page ${step}: ${'x'.repeat(400)}`);
      if (play.actions.some(({ type }) => type === 'end')) break;
    }
    expect(play.chain.steps.length).toBeGreaterThan(10);
    expect(play.modelCall).toMatchObject({ purpose: 'closing', models: ['short'] });
  });
});
