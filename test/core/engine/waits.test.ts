/** Calls that wait: for a time, or for a signal; without an activity or a model call. */

import { describe, expect, it } from 'vitest';
import { findRejection } from '../../../src/core/engine/approvals/command-rejection.js';
import { getChainStatus } from '../../../src/core/engine/state/due-requests.js';
import { computeWorkedMs } from '../../../src/core/engine/state/flight.js';
import { findRetryWait } from '../../../src/core/engine/state/retry-wait.js';
import { defaults } from '../../../src/core/model/defaults.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { explain } from '../../../src/core/view/explain.js';
import { findWaitsFor, formatOutcomeLine } from '../../../src/core/view/print/head-lines.js';
import { createViewer, view } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { agentOf, answers, asks, look, poll, someTools, tool } from '../../support/core-builders.js';
import {
  decides,
  endsWait,
  limits,
  needs,
  pauses,
  resumes,
  rules,
  signals,
  steers,
} from '../../support/core-people.js';
import { kinds, type Play, prepared } from '../../support/core-play.js';

const minute = 60_000;
const day = 24 * 60 * minute;

const waiter = (more: Parameters<typeof agentOf>[0] = {}) =>
  agentOf({
    tools: [...someTools, tool('wait', { waits: true, kind: 'wait' })],
    ...more,
    limits: { waitMs: 7 * day, ...more.limits },
  });
const waits = (input: Json) => ({ tool: 'wait', input });

/** A chain whose first step waits. */
function waiting(input: Json, agent = waiter()): Play {
  const play = prepared(agent);
  play.replied(asks(waits(input)));
  return play;
}

const observation = (play: Play, call = 0) => play.step.calls[call]?.observation;
const headLine = (play: Play, role = 'developer') =>
  JSON.stringify(formatOutcomeLine(view(buildReasoning(play.chain), createViewer(role))));
const codes = (play: Play) => play.chain.notices.map(({ code }) => code);

describe('a wait for a time', () => {
  it('starts one timer, runs nothing, and continues when the time is over', () => {
    const play = waiting({ seconds: 600 });
    expect(kinds(play.actions)).toEqual(['timer wait']);
    expect(play.actions).toMatchObject([{ ms: 10 * minute }]);
    expect([play.ran, play.statuses, getChainStatus(play.state)]).toEqual([[], ['pending'], 'sleeping']);
    expect(kinds(play.after(10 * minute).fired('wait'))).toEqual(['callModel']);
    expect([play.statuses, observation(play)]).toEqual([
      ['ok'],
      { ended: 'time', now: new Date(play.at).toISOString() },
    ]);
    expect(getChainStatus(play.state)).toBe('running');
  });

  it('does not count towards the time limit, unless waitingCounts is set', () => {
    const play = waiting({ seconds: 3_600 });
    const worked = computeWorkedMs(play.state);
    play.after(60 * minute).fired('wait');
    expect(computeWorkedMs(play.state)).toBe(worked);
    const counted = waiting({ seconds: 3_600 }, waiter({ waitingCounts: true }));
    counted.fired('deadline');
    expect(counted.state.stop?.outcome).toBe('timeout');
    expect(counted.chain.steps[0]?.calls[0]).toMatchObject({ status: 'cancelled' });
  });

  it('longer than the limit for waits is an observation that names what is left, and no limit ends the chain', () => {
    const play = waiting({ seconds: 600 }, waiter({ limits: { waitMs: 15 * minute } }));
    play.after(10 * minute).fired('wait');
    expect(kinds(play.replied(asks(waits({ seconds: 301 }))))).toEqual(['callModel']);
    expect([play.statuses, observation(play)]).toEqual([
      ['error'],
      'Not waited: 5 min is longer than the limit for waits allows. Wait 300 seconds at most.',
    ]);
    play.replied(asks(waits({ signal: 'built' })));
    expect(play.actions).toMatchObject([{ type: 'startTimer', timer: 'wait', ms: 5 * minute }]);
    play.after(5 * minute).fired('wait');
    play.replied(asks(waits({ signal: 'built' })));
    expect(observation(play)).toBe('Not waited: the limit for waits is used up. Continue without waiting.');
    play.replied(answers('Enough.'));
    expect(play.result.outcome).toBe('success');
  });

  it('has a limit that a person may raise', () => {
    const play = waiting({ signal: 'built', seconds: 60 }, waiter({ limits: { waitMs: minute } }));
    expect(play.take(limits({ waitMs: day }))).toEqual([]);
    play.after(minute).fired('wait');
    expect(kinds(play.replied(asks(waits({ seconds: 3_600 }))))).toEqual(['timer wait']);
    expect(findRejection(prepared().state, limits({ waitMs: day }), 0)).toMatchObject({
      code: 'limit_invalid',
      message: 'wait cannot be set: clerk has no tool that waits.',
    });
  });

  it('with unreadable arguments is an observation', () => {
    const play = waiting({ seconds: 'soon' });
    expect([play.statuses, observation(play)]).toEqual([['error'], 'Not waited: set `seconds`, `signal` or both.']);
  });

  it('that needs approval by a breakpoint begins with the approval, with the arguments that were approved', () => {
    const play = prepared(waiter());
    play.take(pauses({ tool: 'wait' }));
    expect(kinds(play.replied(asks(waits({ seconds: 600 }))))).toEqual(['timer request']);
    play.after(minute).take(decides('1.1', { kind: 'approve', input: { seconds: 20 } }));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'wait', ms: 20_000 }]);
    expect(
      play
        .after(20_000)
        .fired('wait')
        .map(({ type }) => type),
    ).toContain('callModel');
    expect([play.ran, play.statuses]).toEqual([[], ['ok']]);
  });

  it('runs beside other calls of its step, and its timer is that of the earliest end', () => {
    const play = prepared(waiter());
    expect(kinds(play.replied(asks(waits({ seconds: 60 }), look(), waits({ seconds: 20 }))))).toEqual([
      'timer wait',
      'runCalls',
    ]);
    expect(getChainStatus(play.state)).toBe('running');
    play.returned('1.2');
    expect(getChainStatus(play.state)).toBe('sleeping');
    expect(play.after(20_000).fired('wait')).toEqual([{ type: 'startTimer', timer: 'wait', ms: 40_000 }]);
    expect(kinds(play.after(40_000).fired('wait'))).toEqual(['callModel']);
    expect(play.state.waits.usedMs).toBe(minute);
  });
});

describe('a wait for a signal', () => {
  it('ends with the data of the signal as its observation, and the timer is cancelled', () => {
    const play = waiting({ signal: 'built', seconds: 3_600 });
    const arrived = new Date(play.after(minute).at).toISOString();
    expect(kinds(play.take(signals('built', { status: 'green' }, { by: 'ci' })))).toEqual(['cancelTimer', 'callModel']);
    const result = { ended: 'signal', signal: 'built', data: { status: 'green' }, by: 'ci', arrived, now: arrived };
    expect([play.statuses, observation(play)]).toEqual([['ok'], result]);
    expect([play.state.waits.signals, codes(play)]).toEqual([[], []]);
  });

  it('takes a signal that arrived before it, once, the oldest first', () => {
    const play = prepared(waiter());
    play.take(signals('built', 1), signals('sold'), signals('built', 2));
    expect(codes(play)).toEqual(['signal_buffered', 'signal_buffered', 'signal_buffered']);
    expect(kinds(play.replied(asks(waits({ signal: 'built' }))))).toEqual(['callModel']);
    expect(observation(play)).toMatchObject({ ended: 'signal', data: 1, kept: true });
    play.replied(asks(waits({ signal: 'built' })));
    expect(observation(play)).toMatchObject({ data: 2 });
    expect(kinds(play.replied(asks(waits({ signal: 'built' }))))).toEqual(['timer wait']);
    expect(play.state.waits.signals.map(({ name }) => name)).toEqual(['sold']);
  });

  it('ends without the signal when its time is over, also if the signal arrives in the same moment', () => {
    const play = waiting({ signal: 'built', seconds: 60 });
    play.after(minute).take(signals('built'), { type: 'timerFired', timer: 'wait' });
    expect(observation(play)).toMatchObject({ ended: 'timeout', signal: 'built' });
    expect(play.state.waits.signals).toHaveLength(1);
  });

  it('lasts as long as the limit allows where it has no time of its own', () => {
    expect(waiting({ signal: 'built' }).actions).toMatchObject([{ timer: 'wait', ms: 7 * day }]);
  });

  it('is not ended by another signal, and a second wait for the same signal needs a second signal', () => {
    const play = prepared(waiter());
    play.replied(asks(waits({ signal: 'built' }), waits({ signal: 'built' })));
    expect(play.take(signals('sold'))).toEqual([]);
    expect([play.take(signals('built')), play.statuses]).toEqual([[], ['ok', 'pending']]);
    expect(kinds(play.take(signals('built')))).toEqual(['cancelTimer', 'callModel']);
  });

  it('clips data that is longer than an observation, as it clips the result of a tool', () => {
    const play = waiting({ signal: 'built' }, waiter({ maxObservationTokens: 50 }));
    play.take(signals('built', { log: 'x'.repeat(5_000) }));
    const [call] = play.step.calls;
    expect(call?.clippedFrom).toBeGreaterThan(5_000);
    expect(JSON.stringify(call?.observation).length).toBeLessThan(400);
    expect(call?.observation).toMatchObject({ ended: 'signal', signal: 'built' });
  });
});

describe('signals that no call waits for', () => {
  it('are bounded in number and bytes: the oldest are dropped with a notice', () => {
    const play = prepared(waiter());
    for (let at = 0; at <= defaults.keptSignals; at++) play.take(signals('built', at));
    expect(play.state.waits.signals.map(({ data }) => data)).toEqual(
      Array.from({ length: defaults.keptSignals }, (_, at) => at + 1),
    );
    expect(codes(play).filter((code) => code === 'signal_dropped')).toHaveLength(1);
    const big = 'x'.repeat(defaults.signalBytes - 2);
    for (let at = 0; at < 6; at++) play.take(signals('log', big));
    expect(play.state.waits.signals.map(({ name }) => name)).toEqual(['log', 'log', 'log', 'log']);
  });

  it('are rejected with an invalid name, too much data, or where no tool waits', () => {
    const { state, at } = prepared(waiter());
    expect(findRejection(state, signals('two words'), at)).toMatchObject({ code: 'signal_invalid' });
    expect(findRejection(state, signals('log', 'x'.repeat(defaults.signalBytes)), at)).toMatchObject({
      code: 'too_long',
    });
    expect(findRejection(prepared().state, signals('built'), at)).toEqual({
      code: 'signal_unawaited',
      message: 'No tool of agent clerk waits for signals. Add wait() to its tools.',
    });
    const strict = prepared(waiter({ permissions: { signal: ['ci'] } }));
    expect(findRejection(strict.state, signals('built'), at)).toMatchObject({ code: 'not_permitted' });
    expect(findRejection(strict.state, signals('built', null, { roles: ['ci'] }), at)).toBeNull();
  });
});

describe('an open wait', () => {
  it.each([
    ['a message of a person', steers('Stop waiting.'), 'message'],
    ['the command that names its call', endsWait('1.1'), 'resume'],
  ])('is ended by %s', (_, command, ended) => {
    const play = waiting({ seconds: 3_600 });
    expect(findRejection(play.state, command, play.at)).toBeNull();
    expect(kinds(play.take(command))).toEqual(['cancelTimer', 'callModel']);
    expect([play.statuses, observation(play)]).toMatchObject([['ok'], { ended }]);
  });

  it('continues while the chain is paused, and no resume ends it: a repeated one is rejected and names the call', () => {
    const play = waiting({ seconds: 3_600 });
    play.take(pauses());
    expect(getChainStatus(play.state)).toBe('paused');
    expect([play.take(resumes()), getChainStatus(play.state)]).toEqual([[], 'sleeping']);
    expect(findRejection(play.state, resumes(), play.at)).toEqual({
      code: 'not_paused',
      message:
        'The chain is not paused, and does not wait for its provider, the store or a worker. To end the wait of a call, name the call: 1.1.',
    });
    expect([play.take(resumes()), play.statuses]).toEqual([[], ['pending']]);
  });

  it('is ended for one call, once: of two persons who end it, the second ends neither the other wait nor the next one', () => {
    const play = prepared(waiter());
    play.replied(asks(waits({ seconds: 60 }), waits({ seconds: 3_600 })));
    play.take(endsWait('1.1', { by: 'ana', reason: 'It is built.' }));
    expect(play.statuses).toEqual(['ok', 'pending']);
    expect(play.chain.notices).toMatchObject([
      { code: 'wait_ended', text: 'The wait of call 1.1 was ended by ana: It is built.' },
    ]);
    expect(findRejection(play.state, endsWait('1.1', { by: 'bob' }), play.at)).toEqual({
      code: 'call_not_waiting',
      message: 'Call 1.1 does not wait for a time or a signal. Waiting: 1.2.',
    });
    play.take(endsWait('1.1', { by: 'bob' }));
    expect(play.statuses).toEqual(['ok', 'pending']);
    play.take(endsWait('1.2'));
    play.replied(asks(waits({ seconds: 60 })));
    expect(findRejection(play.state, endsWait('1.2'), play.at)).toMatchObject({ code: 'call_not_waiting' });
    expect(findRejection(play.state, endsWait('7.1'), play.at)).toMatchObject({ code: 'call_not_found' });
  });

  it('is ended by its call while the chain is paused, which stays paused', () => {
    const play = waiting({ seconds: 3_600 });
    play.take(pauses());
    play.take(endsWait('1.1'));
    expect([play.statuses, getChainStatus(play.state)]).toEqual([['ok'], 'paused']);
    expect(headLine(play)).toContain('Paused by ana');
  });

  it('continues when a resume offers another call of its step to the workers again', () => {
    const play = prepared(waiter());
    play.replied(asks(waits({ seconds: 3_600 }), look()));
    while (findRetryWait(play.state)?.nextAt == null) play.take({ type: 'requeued', activity: '1.2' });
    expect(kinds(play.take(resumes()))).toEqual(['cancelTimer', 'runCalls']);
    expect(play.statuses).toEqual(['pending', 'pending']);
  });

  it('without a time of its own lasts as long as a limit that a person raised, with what it has waited', () => {
    const play = waiting({ signal: 'built' }, waiter({ limits: { waitMs: 60 * minute } }));
    play.after(20 * minute).take(limits({ waitMs: 2 * 60 * minute }));
    expect(play.actions).toEqual([
      { type: 'cancelTimer', timer: 'wait' },
      { type: 'startTimer', timer: 'wait', ms: 100 * minute },
    ]);
    play.after(90 * minute).take(signals('built'));
    expect(observation(play)).toMatchObject({ ended: 'signal' });
    const timed = waiting({ signal: 'built', seconds: 600 }, waiter({ limits: { waitMs: 60 * minute } }));
    expect(timed.take(limits({ waitMs: 120 * minute }))).toEqual([]);
  });

  it('beside an open request leaves the chain waiting for people', () => {
    const play = prepared(waiter());
    play.replied(needs([null, rules()], waits({ seconds: 600 }), { tool: 'pay', input: {} }));
    expect(getChainStatus(play.state)).toBe('waiting');
    play.take(decides('1.2', { kind: 'deny' }));
    expect(getChainStatus(play.state)).toBe('sleeping');
  });

  it('is ended by a cancel of the chain, with its call as cancelled', () => {
    const play = waiting({ seconds: 3_600 });
    play.cancelledByTemporal();
    expect(play.result.outcome).toBe('cancelled');
    expect(play.chain.steps[0]?.calls[0]).toMatchObject({
      status: 'cancelled',
      observation: 'The chain ended before the wait was over.',
    });
  });

  it('continues in the next run with the rest of its time, and kept signals with it', () => {
    const play = waiting({ signal: 'built', seconds: 3_600 });
    play.take(signals('sold', 7));
    play.history = { events: 10_000, bytes: 1_000, continueSuggested: true };
    expect(play.after(minute).take(signals('log'))).toEqual([{ type: 'continueAsNew' }]);
    play.history = { events: 3, bytes: 1_000, continueSuggested: false };
    play.after(minute).take({ type: 'continued', runId: 'run-1' });
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'wait', ms: 58 * minute }]);
    expect(play.state.waits.signals.map(({ data }) => data)).toEqual([7, null]);
    expect(kinds(play.take(signals('built')))).toEqual(['timer deadline', 'cancelTimer', 'callModel']);
  });

  it('of a step makes its calls no repetition: a chain may look again after each wait', () => {
    const play = prepared(waiter());
    for (let step = 1; step <= 4; step++) {
      const seconds = 60;
      play.replied(asks(poll(), waits({ seconds })));
      play.returned(`${step}.1`, 'still building');
      play.after(minute).fired('wait');
      expect(play.statuses).toEqual(['ok', 'ok']);
    }
    expect([play.state.stop, play.ran]).toEqual([null, ['1.1', '2.1', '3.1', '4.1']]);
  });
});

describe('readers of a chain that waits', () => {
  const shown = (play: Play, role: string) => view(buildReasoning(play.chain), createViewer(role));

  it('see until when it waits, or for which signal; an end user sees no argument of the call', () => {
    const forTime = waiting({ seconds: 600 });
    expect(headLine(forTime, 'developer')).toContain('waiting until 1970-01-01 00:10 UTC');
    const forSignal = waiting({ signal: 'build-done', seconds: 600 });
    expect(shown(forSignal, 'developer')).toMatchObject({
      state: 'waiting',
      waits: [{ call: '1.1', kind: 'signal', signal: 'build-done', until: forSignal.at + 600_000 }],
    });
    expect(headLine(forSignal, 'developer')).toContain('waiting for build-done, until 1970-01-01 00:10 UTC at most');
    expect(headLine(forSignal, 'end_user')).toContain('waiting for a signal, until 1970-01-01 00:10 UTC at most');
    expect(JSON.stringify(shown(forSignal, 'end_user').waits)).not.toContain('build-done');
    const waitsFor = (play: Play) => findWaitsFor(shown(play, 'end_user'));
    expect([waitsFor(forTime), waitsFor(forSignal)]).toEqual(['time', 'signal']);
    forSignal.take(pauses());
    expect(findWaitsFor(shown(forSignal, 'developer'))).toBe('resume');
  });

  it('see no data of a signal that is secret', () => {
    const play = waiting({ signal: 'built' });
    play.take(signals('built', { password: 'correct-horse-battery' }));
    const { steps } = shown(play, 'developer');
    expect(JSON.stringify(steps)).toContain('built');
    expect(JSON.stringify(steps)).not.toContain('correct-horse');
  });

  it('get an explanation with the end of the wait', () => {
    const { chain, at } = waiting({ seconds: 600 });
    const { next, why, limits: used } = explain(chain.state, null, at);
    expect(next).toContain('It waits for the end of call 1.1 (wait): 1970-01-01 00:10 UTC.');
    expect(why).toContain('End the wait: longhand resume chain-1 1.1');
    expect(used).toContainEqual({ name: 'waitMs', used: 0, limit: 7 * day });
  });
});
