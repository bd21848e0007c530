/** L7: the time limit interrupts every operation; one short last call sums up. */

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import { agentOf, answers, asks, look, modelFailure, pay, stopped, toolFailure } from '../../support/core-builders.js';
import { kinds, prepared } from '../../support/core-play.js';

const oneMinute = () => prepared(agentOf({ limits: { timeMs: 60_000 } }));

describe('the time limit', () => {
  it('counts from the start of the chain; its timer starts once', () => {
    const play = oneMinute();
    expect(play.actions[0]).toEqual({ type: 'startTimer', timer: 'deadline', ms: 60_000 });
    play.replied(asks(look()));
    play.returned('1.1');
    expect(play.asked.filter((action) => action.type === 'startTimer')).toHaveLength(1);
  });

  it('interrupts a model call, which is charged, and sums up', () => {
    const play = oneMinute();
    expect(kinds(play.after(60_000).fired('deadline'))).toEqual(['interrupt', 'timer grace']);
    play.failed(modelFailure('cancelled', { settle: 'reservation' }));
    expect(play.modelCall).toMatchObject({ purpose: 'closing', attempt: 1 });
    play.replied(answers('So far nothing.'));
    expect(play.result).toMatchObject({ outcome: 'timeout', answer: null, partial: 'So far nothing.', steps: 0 });
    expect(play.state.stop?.reason).toEqual({ code: 'time_limit', timeMs: 60_000, during: 'a model call' });
  });

  it('interrupts tools and names them', () => {
    const play = oneMinute();
    play.replied(asks(look(), look(2)));
    play.fired('deadline');
    play.broke('1.1', stopped);
    expect(play.actions).toEqual([]);
    play.broke('1.2', stopped);
    expect(play.statuses).toEqual(['cancelled', 'cancelled']);
    expect(play.modelCall.purpose).toBe('closing');
    expect(play.state.stop?.reason).toMatchObject({
      code: 'time_limit',
      during: 'call 1.1 (look) and call 1.2 (look)',
    });
  });

  it('L5: makes the outcome of an interrupted unsafe call unknown, and names it in the reason', () => {
    const play = oneMinute();
    play.replied(asks(pay({ to: 'Bob' })));
    play.fired('deadline');
    play.broke('1.1', stopped);
    play.failed(modelFailure('overloaded'));
    expect(play.statuses).toEqual(['unknown']);
    expect(play.result).toMatchObject({ outcome: 'timeout', reason: expect.stringContaining('pay({"to":"Bob"})') });
    expect(play.state.stop?.additional).toMatchObject([{ code: 'unknown_outcome', call: '1.1' }]);
  });

  it('ends the wait before a retry where waiting counts; the last call is a first attempt', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 }, waitingCounts: true }));
    play.failed(modelFailure('overloaded'));
    play.fired('deadline');
    expect(play.modelCall).toMatchObject({ purpose: 'closing', attempt: 1 });
    expect(play.fired('retry')).toEqual([]);
  });

  it('runs no calls of a reply that arrived with it', () => {
    const play = oneMinute();
    const { call } = play.modelCall;
    play.take({ type: 'timerFired', timer: 'deadline' }, { type: 'modelReplied', call, reply: asks(pay()) });
    expect(play.statuses).toEqual(['not_run']);
    expect(play.modelCall.purpose).toBe('closing');
  });

  it('L7: also cancels the calls that an ending chain waits for', () => {
    const play = oneMinute();
    play.replied(asks(look(), look(2)));
    expect(play.broke('1.1', toolFailure('ToolError', 'No such account.', { details: { fatal: true } }))).toEqual([]);
    expect(kinds(play.fired('deadline'))).toEqual(['interrupt', 'timer grace']);
    play.fired('grace');
    expect(play.statuses).toEqual(['error', 'abandoned']);
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'call_failed' });
  });

  it('does not interrupt the summary of another limit', () => {
    const play = prepared(agentOf({ limits: { steps: 1 } }));
    play.replied(asks(look()));
    play.returned('1.1');
    expect(play.modelCall.purpose).toBe('closing');
    expect(play.fired('deadline')).toEqual([]);
    play.replied(answers('Enough.'));
    expect(play.result.outcome).toBe('max_iterations');
  });
});

describe('the summary', () => {
  const closesAfter = (ms: number) => {
    const play = oneMinute();
    play.replied(asks(look()));
    play.after(60_000).fired('deadline');
    play.after(ms).broke('1.1', stopped);
    return play.modelCall;
  };

  it('takes a minute at most, counted from the limit', () => {
    expect(closesAfter(0).timeoutMs).toBe(defaults.closingMs);
    expect(closesAfter(4_000).timeoutMs).toBe(defaults.closingMs - 4_000);
    expect(closesAfter(defaults.graceMs).timeoutMs).toBe(defaults.closingMs - defaults.graceMs);
  });

  it('still has time when no worker ran for hours', () => {
    expect(closesAfter(3_600_000).timeoutMs).toBe(defaults.closingMs - defaults.graceMs);
  });

  it('has the full minute when another limit came first', () => {
    const play = prepared(agentOf({ limits: { steps: 1, timeMs: 60_000 } }));
    play.replied(asks(look()));
    play.after(1_000).returned('1.1');
    expect(play.modelCall).toMatchObject({ purpose: 'closing', timeoutMs: defaults.closingMs });
  });
});
