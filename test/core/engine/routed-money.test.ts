/** L6 with several models: random prices, usages, failures and choices of a policy. */

import { expect, it } from 'vitest';
import { computeCommittedUse } from '../../../src/core/engine/state/budget-tree.js';
import type { ModelSnapshot } from '../../../src/core/model/agent.js';
import type { ModelFailure, ModelReply } from '../../../src/core/model/fact.js';
import type { Usage } from '../../../src/core/model/model.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, modelFailure, replyOf } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { modelOf, routedAgent, routeTo } from '../../support/core-routing.js';
import { type Random, randomFrom } from '../../support/random.js';

const chains = budget(70, 1_000);

it('never spends more than the limit, and settles all in random chains', () => {
  let fallbacks = 0;
  for (let seed = 1; seed <= chains; seed += 1) fallbacks += playChain(randomFrom(seed), seed);
  expect(fallbacks).toBeGreaterThan(chains / 2);
});

function playChain(random: Random, seed: number): number {
  const [own, ...others] = Array.from({ length: 1 + pick(random, 4) }, (_, at) => createModel(random, at));
  const play = prepared(
    routedAgent({
      others,
      roles: random() < 0.3 ? { summarizer: choose(random, others)?.name ?? 'model-0' } : {},
      ...(random() < 0.5 ? { policy: true } : {}),
      agent: {
        model: own ?? {},
        limits: {
          costUsd: 10 ** (-2 + 4 * random()),
          tokens: 20_000 + pick(random, 600_000),
          steps: 1 + pick(random, 8),
        },
      },
    }),
  );
  for (let turn = 0; !hasEnded(play); turn += 1) {
    if (turn === 400) expect.fail(`Seed ${seed}: the chain does not end.`);
    checkBudget(play, seed);
    takeTurn(play, random);
  }
  checkBudget(play, seed);
  expect(play.state.flight.kind, `seed ${seed}`).toBe('idle');
  return play.chain.notices.filter(({ code }) => code === 'model_fallback').length;
}

function hasEnded({ actions }: Play): boolean {
  return actions.some(({ type }) => type === 'end');
}

function createModel(random: Random, at: number): ModelSnapshot {
  const rate = () => (random() < 0.1 ? 0 : 10 ** (-7 + 3 * random()));
  return modelOf(`model-${at}`, {
    price: { input: rate(), output: rate(), cacheRead: rate() / 10, cacheWrite: rate() },
    maxTokens: 500 + pick(random, 16_000),
    contextTokens: random() < 0.3 ? 20_000 + pick(random, 200_000) : null,
  });
}

/** L6: charged and reserved together never exceed a limit. */
function checkBudget({ state }: Play, seed: number): void {
  const { agent, flight } = state;
  if (agent === null) throw new Error('The chain has no agent.');
  const reserved = flight.kind === 'model' ? flight.reservation : { inputTokens: 0, outputTokens: 0, usd: 0 };
  const { tokens, usd } = computeCommittedUse(state);
  const all = tokens + reserved.inputTokens + reserved.outputTokens;
  const cost = (usd ?? 0) + (reserved.usd ?? 0);
  // An expectation for each turn would take most of the test's time.
  if (all <= agent.limits.tokens && cost <= (agent.limits.costUsd ?? 0) + 1e-9) return;
  expect.fail(`Seed ${seed}: ${all} tokens and ${cost} dollars exceed ${JSON.stringify(agent.limits)}.`);
}

function takeTurn(play: Play, random: Random): void {
  const { flight } = play.state;
  play.after(pick(random, 2_000));
  if (flight.kind === 'modelRetry') {
    play.after(flight.retryDelayMs).fired('retry');
  } else if (flight.kind === 'calls') {
    const [call] = flight.calls.filter(({ progress }) => progress === 'running');
    play.returned(call?.id ?? '', 'é'.repeat(pick(random, 3_000)) + play.at);
  } else if (random() < 0.4) {
    play.failed(createFailure(play, random));
  } else {
    play.replied(createReply(play, random));
  }
}

/** A policy may choose any model of the call; a lost attempt names none, and a forged one any. */
function chooseRoute(play: Play, random: Random) {
  const model = random() < 0.05 ? 'invented' : (choose(random, play.modelCall.models ?? []) ?? 'model-0');
  return random() < 0.05 ? {} : { route: routeTo(model) };
}

function createFailure(play: Play, random: Random): ModelFailure {
  const kinds = [
    'overloaded',
    'not_found',
    'cut',
    'context_overflow',
    'lost',
    'billing',
    'timeout',
    'bad_request',
  ] as const;
  const settle = choose(random, ['nothing', 'usage', 'reservation'] as const) ?? 'nothing';
  const usage = settle === 'usage' ? createUsage(play, random) : null;
  return modelFailure(choose(random, kinds) ?? 'lost', { settle, usage, ...chooseRoute(play, random) });
}

function createReply(play: Play, random: Random): ModelReply {
  const kind = random();
  const base =
    kind < 0.2
      ? replyOf({ answer: 'No.' }, { stopReason: 'refusal' })
      : kind < 0.3
        ? answers('Done.')
        : asks(look(play.at), ...(random() < 0.3 ? [look(-play.at)] : []));
  return { ...base, usage: createUsage(play, random), ...chooseRoute(play, random) };
}

/** At most what the call reserved: a provider that exceeds the request's own bounds cannot be kept out (docs/decisions/0004). */
function createUsage(play: Play, random: Random): Usage | null {
  const { flight } = play.state;
  if (flight.kind !== 'model' || random() < 0.15) return null;
  const { inputTokens, outputTokens } = flight.reservation;
  const read = pick(random, inputTokens + 1);
  const written = random() < 0.5 ? 0 : pick(random, read + 1);
  const usage = {
    input: read - written,
    output: pick(random, outputTokens + 1),
    cacheRead: 0,
    cacheWrite: written,
    thinking: 0,
  };
  if (random() < 0.1) return { ...usage, output: -usage.output };
  return random() < 0.1 ? { ...usage, input: Number.MAX_SAFE_INTEGER } : usage;
}

function pick(random: Random, below: number): number {
  return Math.floor(random() * below);
}

function choose<T>(random: Random, from: readonly T[]): T | undefined {
  return from[pick(random, from.length)];
}

it('charges an attempt of an unknown model the highest price', () => {
  const cheap = modelOf('cheap', { price: { input: 1e-6, output: 1e-6, cacheRead: 1e-6, cacheWrite: 1e-6 } });
  const dear = modelOf('dear', { price: { input: 1e-3, output: 1e-3, cacheRead: 1e-3, cacheWrite: 1e-3 } });
  const play = prepared(
    routedAgent({ others: [dear], policy: true, agent: { model: cheap, limits: { costUsd: 100 } } }),
  );
  play.replied({ ...answers('Done.'), route: routeTo('invented') });
  expect(play.state.charged.usd).toBeCloseTo(1.1, 9);
});

it('counts no cost at all where one of the models has no price', () => {
  const unpriced = modelOf('unpriced', { price: null });
  const play = prepared(routedAgent({ others: [unpriced], agent: { limits: { costUsd: null } } }));
  expect(play.modelCall.reservation.usd).toBeNull();
  play.replied({ ...answers('Done.'), route: routeTo('fast') });
  expect(play.state.charged.usd).toBeNull();
  expect(agentOf().routing).toBeUndefined();
});
