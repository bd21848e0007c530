/** A call that one model fails or refuses goes to the next one. */

import { describe, expect, it } from 'vitest';
import { selectModel } from '../../../src/core/engine/state/route.js';
import { countUtf8Bytes, toCanonicalJson } from '../../../src/core/lib/json.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { agentOf, answers, asks, look, modelFailure, replyOf, usage } from '../../support/core-builders.js';
import { kinds, prepared } from '../../support/core-play.js';
import { by, fast, modelOf, routedAgent, routeTo, strong, strongPrice } from '../../support/core-routing.js';

const failedBy = (model: string, kind: Parameters<typeof modelFailure>[0]) =>
  modelFailure(kind, { route: routeTo(model) });

describe('a fallback', () => {
  it('follows a failure at once, as an attempt of its own, with the price of its model', () => {
    const play = prepared(routedAgent());
    expect(play.modelCall).toMatchObject({ call: 'model-1', models: ['fast'], attempt: 1 });
    const { inputTokens, usd } = play.modelCall.reservation;
    const actions = play.failed(failedBy('fast', 'overloaded'));
    expect(kinds(actions)).toEqual(['callModel']);
    expect(play.modelCall).toMatchObject({ call: 'model-2', models: ['strong'], attempt: 1 });
    expect(play.modelCall.reservation.usd).toBeCloseTo((usd ?? 0) * 10, 9);
    expect(play.modelCall.reservation.inputTokens).toBe(inputTokens);
    play.replied(by('strong', answers('Done.')));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
    expect(play.state.charged.usd).toBeCloseTo(1_000 * strongPrice.input + 100 * strongPrice.output, 9);
    expect(play.step).toMatchObject({ route: { model: 'strong' }, costUsd: play.state.charged.usd });
    expect(play.chain.notices).toContainEqual(
      expect.objectContaining({
        code: 'model_fallback',
        text: 'fast failed (overloaded): It was overloaded. The next attempt uses strong.',
      }),
    );
  });

  it.each([
    'overloaded',
    'rate_limit',
    'server_error',
    'timeout',
    'connection',
    'cut',
    'not_found',
    'authentication',
    'billing',
    'permission',
    'context_overflow',
    'too_large',
    'bad_request',
    'invalid_provider',
  ] as const)('follows %s', (kind) => {
    const play = prepared(routedAgent());
    play.failed(failedBy('fast', kind));
    expect(play.modelCall.models).toEqual(['strong']);
  });

  it.each(['lost', 'not_called', 'store_unavailable'] as const)(
    'does not follow %s: the model has no part in it',
    (kind) => {
      const play = prepared(routedAgent());
      play.failed(failedBy('fast', kind));
      expect(play.state.flight.kind).toBe('modelRetry');
      play.fired('retry');
      expect(play.modelCall.models).toEqual(['fast']);
    },
  );

  it('follows a refusal, whose reply is paid for and is no step', () => {
    const play = prepared(routedAgent());
    play.replied(by('fast', replyOf({ answer: 'No.' }, { stopReason: 'refusal' })));
    expect(play.modelCall).toMatchObject({ call: 'model-2', models: ['strong'] });
    expect(play.chain.steps).toEqual([]);
    expect(play.state.charged.tokens).toBe(1_100);
    play.replied(by('strong', answers('Yes.')));
    expect(play.result).toMatchObject({ outcome: 'success', steps: 1 });
  });

  it('ends as refused when all models refuse, as an agent with one model does', () => {
    const play = prepared(routedAgent());
    for (const model of ['fast', 'strong', 'local']) {
      play.replied(by(model, replyOf({ answer: 'No.' }, { stopReason: 'refusal' })));
    }
    expect(play.result.outcome).toBe('refused');
    const alone = prepared();
    alone.replied(replyOf({ answer: 'No.' }, { stopReason: 'refusal' }));
    expect(alone.result.outcome).toBe('refused');
  });

  it('waits when all models have failed, and starts with the first one again', () => {
    const play = prepared(routedAgent());
    play.failed(failedBy('fast', 'overloaded'));
    play.failed(failedBy('strong', 'not_found'));
    const actions = play.failed(failedBy('local', 'bad_request'));
    // An overload passes by itself; the others do not.
    expect(actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: 1_000 }]);
    expect(play.state.failing).toMatchObject({ failure: 'overloaded', held: false });
    play.after(1_000).fired('retry');
    expect(play.modelCall).toMatchObject({ call: 'model-4', models: ['fast'], attempt: 2 });
  });

  it('does not pay again for a refusal while another model waits for its repair', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    play.replied(by('fast', replyOf({ answer: 'No.' }, { stopReason: 'refusal' })));
    play.failed(failedBy('strong', 'data_class'));
    expect(play.state.failing).toMatchObject({ failure: 'data_class', held: true });
    play.after(300_000).fired('retry');
    expect(play.modelCall).toMatchObject({ models: ['strong'] });
    play.replied(by('strong', answers('Yes.')));
    expect(play.result).toMatchObject({ outcome: 'success', steps: 1 });
    expect(play.state.tried).toEqual([]);
  });

  it('shortens a conversation that is too long for one model before a person has to repair another', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    play.failed(failedBy('fast', 'context_overflow'));
    play.failed(failedBy('strong', 'authentication'));
    expect(play.state.failing).toBeNull();
    expect(play.state.conversation.overflow).not.toBe('none');
  });

  it('holds the chain when only people can repair the models', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    play.failed(failedBy('fast', 'not_found'));
    play.failed(failedBy('strong', 'authentication'));
    expect(play.state.failing).toMatchObject({ failure: 'not_found', held: true });
  });

  it('summarizes a conversation that no model takes', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    for (const at of [1, 2]) {
      play.replied(by('fast', asks(look(at))));
      play.returned(`${at}.1`, 'x'.repeat(1_000));
    }
    play.failed(failedBy('fast', 'context_overflow'));
    expect(play.modelCall.models).toEqual(['strong']);
    play.failed(failedBy('strong', 'context_overflow'));
    expect(play.modelCall.models).toEqual(['fast']);
    expect(play.state.conversation).toMatchObject({ overflow: 'compacted', summary: { steps: 1 } });
  });

  it('skips a model whose window is known to be too small', () => {
    const small = modelOf('small', { contextTokens: 3_000 });
    const play = prepared(routedAgent({ others: [small, strong] }));
    play.replied(by('fast', { ...asks(look()), usage: usage(50_000, 100) }));
    play.returned('1.1');
    play.failed(failedBy('fast', 'overloaded'));
    expect(play.modelCall.models).toEqual(['strong']);
  });

  it('starts the next step with the first model', () => {
    const play = prepared(routedAgent());
    play.failed(failedBy('fast', 'overloaded'));
    play.replied(by('strong', asks(look())));
    play.returned('1.1');
    expect(play.modelCall.models).toEqual(['fast']);
    expect(play.state.tried).toEqual([]);
  });

  it('also makes the last call, which sums up', () => {
    const play = prepared(routedAgent({ agent: { limits: { steps: 1 } } }));
    play.replied(by('fast', asks(look())));
    play.returned('1.1');
    expect(play.modelCall).toMatchObject({ purpose: 'closing', models: ['fast'] });
    play.failed(failedBy('fast', 'overloaded'));
    expect(play.modelCall).toMatchObject({ purpose: 'closing', models: ['strong'] });
    play.replied(by('strong', replyOf({ content: [{ type: 'text', text: 'So far, nothing.' }] })));
    expect(play.result).toMatchObject({ outcome: 'max_iterations', partial: 'So far, nothing.' });
  });

  it('takes only models of the call from a fact: others count as its first one', () => {
    const play = prepared(routedAgent());
    play.failed(failedBy('invented', 'overloaded'));
    play.failed(failedBy('invented', 'overloaded'));
    play.failed(failedBy('invented', 'overloaded'));
    expect(play.state.flight.kind).toBe('modelRetry');
  });
});

describe('the bound of a request', () => {
  it('counts bytes for a model that has not read the conversation', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    const first = play.modelCall.reservation.inputTokens;
    const reply = { ...asks(look()), usage: usage(10, 10) };
    play.replied(by('fast', reply));
    play.returned('1.1', 'y'.repeat(300));
    expect(play.modelCall.reservation.inputTokens).toBeLessThan(20 + 300 + 200);
    play.failed(failedBy('fast', 'overloaded'));
    const content = countUtf8Bytes(toCanonicalJson(reply.reading.content));
    expect(play.modelCall.reservation.inputTokens).toBeGreaterThanOrEqual(first + content + 300);
  });

  it('keeps the count of a model while another one answers', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    play.replied(by('fast', { ...asks(look(1)), usage: usage(5_000, 10) }));
    play.returned('1.1', 'y');
    play.failed(failedBy('fast', 'overloaded'));
    play.replied(by('strong', { ...asks(look(2)), usage: usage(9_000, 10) }));
    play.returned('2.1', 'z');
    const { inputTokens } = play.modelCall.reservation;
    expect(play.modelCall.models).toEqual(['fast']);
    expect(inputTokens).toBeGreaterThan(5_010);
    expect(inputTokens).toBeLessThan(7_000);
  });
});

describe('roles', () => {
  it('give the last call to the summarizer', () => {
    const play = prepared(
      routedAgent({ fallbacks: [], roles: { summarizer: 'strong' }, agent: { limits: { steps: 1 } } }),
    );
    expect(play.modelCall.models).toEqual(['fast']);
    play.replied(by('fast', asks(look())));
    play.returned('1.1');
    expect(play.modelCall).toMatchObject({ purpose: 'closing', models: ['strong'] });
  });

  it('let a policy choose among all models, at the highest price', () => {
    const play = prepared(routedAgent({ fallbacks: ['local'], policy: true }));
    expect(play.modelCall.models).toEqual(['fast', 'local', 'strong']);
    const { inputTokens, outputTokens, usd } = play.modelCall.reservation;
    expect(usd).toBeCloseTo(inputTokens * strongPrice.cacheWrite + outputTokens * strongPrice.output, 9);
    play.failed(failedBy('strong', 'overloaded'));
    expect(play.modelCall.models).toEqual(['fast', 'local']);
    play.failed(failedBy('fast', 'overloaded'));
    play.failed(failedBy('local', 'overloaded'));
    expect(play.state.flight.kind).toBe('modelRetry');
  });
});

describe('a request', () => {
  it('has no thinking of another model', () => {
    const play = prepared(routedAgent({ others: [strong] }));
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'of fast' } as const;
    const reply = asks(look());
    play.replied(by('fast', { ...reply, reading: { ...reply.reading, content: [thought, ...reply.reading.content] } }));
    play.returned('1.1');
    const render = (model: string) => {
      const chain = selectModel(play.chain, model);
      return JSON.stringify(renderRequest(chain, chain.state.agent ?? agentOf(), 'step'));
    };
    expect(render('fast')).toContain('of fast');
    expect(render('strong')).not.toContain('of fast');
    expect(render('strong')).toContain('use_0');
  });
});

it('an agent with one model has the facts and actions that it had', () => {
  const play = prepared(agentOf({ model: fast }));
  expect(play.modelCall).not.toHaveProperty('models');
  play.failed(modelFailure('overloaded'));
  expect(play.state.flight).toEqual({ kind: 'modelRetry', retryDelayMs: 1_000, nextAt: play.at + 1_000 });
  expect(play.state).not.toHaveProperty('contexts');
});
