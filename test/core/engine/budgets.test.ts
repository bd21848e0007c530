/** Budgets of tenants, agents and models, as the chain sees them: rejected calls, waits, alerts. */

import { describe, expect, it } from 'vitest';
import { findRetryWait, getChainStatus } from '../../../src/core/engine/index.js';
import type { BudgetChoice, ModelFailure } from '../../../src/core/model/index.js';
import { agentOf, answers, modelFailure } from '../../support/core-builders.js';
import { kinds, prepared } from '../../support/core-play.js';
import { by, routedAgent, routeTo } from '../../support/core-routing.js';

const hour = 3_600_000;

function rejected(choice: BudgetChoice, more: Partial<ModelFailure> = {}): ModelFailure {
  return modelFailure('budget', {
    message: 'Rejected by the budget of tenant acme per day',
    retryAfterMs: 8 * hour,
    budget: { budget: 'the budget of tenant acme per day', counter: 'usd', choice },
    ...more,
  });
}

const codes = (play: ReturnType<typeof prepared>) => play.chain.notices.map(({ code }) => code);

describe('a call that a budget rejects', () => {
  it('waits for hours without a charge, an attempt, or a part of the time limit', () => {
    const play = prepared(agentOf({ limits: { timeMs: 600_000 } }));
    const actions = play.failed(rejected('wait'));
    // A raise is noticed within an hour.
    expect(actions).toContainEqual({ type: 'startTimer', timer: 'retry', ms: hour });
    expect(findRetryWait(play.state)).toMatchObject({ waitsFor: 'budget', held: false, attempt: 1 });
    expect(getChainStatus(play.state)).toBe('sleeping');
    expect(codes(play)).toEqual(['budget_rejected']);
    for (let waited = 1; waited < 8; waited += 1) {
      play.after(hour).fired('retry');
      play.failed(rejected('wait', { retryAfterMs: (8 - waited) * hour }));
    }
    play.after(hour).fired('retry');
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
    expect(play.state.charged.tokens).toBe(1_100);
    expect(play.state.attempt).toBe(1);
  });

  it('is no failure of its provider: the time of modelRetry begins with the first one of those', () => {
    const model = { retry: { attempts: null, forMs: hour, maxIntervalMs: 60_000 } };
    const play = prepared(agentOf({ model }));
    for (let waited = 0; waited < 30; waited += 1) {
      play.failed(rejected('wait'));
      play.after(hour).fired('retry');
    }
    play.failed(modelFailure('overloaded'));
    expect(play.state.stop).toBeNull();
    expect(findRetryWait(play.state)).toMatchObject({ waitsFor: 'provider' });
  });

  it('waits for another model that may recover sooner than the window ends', () => {
    const play = prepared(routedAgent());
    play.failed(rejected('fallback', { route: routeTo('fast') }));
    for (const model of ['strong', 'local']) play.failed(modelFailure('overloaded', { route: routeTo(model) }));
    expect(play.state.flight).toMatchObject({ kind: 'modelRetry', retryDelayMs: 1_000 });
  });

  it('of the reservations of other calls is made again soon, and later the longer that takes', () => {
    const play = prepared();
    const waits: number[] = [];
    for (let waited = 0; waited < 16; waited += 1) {
      play.failed(rejected('wait', { retryAfterMs: 2_000 }));
      const { flight } = play.state;
      const ms = flight.kind === 'modelRetry' ? flight.retryDelayMs : 0;
      waits.push(ms);
      play.after(ms).fired('retry');
    }
    expect(waits.slice(0, 3)).toEqual([2_000, 2_000, 2_000]);
    expect(waits.at(-1)).toBeGreaterThan(100_000);
  });

  it('L7: ends the chain after 40 days', () => {
    const play = prepared();
    let waits = 0;
    while (play.state.stop === null && waits < 2_000) {
      waits += 1;
      play.failed(rejected('wait'));
      if (play.state.stop === null) play.after(hour).fired('retry');
    }
    expect(waits).toBe(40 * 24 + 1);
    expect(play.at).toBeLessThanOrEqual(40 * 24 * hour + 2_000);
    expect(play.result).toMatchObject({ outcome: 'cost_budget', reasonCode: 'budget' });
  });

  it('goes to a cheaper model if the budget chooses so, and waits where none is left', () => {
    const route = (model: string) => ({ route: routeTo(model) });
    const waiting = prepared(routedAgent());
    waiting.failed(rejected('wait', route('fast')));
    expect(waiting.state.flight.kind).toBe('modelRetry');
    const play = prepared(routedAgent());
    play.failed(rejected('fallback', route('fast')));
    expect(play.modelCall.models).toEqual(['strong']);
    for (const model of ['strong', 'local']) play.failed(rejected('fallback', route(model)));
    expect(play.state.flight).toMatchObject({ kind: 'modelRetry', retryDelayMs: hour });
    play.after(hour).fired('retry');
    expect(play.modelCall.models).toEqual(['fast']);
    play.replied(by('fast', answers('Done.')));
    expect(play.result.outcome).toBe('success');
    expect(codes(play).filter((code) => code === 'budget_rejected')).toHaveLength(3);
  });

  it('ends the chain if the budget chooses so', () => {
    const play = prepared();
    expect(kinds(play.failed(rejected('end')))).toEqual(['end']);
    expect(play.result).toMatchObject({
      outcome: 'cost_budget',
      reason: 'Rejected by the budget of tenant acme per day.',
    });
  });

  it('of tokens or calls ends the chain as token_budget', () => {
    const play = prepared();
    play.failed(rejected('end', { budget: { budget: 'the budget of all per day', counter: 'calls', choice: 'end' } }));
    expect(play.result.outcome).toBe('token_budget');
  });
});

it('a call that waits for its turn at a rate has no notice, and no part of the time limit', () => {
  const play = prepared(agentOf({ limits: { timeMs: 600_000 } }));
  const failure = modelFailure('throttled', { retryAfterMs: 900_000 });
  expect(play.failed(failure)).toContainEqual({ type: 'startTimer', timer: 'retry', ms: 900_000 });
  expect(findRetryWait(play.state)).toMatchObject({ waitsFor: 'rate' });
  play.after(900_000).fired('retry');
  play.replied(answers('Done.'));
  expect(play.result).toMatchObject({ outcome: 'success' });
  expect(codes(play)).toEqual([]);
});

it('an alert of a budget is a notice, of a call that failed too', () => {
  const play = prepared();
  play.failed(modelFailure('overloaded', { budgetAlerts: ['80 % of a budget is used.'] }));
  play.fired('retry');
  play.replied({ ...answers('Done.'), budgetAlerts: ['80 % of another is used.'] });
  expect(play.chain.notices.filter(({ code }) => code === 'budget_alert').map(({ text }) => text)).toEqual([
    '80 % of a budget is used.',
    '80 % of another is used.',
  ]);
});
