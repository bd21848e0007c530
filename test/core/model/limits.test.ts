/** L7: every limit ends a chain with its reason, and with a partial answer where the budget allows one. */

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import { describeLimits, describeRaisedLimits } from '../../../src/core/model/limits.js';
import {
  agentOf,
  answers,
  asks,
  autonomousAgent,
  look,
  modelFailure,
  replyOf,
  usage,
} from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

/** Takes steps that each bring something new, until the chain decides another action. */
function takeNewSteps(play: Play, used = usage(1_000, 100)): Play {
  for (let step = 1; play.modelCall.purpose === 'step' && play.actions.length > 0; step++) {
    play.replied({ ...asks(look(step)), usage: used });
    play.returned(`${step}.1`, `news ${step}`);
  }
  return play;
}

describe('the step limit', () => {
  it('ends a chain after ten steps, with a summary that is not a step', () => {
    const play = takeNewSteps(prepared());
    expect(play.modelCall).toMatchObject({ purpose: 'closing', attempt: 1 });
    play.replied(answers('Found news 1 to 10.'));
    expect(play.result).toMatchObject({
      outcome: 'max_iterations',
      success: false,
      answer: null,
      partial: 'Found news 1 to 10.',
      reasonCode: 'max_steps',
      steps: 10,
    });
  });

  it('ends an autonomous agent after thirty steps; the reason names the finish tool', () => {
    const play = takeNewSteps(prepared(autonomousAgent()));
    expect(play.state.steps).toBe(30);
    expect(play.state.stop?.reason).toMatchObject({ code: 'max_steps', rest: expect.stringContaining('"finish"') });
  });

  it('lets the calls of the last step run before the summary', () => {
    const play = prepared(agentOf({ limits: { steps: 1 } }));
    play.replied(asks(look()));
    expect(play.ran).toEqual(['1.1']);
    play.returned('1.1');
    expect(play.modelCall.purpose).toBe('closing');
  });

  it('counts unreadable replies, but neither retries nor continuations', () => {
    const play = prepared();
    play.replied(replyOf({ problem: 'What?' }));
    expect(play.state.steps).toBe(1);
    play.failed(modelFailure('overloaded'));
    play.fired('retry');
    play.replied(replyOf({ content: [{ type: 'text', text: 'wait' }] }, { stopReason: 'pause_turn' }));
    expect(play.state.steps).toBe(1);
    play.replied(answers('Done.'));
    expect(play.result.steps).toBe(2);
  });

  it('stays the reason when the summary fails, with the findings as the partial result', () => {
    const play = takeNewSteps(prepared());
    play.failed(modelFailure('overloaded'));
    expect(play.result).toMatchObject({ reasonCode: 'max_steps', partial: 'I shall see.\n\nlook: news 10' });
  });
});

/** Returns the sum of the amounts in the reason of a chain that reached its budget. */
function sumAmounts({ state }: Play): number {
  const reason = state.stop?.reason;
  if (reason?.code !== 'token_budget' && reason?.code !== 'cost_budget') return 0;
  return (reason.used ?? 0) + (reason.reserved ?? 0) + (reason.needed ?? 0);
}

describe('a budget of tokens or dollars', () => {
  it('ends the chain when the next call could use more tokens than are left, with a summary inside the limit', () => {
    const limits = { tokens: 12_000, steps: 100 };
    const play = takeNewSteps(prepared(agentOf({ limits, model: { maxTokens: 1_024 } })));
    expect(play.modelCall.purpose).toBe('closing');
    play.replied(answers('Some of it.'));
    expect(play.result).toMatchObject({ outcome: 'token_budget', reasonCode: 'token_budget', partial: 'Some of it.' });
    expect(sumAmounts(play)).toBeGreaterThan(12_000);
    expect(play.state.charged.tokens).toBeLessThanOrEqual(12_000);
  });

  it('ends the chain when the next call could cost more than is left', () => {
    const limits = { costUsd: 0.08, steps: 100 };
    const play = takeNewSteps(prepared(agentOf({ limits, model: { maxTokens: 1_024 } })));
    play.replied(answers('Some of it.'));
    expect(play.result).toMatchObject({ outcome: 'cost_budget', reasonCode: 'cost_budget', partial: 'Some of it.' });
    expect(sumAmounts(play)).toBeGreaterThan(0.08);
    expect(play.result.costUsd).toBeLessThanOrEqual(0.08);
  });

  it('has exact amounts in the reason', () => {
    const play = prepared(agentOf({ limits: { costUsd: 0.015 } }));
    const why = '$0.00 spent, $0.0166925 reserved for a summary, and the next call could cost $0.0141325.';
    expect(play.result.reason).toBe(`Cost budget ($0.015) reached: ${why}`);
    expect(describeLimits({ steps: 2, costUsd: 0.1 + 0.2 })).toBe('2 steps, $0.30');
    expect(describeLimits({ steps: 1, tokens: 1 })).toBe('1 step, 1 token');
    expect(describeLimits({ costUsd: 12 })).toBe('$12.00');
    expect(describeLimits({ costUsd: 0.0000125 })).toBe('$0.0000125');
  });

  it('are named in full when they are raised', () => {
    expect(describeRaisedLimits({ depth: 2, chains: 8 })).toBe('depth 2, 8 sub-chains');
    expect(describeRaisedLimits({ steps: 9, stallThreshold: 5, chains: 1 })).toBe(
      '9 steps, 5 steps without progress, 1 sub-chain',
    );
  });

  it('L6: permits no last call that it cannot pay', () => {
    const play = prepared(agentOf({ limits: { tokens: 1_000 } }));
    expect(play.modelCalls).toEqual([]);
    expect(play.result).toMatchObject({ outcome: 'token_budget', steps: 0, partial: null });
  });

  it('L6: leaves room for the last call after the full charge of a failed attempt', () => {
    const play = prepared(agentOf({ limits: { tokens: 20_000 } }));
    play.failed(modelFailure('cut', { settle: 'reservation' }));
    play.fired('retry');
    expect(play.modelCall.purpose).toBe('closing');
    play.failed(modelFailure('cut', { settle: 'reservation' }));
    expect(play.result).toMatchObject({ outcome: 'token_budget', partial: null });
    expect(play.state.charged.tokens).toBeLessThanOrEqual(20_000);
  });
});

describe('the limit of the history', () => {
  it.each([
    ['events', { events: defaults.historyEvents, bytes: 0, continueSuggested: false }],
    ['bytes', { events: 10, bytes: defaults.historyBytes, continueSuggested: false }],
  ])('ends the chain before Temporal would end it for its %s', (_name, history) => {
    const play = prepared();
    play.replied(asks(look()));
    play.history = history;
    play.returned('1.1');
    expect(play.modelCall.purpose).toBe('closing');
    play.replied(answers('Much.'));
    expect(play.result).toMatchObject({ outcome: 'max_iterations', reasonCode: 'history_limit', partial: 'Much.' });
  });
});

describe('calls in one reply', () => {
  it('are limited to sixteen; the observations of the others state that they were not run', () => {
    const play = prepared();
    play.replied(asks(...Array.from({ length: 18 }, (_, at) => look(at))));
    expect(play.ran).toHaveLength(defaults.callsPerStep);
    expect(play.statuses.slice(15)).toEqual(['pending', 'error', 'error']);
  });
});

describe('a paused turn', () => {
  it('is continued up to a limit', () => {
    const play = prepared();
    const pause = replyOf({ content: [{ type: 'text', text: 'still at it' }] }, { stopReason: 'pause_turn' });
    for (let at = 1; at < defaults.maxTurnPauses; at++) {
      play.replied(pause);
      expect(play.modelCall).toMatchObject({ call: `model-${at + 1}`, purpose: 'step' });
    }
    play.replied(pause);
    expect(play.result).toMatchObject({ outcome: 'failure', steps: 0 });
    expect(play.state.stop?.reason).toEqual({ code: 'endless_turn', times: 10 });
  });
});

describe('the summary', () => {
  it('uses the text of a reply without an answer', () => {
    const play = takeNewSteps(prepared());
    play.replied(replyOf({ problem: 'No label.', content: [{ type: 'text', text: 'I found A.' }] }));
    expect(play.result.partial).toBe('I found A.');
  });

  it('runs no calls, and is replaced by the findings when it is empty', () => {
    const play = takeNewSteps(prepared());
    const ran = play.ran.length;
    play.replied(asks(look('again')));
    expect(play.ran).toHaveLength(ran);
    expect(play.result).toMatchObject({
      outcome: 'max_iterations',
      partial: 'I shall see.\n\nlook: news 10',
      steps: 10,
    });
  });
});
