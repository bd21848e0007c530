/** L6: each attempt at a model call is a fact, with a durable wait and its own reservation. */

import { describe, expect, it } from 'vitest';
import { providerFailures } from '../../../src/core/engine/provider-failure.js';
import { defaults } from '../../../src/core/model/defaults.js';
import { agentOf, answers, modelFailure } from '../../support/core-builders.js';
import { kinds, prepared } from '../../support/core-play.js';

const all = Object.entries(providerFailures).map(([kind, rule]) => ({
  kind: kind as keyof typeof providerFailures,
  ...rule,
}));
const again = all.filter((each) => each.retryable);
const never = all.filter((each) => !each.retryable && each.kind !== 'context_overflow');

describe('a retryable failure', () => {
  it.each(again)('of kind $kind is followed by a wait and another call', ({ kind }) => {
    const play = prepared();
    play.failed(modelFailure(kind));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: defaults.modelBackoffMs }]);
    play.fired('retry');
    expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step', attempt: 2 });
  });

  it('has a longer wait each time, without randomness', () => {
    const waits = () => {
      const play = prepared();
      const ms: number[] = [];
      for (let attempt = 1; attempt < defaults.modelAttempts; attempt++) {
        play.failed(modelFailure('overloaded'));
        ms.push(...play.actions.flatMap((action) => (action.type === 'startTimer' ? [action.ms] : [])));
        play.fired('retry');
      }
      return ms;
    };
    expect(waits()).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(waits()).toEqual(waits());
  });

  it('has the wait that the provider requests', () => {
    const play = prepared();
    play.failed(modelFailure('rate_limit', { retryAfterMs: 30_000 }));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: 30_000 }]);
  });

  it.each([1, 2, 20])('is retried until the agent has made its %i attempts at the model call', (attempts) => {
    const play = prepared(agentOf({ model: { attempts } }));
    for (let attempt = 1; attempt < attempts; attempt++) {
      play.failed(modelFailure('overloaded'));
      play.fired('retry');
    }
    expect(play.modelCalls).toHaveLength(attempts);
    play.failed(modelFailure('overloaded'));
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'model_attempts' });
  });

  it('L7: ends the chain after six attempts, and names the remedy', () => {
    const play = prepared();
    for (let attempt = 1; attempt < defaults.modelAttempts; attempt++) {
      play.failed(modelFailure('overloaded'));
      play.fired('retry');
    }
    play.failed(modelFailure('overloaded'));
    expect(play.modelCalls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    const { remedy } = providerFailures.overloaded;
    expect(play.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining(remedy) });
    expect(play.state.stop?.reason).toMatchObject({ code: 'model_attempts', attempts: 6 });
  });

  it('is no longer counted after a reply', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.fired('retry');
    play.replied(answers(''));
    expect(play.state.attempt).toBe(1);
  });

  it('emits a notice, and is not a step', () => {
    const play = prepared();
    play.failed(modelFailure('connection', { message: 'No way there' }));
    expect(play.chain.notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('No way there') }]);
    expect(play.state.steps).toBe(0);
  });
});

describe('a permanent failure', () => {
  it.each(never)('of kind $kind ends the chain; the reason names the remedy', ({ kind, remedy }) => {
    const play = prepared();
    play.failed(modelFailure(kind));
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'model_failed' });
    expect(play.result.reason).toContain(`It was ${kind}. ${remedy}`);
    expect(kinds(play.asked)).not.toContain('timer retry');
  });
});

describe('an attempt', () => {
  it('has its own reservation: the charge of failed attempts is not spent again', () => {
    const play = prepared();
    const first = play.modelCall.reservation;
    play.failed(modelFailure('cut', { settle: 'reservation' }));
    play.fired('retry');
    const charged = first.inputTokens + first.outputTokens;
    expect(play.state.charged).toEqual({ tokens: charged, usd: first.usd });
    expect(play.modelCall.reservation).toEqual(first);
  });

  it('ignores the reply to another attempt', () => {
    const play = prepared();
    const { call } = play.modelCall;
    play.failed(modelFailure('timeout'));
    play.fired('retry');
    play.take({ type: 'modelReplied', call, reply: answers('late') });
    expect(play.state.flight).toMatchObject({ kind: 'model', call: 'model-2' });
    play.fired('retry');
    expect(play.modelCalls).toHaveLength(2);
  });
});

describe('a failed last call', () => {
  it('is not retried', () => {
    const play = prepared();
    play.fired('deadline');
    play.failed(modelFailure('cancelled'));
    play.failed(modelFailure('overloaded'));
    expect(play.result).toMatchObject({ outcome: 'timeout', partial: null });
  });
});
