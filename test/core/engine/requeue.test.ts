/** Operations that a worker cannot take, because it lacks the chain's agent or a tool: they go back to the task queue. */

import { describe, expect, it } from 'vitest';
import { toActivityFact } from '../../../src/contract/facts.js';
import { getChainStatus } from '../../../src/core/engine/state/due-requests.js';
import { computeWorkedMs } from '../../../src/core/engine/state/flight.js';
import { findHolder, findRetryWait, formatRetryWait } from '../../../src/core/engine/state/retry-wait.js';
import { defaults } from '../../../src/core/model/defaults.js';
import { explain } from '../../../src/core/view/explain.js';
import { agentOf, answers, asks, look, modelFailure, pay, someInput } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { decides, pauses, resumes, rules } from '../../support/core-people.js';
import { kinds, type Play, prepared, started } from '../../support/core-play.js';

const noticeCodes = ({ chain }: Play) => chain.notices.map(({ code }) => code);

/** Returns the milliseconds of the wait that the last turn started; 0 for none. */
const findWaitMs = ({ actions }: Play) =>
  actions.flatMap((action) => (action.type === 'startTimer' && action.timer === 'retry' ? [action.ms] : []))[0] ?? 0;

/** Puts the operation back into the queue, and waits until it is offered again. */
function requeueOnce(play: Play, activity: string, agents?: readonly string[]): number {
  play.take({ type: 'requeued', activity, ...(agents === undefined ? {} : { agents }) });
  const waitMs = findWaitMs(play);
  if (waitMs > 0) play.after(waitMs).fired('retry');
  return waitMs;
}

/** Puts the operation back as often as it is offered again at once. */
function requeueAtOnce(play: Play, activity: () => string): void {
  for (let time = 0; time < defaults.requeuesAtOnce; time++) expect(requeueOnce(play, activity())).toBe(0);
}

/** Puts the operation back into the queue until the chain is held. */
function requeueUntilHeld(play: Play, activity: () => string): void {
  for (;;) {
    play.take({ type: 'requeued', activity: activity() });
    if (findHolder(play.state) !== null) return;
    const waitMs = findWaitMs(play);
    if (waitMs > 0) play.after(waitMs).fired('retry');
  }
}

/** Puts the operation back into the queue until the chain is held, and offers it again. */
function offerHeld(play: Play, activity: () => string): void {
  requeueUntilHeld(play, activity);
  play.after(defaults.heldRetryMs).fired('retry');
}

const nextCall = (play: Play) => () => play.modelCall.call;

describe('a preparation', () => {
  it('that a worker without the agent takes is offered again until another worker has it', () => {
    const play = started();
    const waits = Array.from({ length: 11 }, () => requeueOnce(play, 'prepare'));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(play.actions).toEqual([{ type: 'prepare' }]);
    play.take({ type: 'prepared', agent: agentOf() });
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
    expect(noticeCodes(play)).toEqual(['requeued']);
    expect(play.state.requeue).toBeNull();
  });

  it('that no worker can make for five minutes holds the chain, and the notice names the fix', () => {
    const play = started();
    const begun = play.at;
    requeueUntilHeld(play, () => 'prepare');
    expect(play.at - begun).toBeGreaterThanOrEqual(5 * 60_000);
    expect(play.at - begun).toBeLessThan(11 * 60_000);
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'worker']);
    play.after(defaults.heldRetryMs).fired('retry');
    expect(requeueOnce(play, 'prepare')).toBe(defaults.heldRetryMs);
    expect(play.chain.notices).toMatchObject([
      { code: 'requeued', text: expect.stringContaining(`the agent ${someInput.agent}`) },
      { code: 'held', text: expect.stringContaining('Start a worker that has it') },
    ]);
  });

  it('is offered at once when a person resumes the chain, although no agent states who may', () => {
    const play = started();
    requeueUntilHeld(play, () => 'prepare');
    play.after(1_000).take(resumes());
    expect(kinds(play.actions)).toEqual(['cancelTimer', 'prepare']);
    expect(findHolder(play.state)).toBeNull();
    // Workers get their minutes again.
    requeueAtOnce(play, () => 'prepare');
    play.take({ type: 'requeued', activity: 'prepare' });
    expect(findWaitMs(play)).toBe(defaults.requeueBackoffMs);
  });

  it('L7: ends the chain after minutes with the agents that workers have, and rejects the commands that waited', () => {
    const play = started();
    const begun = play.at;
    play.take(pauses());
    for (let time = 0; play.state.stop === null; time++)
      requeueOnce(play, 'prepare', [['clark', 'cook'], ['clerks']][time % 2]);
    expect(play.at - begun).toBeLessThanOrEqual(defaults.agentMissingMs);
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'no_worker' });
    expect(play.result?.reason).toMatch(
      /^No worker of the task queue had the agent clerk in \d\d(\.\d)? min\. Known agents: cl/,
    );
    for (const name of ['clark', 'cook', 'clerks']) expect(play.result?.reason).toContain(name);
    expect(noticeCodes(play)).toEqual(['requeued', 'held', 'command_rejected']);
    expect(play.chain.notices[0]?.text).toContain('Known agents: clark, cook.');
  });

  it.each([
    ['whose agent is about to be deployed', { ...someInput, awaitAgent: true }, 'prepare'],
    ['that is a sub-chain', { ...someInput, lineage: lineage() }, 'model-1'],
  ])('L7: ends a chain %s after a week', (_, input, activity) => {
    const play = started(input);
    const begun = play.at;
    play.take({ type: 'requeued', activity, agents: ['cook'], nowhere: true });
    while (play.state.requeue !== null && play.state.stop === null) requeueOnce(play, activity, ['cook']);
    expect(play.at - begun).toBeGreaterThan(6.9 * 24 * 3_600_000);
    expect(play.at - begun).toBeLessThan(8 * 24 * 3_600_000);
    expect(play.state.stop).toMatchObject({ outcome: 'failure', reason: { code: 'no_worker' } });
  });

  it('L7: ends a chain at once whose agent none of all workers has, and names theirs', () => {
    const play = started();
    play.take(pauses());
    play.take({ type: 'requeued', activity: 'prepare', agents: ['clark', 'cook'], nowhere: true });
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'unknown_agent' });
    expect(play.result?.reason).toContain('has the agent clerk. Known agents: clark, cook.');
    expect(noticeCodes(play)).toEqual(['command_rejected']);
  });

  it('ends with the chain that a person cancels during the wait', () => {
    const play = started();
    requeueAtOnce(play, () => 'prepare');
    play.take({ type: 'requeued', activity: 'prepare' });
    play.cancelledBy('ann');
    play.cancelledByTemporal();
    expect(play.result).toMatchObject({ outcome: 'cancelled' });
  });

  it('that goes back while the chain is cancelled is not waited for, also in the same turn', () => {
    const play = started();
    requeueAtOnce(play, () => 'prepare');
    play.take(
      { type: 'cancelRequested', id: 'c-1', by: 'ann', reason: null, summarize: false },
      { type: 'requeued', activity: 'prepare' },
    );
    play.cancelledByTemporal();
    expect(play.result).toMatchObject({ outcome: 'cancelled' });
  });

  it('takes none of the time limit while the chain waits for a worker', () => {
    const play = started();
    for (let time = 0; time < 30; time++) requeueOnce(play, 'prepare');
    expect(play.at).toBeGreaterThan(3 * 60_000);
    play.take({ type: 'prepared', agent: agentOf({ limits: { timeMs: 60_000 } }) });
    expect(computeWorkedMs(play.state)).toBe(0);
    play.after(5_000).replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
  });
});

describe('a model call', () => {
  it('that goes back to the queue is no attempt, costs nothing and takes none of the time limit', () => {
    const play = prepared(agentOf({ model: { retry: { attempts: 2, forMs: 60_000, maxIntervalMs: 1_000 } } }));
    const { reservation } = play.modelCall;
    for (let time = 0; time < 40; time++) requeueOnce(play, play.modelCall.call);
    expect(play.modelCall).toMatchObject({ attempt: 1, reservation });
    expect(play.state.charged.tokens).toBe(0);
    expect(computeWorkedMs(play.state)).toBe(0);
    play.failed(modelFailure('overloaded'));
    play.after(1_000).fired('retry');
    expect(play.modelCall.attempt).toBe(2);
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
    expect(play.state.reservedCharges.calls).toBe(0);
  });

  it('waits for a worker after its provider has failed, and keeps the number of its attempt', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.after(1_000).fired('retry');
    requeueAtOnce(play, nextCall(play));
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect(findRetryWait(play.state)).toMatchObject({ waitsFor: 'worker', held: false });
    play.after(1_000).fired('retry');
    expect(play.modelCall.attempt).toBe(2);
    play.failed(modelFailure('overloaded'));
    expect(findRetryWait(play.state)).toMatchObject({ waitsFor: 'provider', attempt: 3 });
  });

  it('names the provider that its worker lacks', () => {
    const play = prepared();
    requeueAtOnce(play, nextCall(play));
    play.take({ type: 'requeued', activity: play.modelCall.call, provider: 'openai' });
    expect(play.state.requeue).toMatchObject({ missing: { kind: 'provider', name: 'openai' } });
    expect(explain(play.state, null, play.at).next).toContain(
      'It waits for a worker that has the model provider openai:',
    );
  });

  it('names the own strategy that its worker lacks', () => {
    const play = prepared();
    requeueAtOnce(play, nextCall(play));
    const failure = { type: 'longhand.UnknownStrategy', message: '', timeoutType: null, details: { strategy: 'tags' } };
    play.take(toActivityFact(play.modelCall.call, play.at, { ok: false, failure }));
    expect(play.state.requeue).toMatchObject({ missing: { kind: 'strategy', name: 'tags' } });
    expect(explain(play.state, null, play.at).next).toContain(
      'It waits for a worker that has the strategy tags of the agent clerk:',
    );
  });

  it('that holds the chain is offered every five minutes, and at once when a person resumes it', () => {
    const play = prepared();
    offerHeld(play, nextCall(play));
    expect(requeueOnce(play, play.modelCall.call)).toBe(defaults.heldRetryMs);
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect(formatRetryWait(findRetryWait(play.state) ?? expect.fail())).toMatch(
      /^held by the workers: none has its agent, tools and provider, attempt \d+, next at /,
    );
    expect(explain(play.state, null, play.at).next).toContain('It is held by the workers: none has the agent');
    play.take(resumes());
    expect(kinds(play.actions)).toEqual(['cancelTimer', 'callModel']);
  });

  it('that sums up is offered again at once, a limited number of times', () => {
    const play = prepared();
    play.after(1).fired('deadline');
    play.failed(modelFailure('cancelled'));
    expect(play.modelCall.purpose).toBe('closing');
    for (let time = 0; time < defaults.closingRequeues; time++) {
      play.take({ type: 'requeued', activity: play.modelCall.call });
      expect(kinds(play.actions)).toEqual(['callModel']);
    }
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect(play.result).toMatchObject({ outcome: 'timeout' });
  });

  it('that sums up is offered as often after the call before it has held the chain', () => {
    const play = prepared();
    offerHeld(play, nextCall(play));
    play.take({ type: 'cancelRequested', id: null, by: null, reason: null, summarize: true });
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect(play.modelCall.purpose).toBe('closing');
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect(kinds(play.actions)).toEqual(['callModel']);
    play.replied(answers('So far: nothing.'));
    expect(play.result).toMatchObject({ outcome: 'cancelled', partial: 'So far: nothing.' });
  });

  it('no longer holds the chain while it is offered: a worker that has the agent may make it', () => {
    const play = prepared();
    offerHeld(play, nextCall(play));
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['running', null]);
    play.take({ type: 'requeued', activity: play.modelCall.call });
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['waiting', 'worker']);
  });

  it('does not hold a chain that a person paused, and is made once it is resumed', () => {
    const play = prepared();
    requeueUntilHeld(play, nextCall(play));
    play.take(pauses());
    expect([getChainStatus(play.state), findHolder(play.state)]).toEqual(['paused', null]);
    play.after(defaults.heldRetryMs).fired('retry');
    expect(play.actions).toEqual([]);
    play.take(resumes());
    expect(kinds(play.actions)).toEqual(['callModel']);
  });
});

describe('a tool call', () => {
  const twoCalls = asks(look({ at: 'a' }), look({ at: 'b' }));

  it('that a worker without the tool takes runs on another one, and the model sees no error', () => {
    const play = prepared();
    play.replied(twoCalls);
    requeueAtOnce(play, () => '1.2');
    play.take({ type: 'requeued', activity: '1.2' });
    expect(findWaitMs(play)).toBe(defaults.requeueBackoffMs);
    play.returned('1.1');
    expect(play.state.requeue).toMatchObject({ missing: { kind: 'tool', name: 'look' } });
    play.after(defaults.requeueBackoffMs).fired('retry');
    expect(play.ran).toEqual(['1.1', ...Array(defaults.requeuesAtOnce + 2).fill('1.2')]);
    play.returned('1.2');
    expect(play.statuses).toEqual(['ok', 'ok']);
    expect(play.state.requeue).toBeNull();
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
  });

  it('waits together with the other calls of its step', () => {
    const play = prepared();
    play.replied(twoCalls);
    requeueAtOnce(play, () => '1.1');
    play.take({ type: 'requeued', activity: '1.1' });
    play.after(100).take({ type: 'requeued', activity: '1.2' });
    expect(play.actions).toEqual([]);
    play.after(900).fired('retry');
    expect(play.actions).toMatchObject([{ type: 'runCalls', calls: [{ id: '1.1' }, { id: '1.2' }] }]);
    // Each has its own times: the second one is still offered at once.
    play.take({ type: 'requeued', activity: '1.2' });
    expect(kinds(play.actions)).toEqual(['runCalls']);
  });

  it('is offered at once the first time, however long ago another call of the step went back', () => {
    const play = prepared();
    play.replied(twoCalls);
    play.take({ type: 'requeued', activity: '1.1' });
    play.after(6 * 60_000).take({ type: 'requeued', activity: '1.2' });
    expect(kinds(play.actions)).toEqual(['runCalls']);
    expect(findHolder(play.state)).toBeNull();
  });

  it('L5: knows that an earlier attempt may have executed the tool, which may be unsafe on the next worker', () => {
    const play = prepared();
    play.replied(twoCalls);
    play.take({ type: 'requeued', activity: '1.1', attempted: true });
    play.take({ type: 'requeued', activity: '1.1' });
    expect(play.actions).toMatchObject([{ type: 'runCalls', calls: [{ id: '1.1', attempted: true }] }]);
  });

  it('holds the chain with the name of the tool, and is not run when the chain ends during the wait', () => {
    const play = prepared();
    play.replied(asks(pay({ at: 'a' })));
    requeueUntilHeld(play, () => '1.1');
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'held', text: expect.stringContaining('the tool pay') });
    expect(computeWorkedMs(play.state)).toBe(0);
    play.cancelledBy('ann');
    expect(play.statuses).toEqual(['not_run']);
  });

  it('that comes back after the chain was stopped was not run, also if it is unsafe', () => {
    const play = prepared();
    play.replied(asks(pay({ at: 'a' })));
    play.cancelledBy('ann');
    play.take({ type: 'requeued', activity: '1.1' });
    expect(play.statuses).toEqual(['not_run']);
  });

  it('lets a long chain continue as new during the wait, which the next run continues', () => {
    const play = prepared();
    play.replied(asks(pay({ at: 'a' })));
    requeueAtOnce(play, () => '1.1');
    play.history = { ...play.history, continueSuggested: true };
    play.take({ type: 'requeued', activity: '1.1' });
    expect(kinds(play.actions)).toEqual(['continueAsNew']);
    play.history = { ...play.history, continueSuggested: false };
    play.after(50).take({ type: 'continued', runId: 'run-2' });
    expect(play.actions).toContainEqual({ type: 'startTimer', timer: 'retry', ms: defaults.requeueBackoffMs - 50 });
    play.after(950).fired('retry');
    expect(play.ran).toEqual(Array(defaults.requeuesAtOnce + 2).fill('1.1'));
  });
});

describe('a call that the worker of the model call could not check', () => {
  const opsOnly = rules({ roles: ['ops'] });
  const ops = { roles: ['ops'] };
  const uncheckedPay = { ...asks(pay({ at: 'a' })), unchecked: [0] };

  it('runs as an unchecked one, and waits for a person where its policies require it', () => {
    const play = prepared();
    play.replied(uncheckedPay);
    expect(play.actions).toMatchObject([{ type: 'runCalls', calls: [{ id: '1.1', unchecked: true }] }]);
    play.take({ type: 'requeued', activity: '1.1' });
    play.take({ type: 'approvalRequired', call: '1.1', rules: opsOnly });
    expect(getChainStatus(play.state)).toBe('waiting');
    expect([play.state.requeue, findHolder(play.state)]).toEqual([null, null]);
    play.take(decides('1.1', { kind: 'approve' }, ops));
    expect(play.actions).toMatchObject([{ type: 'runCalls', calls: [{ id: '1.1', approvedUnder: opsOnly }] }]);
    expect(play.actions[0]).not.toHaveProperty('calls.0.unchecked');
  });

  it('is covered by a standing approval, as any other call', () => {
    const play = prepared();
    play.replied(uncheckedPay);
    play.take({ type: 'approvalRequired', call: '1.1', rules: opsOnly });
    play.take(decides('1.1', { kind: 'approve', always: true }, ops));
    play.returned('1.1');
    play.replied(uncheckedPay);
    play.take({ type: 'approvalRequired', call: '2.1', rules: opsOnly });
    expect(play.ran.slice(-2)).toEqual(['2.1', '2.1']);
  });

  it('is not run if its verdict arrives after the chain was stopped', () => {
    const play = prepared();
    play.replied(uncheckedPay);
    play.cancelledBy('ann');
    play.take({ type: 'approvalRequired', call: '1.1', rules: opsOnly });
    expect(play.statuses).toEqual(['not_run']);
  });
});
