/** L5: calls of activities and workflows of the user are checked by Longhand before they start, where it is needed. */

import { describe, expect, it } from 'vitest';
import { toChildCloseFromError, toChildFact } from '../../../src/contract/child-end.js';
import { toActivityFact } from '../../../src/contract/facts.js';
import { listCalls } from '../../../src/core/engine/state/flight.js';
import { findForeignCall, needsCheck } from '../../../src/core/engine/state/foreign-call.js';
import { toCallId } from '../../../src/core/model/activity.js';
import type { ToolSnapshot } from '../../../src/core/model/agent.js';
import { toRunArguments } from '../../../src/core/model/tool-run.js';
import { agentOf, answers, asks, look, pay, tool, toolFailure } from '../../support/core-builders.js';
import { decides } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const runs: ToolSnapshot['runs'] = {
  ...{ kind: 'activity', activity: 'charge', args: 'object', context: false, heartbeatMs: null },
};
const queue = { name: 'bank', queueTimeoutMs: 60_000 };
const agent = agentOf({ maxObservationTokens: 10, tools: [tool('pay', { effects: 'unsafe', runs, queue })] });

const firstCall = (play: Play) => listCalls(play.state)[0];

function begunPlay(): Play {
  const play = prepared(agent);
  play.replied(asks(pay()));
  return play;
}

describe('an unsafe call of an activity of the user', () => {
  it('is checked, then run, and its result is clipped to what the model sees', () => {
    const play = begunPlay();
    const [checking] = play.actions.flatMap((action) => (action.type === 'runCalls' ? action.calls : []));
    expect(checking && [findForeignCall(play.state, checking)?.run, needsCheck(checking)]).toEqual([runs, true]);
    play.take({ type: 'callChecked', call: '1.1' });
    const [running] = play.actions.flatMap((action) => (action.type === 'runCalls' ? action.calls : []));
    expect(running && needsCheck(running)).toBe(false);
    play.returned('1.1', 'x'.repeat(1_000));
    const [call] = play.step.calls;
    expect([call?.status, call?.clippedFrom]).toEqual(['ok', 1_000]);
    expect(String(call?.observation).length).toBeLessThan(200);
  });

  it('is checked again when a person has it run again, with another id for its workflow', () => {
    const play = begunPlay();
    play.take({ type: 'callChecked', call: '1.1' });
    play.broke('1.1', toolFailure('lost'));
    play.take(decides('1.1', { kind: 'not_happened' }));
    const call = firstCall(play);
    expect([call?.retries, call?.checked, call && needsCheck(call)]).toEqual([1, undefined, true]);
  });

  it('did not run if no worker of its queue took it', () => {
    const play = begunPlay();
    play.take({ type: 'callChecked', call: '1.1' });
    play.broke('1.1', toolFailure('timeout', 'schedule to start timeout', { timeoutType: 'SCHEDULE_TO_START' }));
    expect(play.step.calls[0]).toMatchObject({
      status: 'error',
      observation: 'No worker of the task queue bank took the call within 1 min; it did not run.',
    });
  });

  it.each([
    [toolFailure('cancelled', 'It was cancelled.'), 'It did not run: it was cancelled.'],
    [toolFailure('timeout', 'heartbeat timeout', { timeoutType: 'HEARTBEAT' }), /its check failed: heartbeat timeout/],
    [toolFailure('TypeError', 'odd', { details: { fatal: true } }), 'It did not run: its check failed: odd'],
    [toolFailure('NotDone', 'It is denied.'), 'It is denied.'],
  ])('did not run if its check failed: %j', (failure, observation) => {
    const play = begunPlay();
    play.take(toActivityFact('check-1.1', 5, { ok: false, failure }));
    const expected = expect.stringMatching(observation);
    expect(play.step.calls[0]).toMatchObject({ status: 'error', observation: expected });
    expect(play.state.stop).toBe(null);
  });

  it.each(['InDoubt', 'DoneBeforeReset'])('may have run if its check ended as %s', (type) => {
    const play = begunPlay();
    play.take(toActivityFact('check-1.1', 5, { ok: false, failure: toolFailure(type) }));
    expect(firstCall(play)?.progress).toBe('waiting');
  });

  it('does not run after the check if the chain ends meanwhile', () => {
    const play = begunPlay();
    play.cancelledBy('ana');
    play.take({ type: 'callChecked', call: '1.1' });
    expect(play.statuses).toEqual(['not_run']);
  });

  it('ends the wait for a check that is late: the fact is ignored', () => {
    const play = begunPlay();
    play.returned('1.1', 'paid');
    play.replied(answers('Done.'));
    play.take({ type: 'callChecked', call: '1.1' });
    expect(play.result).toMatchObject({ outcome: 'success' });
  });
});

it('a call with several attempts may have run although no worker took the last one', () => {
  const play = prepared(
    agentOf({ tools: [tool('look', { effects: 'read', attempts: 3, runs: { ...runs, activity: 'look' }, queue })] }),
  );
  play.replied(asks(look()));
  play.broke('1.1', toolFailure('timeout', 'schedule to start timeout', { timeoutType: 'SCHEDULE_TO_START' }));
  expect(play.step.calls[0]).toMatchObject({
    status: 'error',
    observation: 'No worker of the task queue bank took the last attempt at the call within 1 min.',
  });
});

describe('facts of activities and workflows of the user', () => {
  it('are those of their calls', () => {
    const failure = toolFailure('longhand.UnknownAgent');
    expect(toActivityFact('check-3.1', 5, { ok: true, value: 1 })).toEqual({ type: 'callChecked', at: 5, call: '3.1' });
    expect(toActivityFact('check-3.1', 5, { ok: false, failure })).toMatchObject({ type: 'requeued', activity: '3.1' });
    expect(toActivityFact('call-3.1', 5, { ok: false, failure })).toMatchObject({ type: 'toolFailed', call: '3.1' });
    expect(toActivityFact('call-3.1', 5, { ok: true, value: undefined })).toMatchObject({
      observation: { content: 'done' },
    });
    expect(toChildFact('c/call-3.1~2', 5, { kind: 'returned', value: 7 })).toMatchObject({
      ...{ type: 'toolReturned', call: '3.1', observation: { content: 7 } },
    });
    expect(toChildFact('c/call-3.1', 5, toChildCloseFromError(new Error('odd')))).toMatchObject({
      ...{ type: 'toolFailed', call: '3.1', failure: { type: 'lost', message: 'odd' } },
    });
    expect(['3.1', 'call-3.1', 'c/call-3.1', 'c/call-3.1~2', 'c/3.1'].map(toCallId)).toEqual([
      ...['3.1', '3.1', '3.1', '3.1', 'c/3.1'],
    ]);
  });

  it('hold no more of a result than a fact may', () => {
    const fact = toActivityFact('call-3.1', 5, { ok: true, value: 'x'.repeat(1_000_000) });
    expect(fact).toMatchObject({ observation: { clippedFrom: 1_000_000 } });
    expect(JSON.stringify(fact).length).toBeLessThan(110_000);
  });
});

describe('arguments', () => {
  it('are one object or a list by position, with the context last', () => {
    const context = { idempotencyKey: 'k', chainId: 'c', call: '1.1', step: 1, tenant: null, user: null, roles: [] };
    const input = { a: 1, b: 2 };
    expect(toRunArguments({ args: 'object', context: false }, input, context)).toEqual([input]);
    expect(toRunArguments({ args: ['b', 'c'], context: true }, input, context)).toEqual([2, null, context]);
  });
});
