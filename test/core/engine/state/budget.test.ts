/** L6: the cost of a model call is reserved before it and settled after it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preambleTokens, reserve } from '../../../../src/core/engine/state/budget.js';
import { countUtf8Bytes } from '../../../../src/core/lib/json.js';
import type { AgentSnapshot } from '../../../../src/core/model/agent.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import { type ChainState, emptyState } from '../../../../src/core/model/state.js';
import { computeCost } from '../../../../src/core/model/usage.js';
import { budget } from '../../../support/budget.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  replyOf,
  someInput,
  somePrice,
  usage,
} from '../../../support/core-builders.js';
import { prepared } from '../../../support/core-play.js';

const stateWith = (spent: number, tokens: number, newBytes = 0): ChainState => ({
  ...emptyState,
  charged: { tokens: spent, usd: 0 },
  context: { tokens, newBytes },
});

function computeReservation(state: ChainState, agent: AgentSnapshot, purpose: 'step' | 'closing' = 'step') {
  const budget = reserve(state, agent, purpose);
  return budget.ok ? budget.reservation : null;
}

describe('a reservation', () => {
  it('bounds the first call by the bytes of the prompt and the task', () => {
    const { reservation } = prepared(agentOf({ promptBytes: 700 })).modelCall;
    expect(reservation.inputTokens).toBe(700 + countUtf8Bytes(someInput.task) + preambleTokens);
    expect(reservation.outputTokens).toBe(16_000);
  });

  it("bounds the first call by the provider's count, where there is one", () => {
    const { reservation } = prepared(agentOf({ promptBytes: 400_000, countedTokens: 100_000 })).modelCall;
    expect(reservation.inputTokens).toBe(105_000 + preambleTokens);
    // Less than any text has.
    const implausible = prepared(agentOf({ promptBytes: 400_000, countedTokens: 0 })).modelCall.reservation;
    expect(implausible.inputTokens).toBeGreaterThan(400_000);
    // A count that is no bound.
    const { inputTokens } = prepared(agentOf({ promptBytes: 700, countedTokens: 9_000 })).modelCall.reservation;
    expect(inputTokens).toBe(700 + countUtf8Bytes(someInput.task) + preambleTokens);
  });

  it('bounds a later one by the last usage and the bytes added since', () => {
    const play = prepared();
    play.replied({
      ...asks(look()),
      usage: { input: 10, output: 50, cacheRead: 2_000, cacheWrite: 300, thinking: 20 },
    });
    play.returned('1.1', 'ü'.repeat(400));
    const { inputTokens } = play.modelCall.reservation;
    expect(inputTokens).toBeGreaterThanOrEqual(2_310 + 50 + 800);
    expect(inputTokens).toBeLessThan(2_310 + 50 + 800 + 200);
  });

  it('is priced at the highest input rate and the most output', () => {
    const { inputTokens, outputTokens, usd } = prepared().modelCall.reservation;
    expect(usd).toBeCloseTo(inputTokens * somePrice.cacheWrite + outputTokens * somePrice.output, 9);
  });

  it('keeps the earlier bound when a server reports no input', () => {
    const play = prepared();
    const { inputTokens } = play.modelCall.reservation;
    play.replied({ ...asks(look()), usage: usage(0, 0) });
    play.returned('1.1', 'abc');
    expect(play.modelCall.reservation.inputTokens).toBeGreaterThan(inputTokens);
  });

  it('counts the observations of calls that were abandoned, or not run', () => {
    const many = asks(...Array.from({ length: 16 }, (_, at) => look(at)));
    const behind = prepared();
    behind.replied(many);
    behind.fired('deadline');
    behind.fired('grace');
    expect(behind.statuses).toEqual(Array(16).fill('abandoned'));
    const late = prepared();
    const { call } = late.modelCall;
    late.take({ type: 'timerFired', timer: 'deadline' }, { type: 'modelReplied', call, reply: many });
    expect(late.statuses).toEqual(Array(16).fill('not_run'));
    for (const { chain, modelCall } of [behind, late]) {
      const observed = chain.steps[0]!.calls.reduce((sum, each) => sum + countUtf8Bytes(String(each.observation)), 0);
      expect(modelCall.purpose).toBe('closing');
      expect(modelCall.reservation.inputTokens).toBeGreaterThanOrEqual(1_100 + observed + 16 * 50);
    }
  });

  it('counts working notes, which are rendered in addition to their reply', () => {
    const play = prepared();
    play.replied(replyOf({ problem: 'x', scratchpad: 'n'.repeat(3_000) }));
    expect(play.modelCall.reservation.inputTokens).toBeGreaterThan(1_100 + 3_000);
  });
});

/** A last call at a context of 1,000 tokens: with its own text and the reason of a limit, and a short reply. */
const lastInput = 1_000 + 1_024;
const last = lastInput + 1_024;

describe('output tokens', () => {
  it('are lowered to what is left after the reservation for a last call', () => {
    const agent = agentOf({ limits: { tokens: 10_000 } });
    expect(computeReservation(stateWith(0, 1_000), agent)?.outputTokens).toBe(10_000 - 1_000 - last);
    expect(computeReservation(stateWith(4_000, 1_000), agent)?.outputTokens).toBe(5_000 - last);
  });

  it('are lowered to what the remaining dollars can pay', () => {
    const agent = agentOf({ limits: { costUsd: 0.05 } });
    const outputTokens = computeReservation(stateWith(0, 1_000), agent)?.outputTokens ?? 0;
    const whole = (1_000 + lastInput) * somePrice.cacheWrite + (outputTokens + 1_024) * somePrice.output;
    expect(whole).toBeLessThanOrEqual(0.05);
    expect(whole).toBeGreaterThan(0.05 - somePrice.output - 1e-9);
  });

  it('are never lowered below 1,024: instead the call is not made', () => {
    const agent = agentOf({ limits: { tokens: 10_000 } });
    const most = 10_000 - 1_000 - last - 1_024;
    expect(computeReservation(stateWith(most, 1_000), agent)?.outputTokens).toBe(1_024);
    expect(computeReservation(stateWith(most + 1, 1_000), agent)).toBeNull();
  });

  it("are never lowered below the agent's own maximum where that is less", () => {
    const agent = agentOf({ limits: { tokens: 10_000 }, model: { maxTokens: 200 } });
    const most = 10_000 - 1_000 - (lastInput + 200) - 200;
    expect(computeReservation(stateWith(most, 1_000), agent)?.outputTokens).toBe(200);
    expect(computeReservation(stateWith(most + 1, 1_000), agent)).toBeNull();
  });

  it('of the last call are few, and are paid from its reservation', () => {
    const agent = agentOf({ limits: { tokens: 10_000 } });
    const most = 10_000 - last;
    expect(computeReservation(stateWith(most, 1_000), agent)).toBeNull();
    expect(computeReservation(stateWith(most, 1_000), agent, 'closing')?.outputTokens).toBe(1_024);
    expect(computeReservation(stateWith(most + 1, 1_000), agent, 'closing')).toBeNull();
  });

  it('cost nothing on a model that costs nothing', () => {
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(computeReservation(stateWith(0, 1_000), agentOf({ model: { price: free } }))).toMatchObject({
      outputTokens: 16_000,
      usd: 0,
    });
  });

  it('have no cost limit on a model without a price', () => {
    const agent = agentOf({ model: { price: null }, limits: { costUsd: null } });
    expect(computeReservation(stateWith(0, 1_000), agent)).toEqual({
      inputTokens: 1_000,
      outputTokens: 16_000,
      usd: null,
    });
  });
});

describe('a price with tiers', () => {
  const long = { above: 10_000, input: 4e-6, output: 2e-5, cacheRead: 4e-7, cacheWrite: 5e-6 };
  const agent = agentOf({ model: { price: { ...somePrice, tiers: [long] } } });

  it('reserves at the rates of a long request as soon as its bound exceeds the start', () => {
    const usd = (context: number) => computeReservation(stateWith(0, context), agent)?.usd;
    expect(usd(10_000)).toBeCloseTo(10_000 * somePrice.cacheWrite + 16_000 * somePrice.output, 9);
    expect(usd(10_001)).toBeCloseTo(10_001 * long.cacheWrite + 16_000 * long.output, 9);
  });

  it('charges all tokens of a request at the rates of its input, cached tokens included', () => {
    const cost = (cacheRead: number) => computeCost({ ...usage(1_000, 500), cacheRead }, agent.model.price!);
    expect(cost(9_000)).toBeCloseTo(1_000 * 2e-6 + 9_000 * 2e-7 + 500 * 1e-5, 12);
    expect(cost(9_001)).toBeCloseTo(1_000 * 4e-6 + 9_001 * 4e-7 + 500 * 2e-5, 12);
  });
});

describe('a price of thinking', () => {
  const price = { ...somePrice, thinking: 4e-5 };

  it('is reserved for all output where it is the higher one', () => {
    const { usd } = computeReservation(stateWith(0, 1_000), agentOf({ model: { price } }))!;
    expect(usd).toBeCloseTo(1_000 * somePrice.cacheWrite + 16_000 * 4e-5, 9);
  });

  it('is charged for reported thinking, and for all output where none is reported', () => {
    const cost = (thinking: number) => computeCost({ ...usage(0, 1_000), thinking }, price);
    expect(cost(300)).toBeCloseTo(700 * 1e-5 + 300 * 4e-5, 12);
    expect(cost(9_999)).toBeCloseTo(1_000 * 4e-5, 12);
    expect(cost(0)).toBeCloseTo(1_000 * 4e-5, 12);
    expect(computeCost(usage(0, 1_000), { ...somePrice, thinking: 1e-6 })).toBeCloseTo(1_000 * 1e-5, 12);
  });
});

describe('settling', () => {
  it('charges a reply by its usage, cached input included, each at its price', () => {
    const play = prepared();
    const used = { input: 100, output: 40, cacheRead: 3_000, cacheWrite: 500, thinking: 30 };
    play.replied({ ...answers('x'), usage: used });
    expect(play.state.charged.tokens).toBe(3_640);
    expect(play.state.charged.usd).toBeCloseTo(100 * 2e-6 + 40 * 1e-5 + 3_000 * 2e-7 + 500 * 2.5e-6, 10);
    expect(play.result.usage).toEqual(used);
  });

  it('charges nothing for an error status before any stream, or without a connection', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded', { settle: 'nothing' }));
    expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
  });

  it('charges the usage of a failure, without using it as the size of the conversation', () => {
    const play = prepared();
    const { context } = play.state;
    play.failed(modelFailure('server_error', { settle: 'usage', usage: usage(400, 3) }));
    expect(play.state.charged.tokens).toBe(403);
    expect(play.state.context).toEqual(context);
  });

  it.each([['timeout'], ['lost'], ['cut'], ['connection']] as const)(
    'the full reservation, after %s that reported nothing',
    (kind) => {
      const play = prepared();
      const { inputTokens, outputTokens, usd } = play.modelCall.reservation;
      play.failed(modelFailure(kind, { settle: 'reservation' }));
      expect(play.state.charged).toEqual({ tokens: inputTokens + outputTokens, usd });
      expect(play.state.usage).toEqual(usage(0, 0));
    },
  );

  it('charges the full reservation where the promised usage is missing', () => {
    const play = prepared();
    const { inputTokens, outputTokens } = play.modelCall.reservation;
    play.failed(modelFailure('cut', { settle: 'usage' }));
    expect(play.state.charged.tokens).toBe(inputTokens + outputTokens);
  });
});

it('L6: a reservation fits into what is left, for any limits and charges', () => {
  const amount = fc.integer({ min: 0, max: 60_000 });
  const perToken = fc.double({ min: 0, max: 1e-4, noNaN: true });
  const price = fc.record({ input: perToken, output: perToken, cacheRead: perToken, cacheWrite: perToken });
  const purpose = fc.constantFrom('step' as const, 'closing' as const);
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      amount,
      price,
      purpose,
      fc.double({ min: 1e-4, max: 3, noNaN: true }),
      (...given) => {
        const [spentIn, spentOut, context, tokens, rates, why, costUsd] = given;
        const agent = agentOf({ limits: { tokens: tokens + 1, costUsd }, model: { price: rates } });
        const usd = computeCost(usage(spentIn, spentOut), rates);
        const state = { ...stateWith(spentIn + spentOut, context), charged: { tokens: spentIn + spentOut, usd } };
        const budget = computeReservation(state, agent, why);
        if (budget === null) return;
        expect(state.charged.tokens + budget.inputTokens + budget.outputTokens).toBeLessThanOrEqual(
          agent.limits.tokens,
        );
        expect(usd + (budget.usd ?? 0)).toBeLessThanOrEqual(costUsd + 1e-9);
        expect(budget.outputTokens).toBeGreaterThanOrEqual(Math.min(defaults.minTokens, agent.model.maxTokens));
        expect(budget.outputTokens).toBeLessThanOrEqual(agent.model.maxTokens);
      },
    ),
    { numRuns: budget(125, 500) },
  );
});
