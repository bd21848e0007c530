/** L6: each attempt at a model call is a fact, with a durable wait and its own reservation. */

import { describe, expect, it } from 'vitest';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import { getChainStatus } from '../../../src/core/engine/state/due-requests.js';
import { computeWorkedMs } from '../../../src/core/engine/state/flight.js';
import { findHolder, findRetryWait } from '../../../src/core/engine/state/retry-wait.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import { defaults } from '../../../src/core/model/defaults.js';
import type { ModelFailureKind } from '../../../src/core/model/failure-kind.js';
import { roundUsd } from '../../../src/core/model/usage.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { formatHeadLines } from '../../../src/core/view/print/head-lines.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { agentOf, answers, modelFailure } from '../../support/core-builders.js';
import { kinds, type NewFact, type Play, prepared, started } from '../../support/core-play.js';

const all = Object.entries(providerFailures).map(([kind, rule]) => ({
  kind: kind as keyof typeof providerFailures,
  ...rule,
}));
const transient = all.filter(({ next }) => next === 'retry');
const repairable = all.filter(({ next, retries = 0 }) => next === 'hold' && retries === 0);
const final = all.filter(({ kind, next }) => next === 'end' && kind !== 'context_overflow');

const week = 7 * 24 * 3_600_000;
const agentWith = (retry: Partial<AgentSnapshot['model']['retry']>) =>
  agentOf({ model: { retry: { attempts: null, forMs: week, maxIntervalMs: 60_000, ...retry } } });

const resume: NewFact = {
  type: 'commandReceived',
  id: null,
  chainId: null,
  by: 'ann',
  roles: [],
  reason: null,
  command: { kind: 'resume', call: null },
};

function viewDeveloper({ chain }: Play) {
  return view(buildReasoning(chain), createViewer('developer'));
}

/** Lets the model call fail, and waits for the next attempt. */
function failOnce(play: Play, kind: ModelFailureKind): number {
  play.failed(modelFailure(kind));
  const waitMs = play.actions.flatMap((action) => (action.type === 'startTimer' ? [action.ms] : []))[0] ?? 0;
  play.after(waitMs).fired('retry');
  return waitMs;
}

describe('a transient failure', () => {
  it.each(transient)('of kind $kind is followed by a wait and another call', ({ kind }) => {
    const play = prepared();
    play.failed(modelFailure(kind));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: defaults.modelBackoffMs }]);
    play.fired('retry');
    const attempt = ['circuit_open', 'budget', 'throttled'].includes(kind) ? 1 : 2;
    expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step', attempt });
  });

  it('of an open circuit uses up no attempt, and has one notice in a row', () => {
    const play = prepared(agentWith({ attempts: 2 }));
    for (let refused = 0; refused < 9; refused += 1) failOnce(play, 'circuit_open');
    expect(play.state.stop).toBeNull();
    const { notices } = play.chain;
    expect(notices.filter(({ code }) => code === 'model_retry')).toHaveLength(1);
    failOnce(play, 'overloaded');
    play.failed(modelFailure('overloaded'));
    expect(play.state.stop?.reason).toMatchObject({ code: 'model_attempts', attempts: 2 });
  });

  it('has a longer wait each time up to the longest of the agent, without randomness', () => {
    const waits = () => {
      const play = prepared(agentWith({ maxIntervalMs: 10_000 }));
      return Array.from({ length: 6 }, () => failOnce(play, 'overloaded'));
    };
    expect(waits()).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(waits()).toEqual(waits());
  });

  // `retry-after: 1e300`, or a date in the year 9999, ended the chain.
  it.each([
    [30_000, 30_000],
    [24 * 3_600_000, 3_600_000],
    [1e303, 3_600_000],
  ])('has the wait that the provider requests, at most an hour (%d ms)', (retryAfterMs, ms) => {
    const play = prepared();
    play.failed(modelFailure('rate_limit', { retryAfterMs }));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms }]);
  });

  it.each([1, 2, 20])('is retried until the agent has made its %i attempts at the model call', (attempts) => {
    const play = prepared(agentWith({ attempts }));
    for (let attempt = 1; attempt < attempts; attempt++) failOnce(play, 'overloaded');
    expect(play.modelCalls).toHaveLength(attempts);
    play.failed(modelFailure('overloaded'));
    const { remedy } = providerFailures.overloaded;
    expect(play.result).toMatchObject({
      outcome: 'failure',
      reasonCode: 'model_attempts',
      reason: expect.stringContaining(remedy),
    });
    expect(play.state.stop?.reason).toMatchObject({ attempts });
  });

  it('is outlived: after an outage of a day the chain continues, and its time limit does not count the waits', () => {
    const play = prepared(agentWith({}));
    while (play.at < 24 * 3_600_000) failOnce(play, 'overloaded');
    play.after(5_000).replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
    expect(computeWorkedMs(play.state)).toBe(5_000);
    // Five at the start, then every tenth of about 1,440.
    expect(play.chain.notices.length).toBeGreaterThan(100);
    expect(play.chain.notices.length).toBeLessThan(200);
  });

  it('does not count towards the time limit even where attempts take long, as at a provider that hangs', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 } }));
    for (let attempt = 1; attempt <= 4; attempt++) {
      play.after(40_000).failed(modelFailure('timeout'));
      play.after(30_000).fired('retry');
    }
    play.after(5_000).replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
    expect(computeWorkedMs(play.state)).toBe(5_000);
  });

  it('counts towards the time limit of an agent whose waiting counts', () => {
    const play = prepared({ ...agentWith({}), waitingCounts: true });
    for (let attempt = 1; attempt <= 5; attempt++) failOnce(play, 'connection');
    expect(computeWorkedMs(play.state)).toBe(31_000);
    play.fired('deadline');
    play.failed(modelFailure('cancelled'));
    play.failed(modelFailure('overloaded'));
    expect(play.result).toMatchObject({ outcome: 'timeout' });
  });

  it('L7: ends the chain once the next attempt would be later than the agent allows', () => {
    const play = prepared(agentWith({ forMs: 10_000 }));
    for (let attempt = 1; attempt <= 3; attempt++) failOnce(play, 'overloaded');
    play.failed(modelFailure('overloaded'));
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'model_attempts' });
    expect(play.at).toBeLessThan(10_000);
  });

  it('is no longer counted after a reply', () => {
    const play = prepared();
    failOnce(play, 'overloaded');
    play.replied(answers(''));
    expect(play.state).toMatchObject({ attempt: 1, failing: null });
  });

  it('emits a notice, and is not a step', () => {
    const play = prepared();
    play.failed(modelFailure('connection', { message: 'No way there' }));
    expect(play.chain.notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('No way there') }]);
    expect(play.state.steps).toBe(0);
  });
});

describe('a failure that a person has to repair', () => {
  it.each(repairable)('of kind $kind holds the chain, with the fix', ({ kind, remedy }) => {
    const play = prepared();
    play.failed(modelFailure(kind));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: defaults.heldRetryMs }]);
    expect(getChainStatus(play.state)).toBe('waiting');
    expect(findHolder(play.state)).toBe('provider');
    expect(play.chain.notices).toMatchObject([{ code: 'held', text: expect.stringContaining(remedy) }]);
  });

  it('is tried again every five minutes, with one notice for all, until the call succeeds', () => {
    const play = prepared(agentWith({}));
    for (let attempt = 1; attempt <= 20; attempt++) expect(failOnce(play, 'authentication')).toBe(5 * 60_000);
    expect(getChainStatus(play.state)).toBe('waiting');
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
    expect(play.chain.notices.map(({ code }) => code)).toEqual(['held']);
    expect(computeWorkedMs(play.state)).toBe(0);
  });

  it('has a notice for each cause in turn, so that the inbox names the fix of the present one', () => {
    const play = prepared();
    failOnce(play, 'authentication');
    failOnce(play, 'billing');
    failOnce(play, 'billing');
    expect(play.chain.notices).toMatchObject([
      { code: 'held', text: expect.stringContaining(providerFailures.authentication.remedy) },
      { code: 'held', text: expect.stringContaining(providerFailures.billing.remedy) },
    ]);
  });

  it('does not hold a chain that a person paused: its resume is for that person to decide', () => {
    const play = prepared();
    play.failed(modelFailure('billing'));
    play.take({ ...resume, command: { kind: 'pause', breakpoint: null } });
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['paused', null]);
    play.after(defaults.heldRetryMs).fired('retry');
    expect(play.actions).toEqual([]);
    expect([getChainStatus(play.state), findRetryWait(play.state)]).toEqual(['paused', null]);
    play.take(resume);
    expect(play.modelCall.attempt).toBe(2);
  });

  it('is tried again at once when a person resumes the chain; the timer of the wait is cancelled', () => {
    const play = prepared();
    play.failed(modelFailure('billing'));
    play.after(1_000).take(resume);
    expect(kinds(play.actions)).toEqual(['cancelTimer', 'callModel']);
    expect(play.modelCall.attempt).toBe(2);
    play.failed(modelFailure('billing'));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: defaults.heldRetryMs }]);
  });

  it('L7: ends the chain after the time that the agent allows', () => {
    const play = prepared(agentWith({ forMs: 12 * 60_000 }));
    failOnce(play, 'permission');
    failOnce(play, 'permission');
    play.failed(modelFailure('permission'));
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'model_attempts' });
  });

  it('ends the chain at once where the agent requests it', () => {
    const play = prepared(agentOf({ model: { onProviderError: 'fail' } }));
    play.failed(modelFailure('authentication'));
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'model_failed' });
  });

  it('no longer holds a chain whose next attempt fails otherwise, or that ends', () => {
    const play = prepared();
    failOnce(play, 'authentication');
    play.failed(modelFailure('overloaded'));
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
    play.after(1_000).fired('retry');
    play.failed(modelFailure('authentication'));
    play.cancelledBy('ann');
    expect(findHolder(play.state)).toBeNull();
  });
});

describe('a host that DNS does not have', () => {
  const { remedy } = providerFailures.unknown_host;

  it('is looked up again for half a minute, as after a start or a lost network, and then holds the chain with the fix', () => {
    const play = prepared(agentWith({}));
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000]) {
      expect(failOnce(play, 'unknown_host')).toBe(ms);
      expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
    }
    expect(failOnce(play, 'unknown_host')).toBe(defaults.heldRetryMs);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'provider']);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'held', text: expect.stringContaining(remedy) });
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
  });

  it('ends the chain after the same time where the agent does not permit to hold it', () => {
    const play = prepared(agentOf({ model: { ...agentWith({}).model, onProviderError: 'fail' } }));
    for (let attempt = 1; attempt <= 5; attempt++) failOnce(play, 'unknown_host');
    play.failed(modelFailure('unknown_host'));
    expect(play.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining(remedy) });
  });
});

describe('a provider that cannot be reached', () => {
  const { remedy } = providerFailures.connection;

  it('needs no person for an hour; then it holds the chain, which continues by itself', () => {
    const play = prepared(agentWith({}));
    while (play.at < 3_600_000) {
      expect(failOnce(play, 'connection')).toBeLessThanOrEqual(60_000);
      expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
    }
    expect(failOnce(play, 'connection')).toBe(defaults.heldRetryMs);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'provider']);
    while (play.at < 24 * 3_600_000) expect(failOnce(play, 'connection')).toBe(defaults.heldRetryMs);
    const held = play.chain.notices.filter(({ code }) => code === 'held');
    expect(held).toMatchObject([{ text: expect.stringContaining(remedy) }]);
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
    expect(computeWorkedMs(play.state)).toBe(0);
  });

  it('no longer holds the chain once it answers, if only with an error', () => {
    const play = prepared(agentWith({}));
    while (findHolder(play.state) === null) failOnce(play, 'connection');
    expect(failOnce(play, 'overloaded')).toBe(60_000);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
  });

  it('ends no chain whose agent does not permit to hold it: it is a failure that passes', () => {
    const play = prepared(agentOf({ model: { ...agentWith({}).model, onProviderError: 'fail' } }));
    while (play.at < 3 * 3_600_000) expect(failOnce(play, 'connection')).toBeLessThanOrEqual(60_000);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
  });
});

describe('a store that does not return the files of a request', () => {
  const { remedy } = providerFailures.store_unavailable;

  it('is waited for, and holds the chain with the fix once it was away for half a minute', () => {
    const play = prepared(agentWith({}));
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000]) {
      expect(failOnce(play, 'store_unavailable')).toBe(ms);
      expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
    }
    expect(failOnce(play, 'store_unavailable')).toBe(defaults.heldRetryMs);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'store']);
    failOnce(play, 'store_unavailable');
    const held = play.chain.notices.filter(({ code }) => code === 'held');
    expect(held).toMatchObject([{ text: expect.stringMatching(/^Held by the store: .* LONGHAND_STORE/) }]);
    expect(formatHeadLines(viewDeveloper(play), play.at)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ content: expect.stringContaining('held by the store') })]),
    );
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
    expect([play.state.charged.usd, computeWorkedMs(play.state)]).toEqual([expect.any(Number), 0]);
  });

  it('ends the chain after the same time where the agent does not permit to hold it', () => {
    const play = prepared(agentOf({ model: { ...agentWith({}).model, onProviderError: 'fail' } }));
    for (let attempt = 1; attempt <= 5; attempt++) failOnce(play, 'store_unavailable');
    play.failed(modelFailure('store_unavailable'));
    expect(play.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining(remedy) });
  });

  it('is waited for before the agent is known, when the files of the task are stored', () => {
    const play = started();
    const failure = { type: 'StoreUnavailable', message: 'It is away', timeoutType: null, details: null };
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect(findHolder(play.state)).toBeNull();
      play.take({ type: 'prepareFailed', failure });
      if (attempt < 6) play.after(60_000).fired('retry');
    }
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'store']);
    play.take(resume);
    expect(kinds(play.actions)).toEqual(['cancelTimer', 'prepare']);
  });
});

describe('a resume during the wait for the provider', () => {
  it('makes the next attempt at once, of a transient failure too', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.take(resume);
    expect(kinds(play.actions)).toEqual(['cancelTimer', 'callModel']);
  });

  it('that arrives with the timer needs no cancel', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.after(1_000).take(resume, { type: 'timerFired', timer: 'retry' });
    expect(kinds(play.actions)).toEqual(['callModel']);
  });
});

describe('a permanent failure', () => {
  it.each(final)('of kind $kind ends the chain; the reason names the remedy', ({ kind, remedy }) => {
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

  it('of a lost worker is reported with one sentence about what happened and one about what to do', () => {
    const play = prepared();
    play.failed(modelFailure('lost', { message: 'The worker that made the call was lost' }));
    expect(play.chain.notices.at(-1)?.text).toBe(
      'Attempt 1 at the model call failed: The worker that made the call was lost. Check why the worker ended, and start another one.',
    );
  });

  it('without usage is charged its reservation, which the result states apart', () => {
    const play = prepared();
    const { inputTokens, outputTokens, usd } = play.modelCall.reservation;
    for (let attempt = 1; attempt <= 2; attempt++) {
      play.failed(modelFailure('cut', { settle: 'reservation' }));
      play.fired('retry');
    }
    play.replied(answers('Done.'));
    const { reservedCharges } = play.result;
    expect(reservedCharges).toEqual({
      calls: 2,
      tokens: 2 * (inputTokens + outputTokens),
      usd: roundUsd(2 * (usd ?? 0)),
    });
    const lines = formatHeadLines(viewDeveloper(play), 0).map(({ remarks }) => remarks);
    expect(JSON.stringify(lines)).toMatch(/"\$[\d.]+, of which \$[\d.]+ reserved \(2 attempts without usage\)"/);
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
