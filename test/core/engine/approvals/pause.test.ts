/** Paused chains, breakpoints, raised limits, and the time limit while a chain waits for people. */

import { describe, expect, it } from 'vitest';
import { computeHead } from '../../../../src/core/engine/advance.js';
import { findRejection } from '../../../../src/core/engine/approvals/command-rejection.js';
import { foldRecordedTurns } from '../../../../src/core/engine/fold-turns.js';
import { packTurns } from '../../../../src/core/engine/recorded-turn.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import type { PartialLimits } from '../../../../src/core/model/limits.js';
import { getStrategy } from '../../../../src/core/strategies/strategies.js';
import { agentOf, asks, look, modelFailure, pay, someInput, toolFailure } from '../../../support/core-builders.js';
import { decides, limits, needs, pauses, resumes, rules, steers } from '../../../support/core-people.js';
import { kinds, type Play, prepared, started } from '../../../support/core-play.js';

const hour = 3_600_000;

describe('a pause', () => {
  it.each<[string, (play: Play) => void, (play: Play) => void]>([
    ['a model call', () => {}, (play) => [play.replied(asks(look())), play.returned('1.1')]],
    ['tool calls', (play) => play.replied(asks(look())), (play) => play.returned('1.1')],
    ['the wait before a retry', (play) => play.failed(modelFailure('overloaded')), (play) => play.fired('retry')],
  ])('lets %s end, and starts nothing until it is resumed', (_name, before, ends) => {
    const play = prepared();
    before(play);
    const called = play.modelCalls.length;
    play.take(pauses(null, { reason: 'Lunch.' }));
    ends(play);
    expect([play.modelCalls.length, play.actions]).toEqual([called, []]);
    expect(play.chain.notices.find(({ code }) => code === 'paused')?.text).toBe('Paused by ana: Lunch.');
    expect(findRejection(play.state, pauses(), play.at)).toMatchObject({ code: 'already_paused' });
    expect(kinds(play.take(resumes({ by: 'bob' })))).toEqual(['callModel']);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'resumed', text: 'Resumed by bob.' });
  });

  it('also takes effect before the agent is known', () => {
    const play = started();
    play.take(pauses());
    play.take({ type: 'prepared', agent: agentOf() });
    expect([play.modelCalls, play.actions]).toEqual([[], []]);
    expect(kinds(play.take(resumes()))).toEqual(['timer deadline', 'callModel']);
  });
});

describe('a breakpoint', () => {
  const step = (play: Play) => {
    play.replied(asks(look(play.state.steps)));
    return play.returned(`${play.state.steps}.1`);
  };

  it('at a step: pauses before it, once', () => {
    const play = prepared();
    play.take(pauses({ step: 3 }));
    expect(kinds(step(play))).toEqual(['callModel']);
    expect(step(play)).toEqual([]);
    expect(play.state).toMatchObject({ paused: { by: 'ana' }, breakpoints: [] });
    expect(kinds(play.take(resumes()))).toEqual(['callModel']);
  });

  it('at a step that has started is rejected; the message names the next step', () => {
    const play = prepared();
    expect(findRejection(play.state, pauses({ step: 1 }), play.at)).toEqual({
      code: 'breakpoint_passed',
      message: 'Step 1 has already started. Use step 2 or later.',
    });
  });

  it('at a cost: pauses as soon as the cost is reached', () => {
    const play = prepared();
    play.take(pauses({ costUsd: 0.005 }));
    expect(kinds(step(play))).toEqual(['callModel']);
    expect(step(play)).toEqual([]);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'paused', text: expect.stringContaining('$0.005') });
  });

  it('before a tool: each call needs approval', () => {
    const play = prepared();
    play.take(pauses({ tool: 'look' }));
    play.replied(asks(look(1), pay(2), look(3)));
    expect(play.ran).toEqual(['1.2']);
    expect(play.step.calls[0]?.requests?.[0]?.rules.reason).toBe('ana requested to see calls of look first.');
  });

  it('that is reached at the current step is removed by resuming', () => {
    const play = prepared();
    play.take(pauses());
    step(play);
    play.take(pauses({ step: 2 }));
    expect(kinds(play.take(resumes()))).toEqual(['callModel']);
    expect(play.state.breakpoints).toEqual([]);
  });

  it('above the limit, at an unknown tool, or at an unknown cost is rejected', () => {
    const play = prepared();
    expect(findRejection(play.state, pauses({ tool: 'ghost' }), play.at)).toMatchObject({
      code: 'breakpoint_unknown',
      message: expect.stringMatching(/^The agent has no tool ghost\. Its tools: look/),
    });
    const priceless = prepared(agentOf({ model: { price: null }, limits: { costUsd: null } }));
    expect(findRejection(priceless.state, pauses({ costUsd: 1 }), play.at)).toMatchObject({
      code: 'breakpoint_unknown',
      message: expect.stringContaining('no cost is known'),
    });
    for (let at = 0; at < 40; at++) play.take(pauses({ step: 100 + at }));
    expect(play.state.breakpoints).toHaveLength(defaults.breakpoints);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'command_rejected' });
    expect(findRejection(play.state, pauses({ step: 140 }), play.at)).toMatchObject({ code: 'breakpoints_full' });
  });
});

describe('the time spent waiting for people', () => {
  const playRequest = (given: Parameters<typeof agentOf>[0] = {}) => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 }, ...given }));
    play.after(10_000).replied(needs([rules()], pay()));
    return play;
  };

  it('does not count: the timer of the time limit starts again for the rest', () => {
    const play = playRequest();
    expect(kinds(play.after(2 * hour).fired('deadline'))).toEqual([]);
    expect(play.state.stop).toBeNull();
    const actions = play.take(decides('1.1', { kind: 'approve' }));
    expect(actions[0]).toEqual({ type: 'startTimer', timer: 'deadline', ms: 50_000 });
    play.fired('deadline');
    expect(play.state.stop).toMatchObject({
      outcome: 'timeout',
      reason: { code: 'time_limit', during: 'call 1.1 (pay)' },
    });
  });

  it('counts with `waitingCounts`: the stop reason names the awaited approval', () => {
    const play = playRequest({ waitingCounts: true });
    play.after(60_000).fired('deadline');
    expect(play.state.stop).toMatchObject({
      outcome: 'timeout',
      reason: { code: 'time_limit', during: "the wait for a person's approval of call 1.1 (pay)" },
    });
    expect([play.statuses, play.ran]).toEqual([['not_run'], []]);
  });

  it('counts while other operations run', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 } }));
    play.replied(needs([rules(), null], pay(), look()));
    play.after(60_000).fired('deadline');
    expect(play.state.stop?.outcome).toBe('timeout');
  });

  it('includes pauses', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 } }));
    play.take(pauses());
    play.after(1_000).replied(asks(look()));
    play.after(1_000).returned('1.1');
    play.after(hour).take(resumes());
    expect(play.state).toMatchObject({ stop: null, waitingTime: { uncountedMs: hour, since: null } });
  });
});

describe('limits', () => {
  it('are raised with a notice that names the sender; the running timer starts again for the rest when it fires', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000, steps: 1 } }));
    expect(play.take(limits({ timeMs: 90_000, steps: 2 }))).toEqual([]);
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'limits_raised',
      text: 'Limits were raised by ana to 2 steps, 1.5 min.',
    });
    expect(play.after(60_000).fired('deadline')).toEqual([{ type: 'startTimer', timer: 'deadline', ms: 30_000 }]);
    play.replied(asks(look()));
    expect(kinds(play.returned('1.1'))).toEqual(['callModel']);
  });

  it('of steps without progress are named in the notice', () => {
    const play = prepared();
    play.take(limits({ stallThreshold: 5 }));
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'limits_raised',
      text: expect.stringContaining('5 steps without progress'),
    });
  });

  it.each([
    [{ steps: 9 }, 'limit_lowered', 'steps is 10 and can only be raised, not set to 9.'],
    [{ timeMs: 90_000 }, 'limit_lowered', 'time is 10 min and can only be raised, not set to 1.5 min.'],
    [{}, 'empty', 'No limit is given. Name the limits to raise.'],
    [{ steps: 1.5 }, 'limit_invalid', 'limits.steps must be a whole number from 1.'],
    [{ stepz: 20 }, 'limit_invalid', 'limits.stepz is unknown; you may mean steps.'],
  ])('%j is rejected', (given, code, message) => {
    const play = prepared();
    expect(findRejection(play.state, limits(given as PartialLimits), play.at)).toEqual({ code, message });
  });
});

describe('a cancel while the chain waits for people', () => {
  it('approval: the call is not run', () => {
    const play = prepared();
    play.replied(needs([rules()], pay()));
    play.cancelledBy('ana', 'Wrong account.');
    play.cancelledByTemporal();
    expect([play.statuses, play.result.reasonCode]).toEqual([['not_run'], 'cancelled']);
    expect(play.state.stop?.reason).toMatchObject({ by: 'ana', why: 'Wrong account.' });
  });

  it('outcome: it stays unknown, and the reason names it', () => {
    const play = prepared();
    play.replied(asks(pay(7)));
    play.broke('1.1', toolFailure('timeout'));
    play.cancelledByTemporal();
    expect(play.statuses).toEqual(['unknown']);
    expect(play.result).toMatchObject({ reasonCode: 'cancelled', reason: expect.stringContaining('pay(7)') });
    expect(play.state.stop?.additional).toMatchObject([{ code: 'open_outcome' }]);
  });

  it("sums up on request, also after Temporal's own cancel; L6: observations of dropped calls are counted", () => {
    const play = prepared();
    play.replied(needs([rules(), rules()], pay(1), pay(2)));
    const { newBytes } = play.state.context;
    play.take({ type: 'cancelRequested', id: 'c', by: 'ana', reason: null, summarize: true });
    expect(kinds(play.cancelledByTemporal())).toEqual(['callModel']);
    expect(play.modelCall.purpose).toBe('closing');
    expect(play.state.context.newBytes).toBeGreaterThan(newBytes + 2 * 'Not run: the chain ended first.'.length);
  });

  it('a second cancel ends the chain at once, without a summary', () => {
    const play = prepared();
    play.take({ type: 'cancelRequested', id: 'a', by: 'ana', reason: null, summarize: true });
    play.take({ type: 'cancelRequested', id: 'a', by: 'ana', reason: null, summarize: false });
    expect(play.actions).toEqual([]);
    play.take({ type: 'cancelRequested', id: 'b', by: 'bob', reason: null, summarize: false });
    expect(play.result.reasonCode).toBe('cancelled');
    expect(play.state.stop?.reason).toMatchObject({ by: 'ana' });
  });

  it('a second cancel also ends a chain at once that was ending for another reason', () => {
    const play = prepared();
    play.replied(asks(look(1), look(2)));
    play.broke('1.1', toolFailure('ToolError', 'No.', { details: { fatal: true } }));
    expect(kinds(play.take({ type: 'cancelRequested', id: 'a', by: 'ana', reason: null, summarize: false }))).toContain(
      'interrupt',
    );
    play.take({ type: 'cancelRequested', id: 'b', by: 'ana', reason: null, summarize: false });
    expect([play.result.outcome, play.statuses]).toEqual(['failure', ['error', 'abandoned']]);
  });
});

describe('a fork of a chain that people decided in', () => {
  it('folds the same and adopts neither breakpoints nor standing approvals', () => {
    const agent = agentOf();
    const before = prepared(agent);
    before.take(pauses({ tool: 'look' }));
    before.replied(needs([rules(), rules(), rules()], pay(1), pay(2), pay(3)));
    before.take(decides('1.1', { kind: 'deny' }, { reason: 'No.' }));
    before.take(decides('1.2', { kind: 'answer', answer: 'Paid by hand.' }));
    before.take(
      decides('1.3', { kind: 'approve', input: 4, always: true }),
      steers('Continue.', { by: 'Zoë'.repeat(60) }),
    );
    before.returned('1.3', 'Paid.');
    const { turns } = foldRecordedTurns(before.turns);
    const last = turns.findIndex(({ state }) => state.steps === 1 && state.flight.kind !== 'calls');
    const taken = before.turns.slice(0, last + 1);
    const digest = taken.flatMap(({ facts }) => facts).reduce((head, fact) => computeHead(head, fact), '');
    const packed = packTurns(taken);
    const origin = { chainId: 'chain-0', runId: 'run-0', steps: 1, digest, turns: packed, message: null };
    const play = started({ ...someInput, origin });
    play.take({ type: 'prepared', agent });
    expect(play.state).toMatchObject({
      stop: null,
      standingApprovals: [],
      breakpoints: [],
      seenCommandIds: [],
      paused: null,
    });
    expect(play.chain.steps[0]?.calls).toEqual(before.chain.steps[0]?.calls);
    expect(play.chain.messages).toEqual(before.chain.messages);
    const spoken = (of: Play) => getStrategy(agent.strategy).render(of.chain, agent).messages;
    expect(spoken(play)).toEqual(spoken(before));
    expect(play.state.origin?.bytes).toBeGreaterThanOrEqual(JSON.stringify(spoken(play).slice(1)).length / 2);
    expect(play.modelCall.reservation.inputTokens).toBeGreaterThanOrEqual(before.modelCall.reservation.inputTokens);
  });
});
