/** Approvals: several people, always, changed arguments, time, and several calls of one step. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRejection } from '../../../../src/core/engine/approvals/command-rejection.js';
import { getChainStatus, listWaitingCalls } from '../../../../src/core/engine/state/due-requests.js';
import { countConversationBytes } from '../../../../src/core/engine/state/observation.js';
import { combineAllRules } from '../../../../src/core/engine/state/request-rules.js';
import { getStrategy } from '../../../../src/core/strategies/strategies.js';
import { agentOf, asks, look, pay, save, toolFailure } from '../../../support/core-builders.js';
import { decides, needs, pauses, rules } from '../../../support/core-people.js';
import { type Play, prepared } from '../../../support/core-play.js';

const approve = { kind: 'approve' } as const;
const always = { kind: 'approve', always: true } as const;

function playRequests(given: Parameters<typeof rules>[0] = {}, ...inputs: readonly number[]): Play {
  const play = prepared();
  const calls = (inputs.length === 0 ? [1] : inputs).map((input) => pay(input));
  play.replied(
    needs(
      calls.map(() => rules(given)),
      ...calls,
    ),
  );
  return play;
}

const decisions = (play: Play, at = 0) => play.step.calls[at]?.requests?.at(-1)?.decisions ?? [];
const open = (play: Play) => listWaitingCalls(play.state).map(({ id }) => id);

describe('two of three approvers', () => {
  const two = { approvers: 2, roles: ['ops'] };
  const ops = (by: string) => ({ by, roles: ['ops'] });

  it('approve a call; one person does not count twice', () => {
    const play = playRequests(two);
    play.take(decides('1.1', approve, ops('ana')));
    expect([play.ran, decisions(play)[0]?.partly]).toEqual([[], true]);
    const second = decides('1.1', approve, ops('ana'));
    expect(findRejection(play.state, second, play.at)).toMatchObject({
      code: 'already_approved',
      message: expect.stringContaining('ana'),
    });
    play.take(second);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'command_rejected' });
    expect(play.ran).toEqual([]);
    play.take(decides('1.1', approve, ops('bob')));
    expect(play.ran).toEqual(['1.1']);
  });

  it('may decide in one workflow task; a third decision is too late', () => {
    const play = playRequests(two);
    play.take(...['ana', 'bob', 'cem'].map((by) => decides('1.1', approve, ops(by))));
    expect(play.ran).toEqual(['1.1']);
    expect(decisions(play)).toHaveLength(2);
  });

  it('start again with changed arguments, under a new digest', () => {
    const play = playRequests(two);
    const [before] = listWaitingCalls(play.state);
    play.take(decides('1.1', approve, ops('ana')));
    play.take(decides('1.1', { kind: 'approve', input: 2 }, ops('bob')));
    const [after] = listWaitingCalls(play.state);
    expect(after?.key).not.toBe(before?.key);
    const outdated = decides('1.1', approve, ops('cem'), before?.key);
    expect(findRejection(play.state, outdated, play.at)).toMatchObject({ code: 'call_changed' });
    play.take(outdated);
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'command_rejected' });
    expect(play.ran).toEqual([]);
    play.take(decides('1.1', approve, ops('ana'), after?.key));
    expect(play.step.calls[0]).toMatchObject({ input: 2, changedFrom: 1 });
    expect(play.asked.at(-1)).toMatchObject({ type: 'runCalls', calls: [{ id: '1.1', input: 2 }] });
  });

  it('can change the arguments; the call keeps the rules of its change, also when it runs again', () => {
    const play = playRequests(two);
    play.take(decides('1.1', approve, ops('ana')));
    play.take(decides('1.1', { kind: 'approve', input: 2 }, ops('bob')));
    play.take(decides('1.1', approve, ops('ana')));
    const set = { id: '1.1', input: 2, changedUnder: rules(two) };
    expect(play.asked.at(-1)).toMatchObject({ type: 'runCalls', calls: [set] });
    play.broke('1.1', toolFailure('timeout'));
    play.take(decides('1.1', { kind: 'not_happened' }, ops('ana')));
    expect(play.asked.at(-1)).toMatchObject({ type: 'runCalls', calls: [{ ...set, retryApproved: true }] });
  });

  it('are not needed to deny', () => {
    const play = playRequests(two);
    play.take(decides('1.1', approve, ops('ana')));
    play.take(decides('1.1', { kind: 'deny' }, { ...ops('bob'), reason: 'too much.' }));
    expect(play.step.calls[0]).toMatchObject({
      status: 'denied',
      observation:
        'Denied by bob: too much. The call was not run. Do not repeat it: continue without it, or propose something else.',
    });
    expect(play.ran).toEqual([]);
  });
});

describe('a standing approval', () => {
  it('lets later calls of the tool run; calls that are already waiting are decided one by one', () => {
    const play = playRequests({}, 1, 2);
    play.take(decides('1.1', always));
    expect([play.ran, open(play)]).toEqual([['1.1'], ['1.2']]);
    expect(decisions(play, 0)).toMatchObject([{ kind: 'approved', by: 'ana', always: true }]);
    play.take(decides('1.2', approve));
    play.returned('1.1');
    play.returned('1.2');
    play.replied(needs([rules(), rules()], pay(3), save(3)));
    expect(play.ran).toEqual(['1.1', '1.2', '2.1']);
    expect(open(play)).toEqual(['2.2']);
  });

  it('does not cover calls that other roles must approve', () => {
    const play = playRequests({}, 1);
    play.take(decides('1.1', always));
    play.returned('1.1');
    const stricter = [rules({ roles: ['cfo'] }), rules({ approvers: 2 }), rules({ byRequester: false }), rules()];
    play.replied(needs(stricter, pay(2), pay(3), pay(4), pay(5)));
    expect(open(play)).toEqual(['2.1', '2.2']);
    expect(play.ran).toEqual(['1.1', '2.3', '2.4']);
  });

  it('by two people counts as two approvals', () => {
    const play = playRequests({ approvers: 2 }, 1);
    play.take(decides('1.1', always), decides('1.1', always, { by: 'bob' }));
    play.returned('1.1');
    play.replied(needs([rules({ approvers: 2 }), rules({ approvers: 3 })], pay(2), pay(3)));
    expect(open(play)).toEqual(['2.2']);
  });

  it('does not resolve an unknown outcome; the roles of its request do', () => {
    const play = prepared();
    const lead = rules({ roles: ['lead'], byRequester: false });
    play.replied(needs([lead], pay(1)));
    play.take(decides('1.1', always, { roles: ['lead'] }));
    play.returned('1.1', 'Paid.');
    play.replied(needs([lead], pay(2)));
    play.broke('2.1', toolFailure('timeout'));
    expect(play.step.calls[0]?.requests).toMatchObject([{ kind: 'outcome', rules: { roles: ['lead'], approvers: 1 } }]);
    play.take(decides('2.1', { kind: 'not_happened' }));
    expect(play.ran).toEqual(['1.1', '2.1']);
  });

  it('needs all approvers of the call', () => {
    const play = playRequests({ approvers: 2 }, 1);
    play.take(decides('1.1', always), decides('1.1', approve, { by: 'bob' }));
    expect([play.ran, play.state.standingApprovals]).toEqual([['1.1'], []]);
  });

  it('removes a breakpoint at the tool; a new breakpoint requests approval again', () => {
    const play = prepared();
    play.take(pauses({ tool: 'look' }));
    play.replied(asks(look(1)));
    expect(open(play)).toEqual(['1.1']);
    play.take(decides('1.1', always));
    play.returned('1.1');
    play.replied(asks(look(2)));
    play.returned('2.1');
    play.take(pauses({ tool: 'look' }));
    play.replied(asks(look(3)));
    expect([play.ran, open(play)]).toEqual([['1.1', '2.1'], ['3.1']]);
  });

  it('does not cover a later breakpoint at the tool, whose request has the roles of the call', () => {
    const play = prepared();
    const lead = rules({ roles: ['lead'] });
    play.replied(needs([lead], pay(1)));
    play.take(decides('1.1', always, { roles: ['lead'] }));
    play.returned('1.1');
    play.take(pauses({ tool: 'pay' }));
    play.replied(needs([lead], pay(2)));
    play.take(decides('2.1', approve));
    expect(open(play)).toEqual(['2.1']);
    play.take(decides('2.1', approve, { roles: ['lead'] }));
    expect(play.ran).toEqual(['1.1', '2.1']);
  });
});

describe('the time of a request', () => {
  it('escalates it with one notice, and then expires it', () => {
    const play = playRequests({ expiresMs: 9_000, roles: ['ops'], escalation: { afterMs: 4_000, roles: ['boss'] } });
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'request', ms: 4_000 }]);
    expect(play.after(4_000).fired('request')).toEqual([{ type: 'startTimer', timer: 'request', ms: 5_000 }]);
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'request_escalated',
      text: expect.stringContaining('ops, boss may now'),
    });
    play.after(5_000).fired('request');
    expect(decisions(play)).toMatchObject([{ kind: 'expired', by: null }]);
    expect(play.step.calls[0]).toMatchObject({ status: 'denied', observation: expect.stringContaining('within 9 s') });
    expect(play.chain.notices.filter(({ code }) => code === 'request_escalated')).toHaveLength(1);
  });

  it.each(['deny', 'approve'] as const)(
    'expires it before a decision at the same moment, in either order of facts (%s)',
    (onExpiry) => {
      for (const decisionFirst of [true, false]) {
        const play = playRequests({ expiresMs: 9_000, onExpiry });
        const decision = decides('1.1', { kind: onExpiry === 'deny' ? 'approve' : 'deny' });
        const timer = { type: 'timerFired', timer: 'request' } as const;
        play.after(9_000).take(...(decisionFirst ? [decision, timer] : [timer, decision]));
        expect(decisions(play)).toMatchObject([{ kind: 'expired' }]);
        expect(play.ran).toEqual(onExpiry === 'approve' ? ['1.1'] : []);
      }
    },
  );

  it('needs one timer for all requests, for the first that is due', () => {
    const play = prepared();
    play.replied(needs([rules({ expiresMs: 9_000 }), rules({ expiresMs: 2_000 })], pay(1), save(2)));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'request', ms: 2_000 }]);
    expect(play.after(2_000).fired('request')).toEqual([{ type: 'startTimer', timer: 'request', ms: 7_000 }]);
    expect(
      play
        .after(1_000)
        .take(decides('1.1', approve))
        .map(({ type }) => type),
    ).toEqual(['runCalls']);
  });
});

it('the requests of one step are decided in any order, while other calls run; each call runs once', () => {
  const steps = ['1.1', '1.2', '1.3', '1.4'];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(steps, { minLength: 4 }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      (order, yes) => {
        const play = prepared();
        play.replied(needs([rules(), rules(), null, rules()], pay(1), pay(2), look(3), save(4)));
        expect([play.ran, getChainStatus(play.state)]).toEqual([['1.3'], 'waiting']);
        for (const [at, id] of order.entries()) {
          if (id !== '1.3') play.take(decides(id, { kind: yes[at] ? 'approve' : 'deny' }));
          if (id === '1.3' || yes[at]) play.returned(id);
        }
        const expected = steps.map((id) => (id === '1.3' || yes[order.indexOf(id)] ? 'ok' : 'denied'));
        expect(play.statuses).toEqual(expected);
        expect([...play.ran].sort()).toEqual(steps.filter((_, at) => expected[at] === 'ok'));
        expect(play.actions.at(-1)?.type).toBe('callModel');
      },
    ),
  );
});

describe('an unknown outcome', () => {
  const playUnknownOutcome = () => {
    const play = prepared();
    play.replied(asks(pay(1)));
    play.broke('1.1', toolFailure('timeout'));
    return play;
  };

  it('resolved as happened: the stated result is the observation', () => {
    const play = playUnknownOutcome();
    play.take(decides('1.1', { kind: 'happened', observation: 'Receipt 7.' }));
    expect(play.step.calls[0]).toMatchObject({ status: 'answered', observation: 'Receipt 7.' });
    const request = getStrategy(agentOf().strategy).render(play.chain, agentOf());
    expect(request.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'use_0', content: expect.stringContaining('Receipt 7.') },
    ]);
    expect(countConversationBytes(play.chain)).toBeGreaterThan('Receipt 7.'.length);
  });

  it('resolved as not happened: it runs again once, and a new request follows another failure', () => {
    const play = playUnknownOutcome();
    play.take(decides('1.1', { kind: 'not_happened' }), decides('1.1', { kind: 'not_happened' }));
    expect(play.ran).toEqual(['1.1', '1.1']);
    expect(play.asked.at(-1)).toMatchObject({ calls: [{ id: '1.1', retryApproved: true }] });
    play.broke('1.1', toolFailure('lost'));
    expect(play.step.calls[0]?.requests).toHaveLength(2);
    play.take(decides('1.1', { kind: 'not_happened' }));
    play.returned('1.1', 'Paid.');
    expect([play.ran.length, play.statuses]).toEqual([3, ['ok']]);
  });

  it('given up or not resolved in time: the chain ends and names the outcome once', () => {
    const gaveUp = playUnknownOutcome();
    gaveUp.take(decides('1.1', { kind: 'give_up' }, { reason: 'No receipt.' }));
    expect(gaveUp.result.reasonCode).toBe('given_up');
    expect(gaveUp.state.stop?.reason).toMatchObject({ by: 'ana', why: 'No receipt.' });
    const expired = playUnknownOutcome();
    expired.after(7 * 24 * 3_600_000).fired('request');
    expect(expired.result.reasonCode).toBe('undecided_outcome');
    for (const play of [gaveUp, expired]) {
      expect([play.statuses, play.ran]).toEqual([['unknown'], ['1.1']]);
      expect(play.result.reason.match(/The outcome of call/g)).toHaveLength(1);
    }
  });

  it('is not requested for calls that may be repeated or certainly did not run', () => {
    const play = prepared();
    play.replied(asks(look(1), save(2), pay(3)));
    play.broke('1.1', toolFailure('timeout'));
    play.broke('1.2', toolFailure('lost'));
    play.broke('1.3', toolFailure('NotDone'));
    expect(play.statuses).toEqual(['error', 'error', 'error']);
    expect(play.actions.at(-1)?.type).toBe('callModel');
  });
});

describe('rules of several layers', () => {
  const later = (...roles: string[]) => ({ escalation: { afterMs: 1_000, roles } });
  it.each([
    ['one has no escalation', { roles: ['admin'] }, { roles: ['admin', 'dev'], ...later('boss') }, null],
    [
      'both escalate',
      { roles: ['admin'], ...later('boss') },
      { roles: ['admin'], ...later('boss', 'dev') },
      later('boss').escalation,
    ],
    ['one admits anybody', { roles: ['admin'], ...later('boss') }, {}, later('boss').escalation],
  ])('escalation admits only roles that both rules admit: %s', (_name, a, b, escalation) => {
    expect(combineAllRules([rules(a), rules(b)])).toMatchObject({ roles: ['admin'], escalation });
    expect(combineAllRules([rules(b), rules(a)])).toMatchObject({ roles: ['admin'], escalation });
  });

  it('the strictest rule wins', () => {
    const a = rules({ risk: 'low', approvers: 2, expiresMs: null, onExpiry: 'approve', byRequester: false });
    const b = rules({ reason: 'It is late.', risk: 'medium', expiresMs: 5, onExpiry: 'deny' });
    expect(combineAllRules([a, b])).toEqual({
      ...{ reason: 'It moves money. It is late.', risk: 'medium', roles: [], approvers: 2, byRequester: false },
      ...{ expiresMs: 5, onExpiry: 'deny', escalation: null },
    });
  });
});
