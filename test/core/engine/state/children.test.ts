/** Delegating calls, turn by turn: sub-chains start, end, are read or abandoned; each call gets an observation (L4). */

import { describe, expect, it } from 'vitest';
import { toCloseResult } from '../../../../src/core/engine/result.js';
import type { Delegation } from '../../../../src/core/model/delegation.js';
import { answers, pay, save, someInput, toolFailure } from '../../../support/core-builders.js';
import {
  ask,
  askAll,
  begunBy,
  childrenIn,
  delegated,
  delegatingAgent,
  lineage,
  report,
  reported,
} from '../../../support/core-delegation.js';
import type { NewFact } from '../../../support/core-play.js';
import { kinds } from '../../../support/core-play.js';

const createMap = (atOnce = 5): Partial<Delegation> => ({ spread: { kind: 'map', atOnce, most: 100 } });
const silent = (chainId: string, how: 'cancelled' | 'terminated' | 'timeout' | 'failed'): NewFact => ({
  ...{ type: 'childEnded', chainId, end: { type: 'silent', status: how, message: `it was ${how}.` } },
});

describe('a call that delegates', () => {
  it('starts a sub-chain with its task, its lineage and the requester', () => {
    const input = { ...someInput, tenant: 'acme', user: 'ann', roles: ['dev'], lineage: lineage() };
    const limits = { steps: 2, tokens: 9_000 };
    const [start] = begunBy(delegated(delegatingAgent({ task: 'Look at {task}', limits }), [ask('x')], input).actions);
    expect(start).toMatchObject({
      chainId: 'chain-1/1.1',
      input: {
        ...{ agent: 'aide', task: 'Look at x', tenant: 'acme', user: 'ann', roles: ['dev'], limits: { steps: 2 } },
        lineage: {
          path: [
            { chainId: 'root', agent: 'boss' },
            { chainId: 'chain-1', agent: 'clerk' },
          ],
          call: '1.1',
          maxDepth: 5,
          share: { tokens: 9_000 },
        },
      },
    });
  });

  it('keeps the order of the calls, in any order of their ends', () => {
    const play = delegated(delegatingAgent(), [ask('one'), save(), ask('two')]);
    expect(kinds(play.actions)).toEqual(['runCalls', 'startChildren']);
    reported(play, 'chain-1/1.3', { answer: 'second' });
    play.returned('1.2', 'saved');
    reported(play, 'chain-1/1.1', { answer: 'first' });
    expect(kinds(play.actions)).toContain('callModel');
    expect(play.step.calls.map(({ observation }) => observation)).toEqual(['first', 'saved', 'second']);
  });

  it('limits how many run at once', () => {
    const play = delegated(delegatingAgent(createMap(2)), [askAll('a', 'b', 'c')]);
    expect(begunBy(play.actions).map(({ chainId }) => chainId)).toEqual(['chain-1/1.1.1', 'chain-1/1.1.2']);
    reported(play, 'chain-1/1.1.2');
    expect(begunBy(play.actions).map(({ chainId }) => chainId)).toEqual(['chain-1/1.1.3']);
    reported(play, 'chain-1/1.1.2');
    expect(play.actions).toEqual([]);
  });

  it('continues after any end of a sub-chain', () => {
    const play = delegated(delegatingAgent(), [ask('one'), ask('two')]);
    reported(play, 'chain-1/1.1', { outcome: 'refused', answer: null, reason: 'I will not.', partial: 'A part.' });
    play.take({
      ...{ type: 'childEnded', chainId: 'chain-1/1.2' },
      end: { type: 'not_started', message: 'the server rejected it.' },
    });
    expect(play.state.stop).toBeNull();
    const [one, two] = play.step.calls;
    expect(one).toMatchObject({ status: 'error' });
    expect(one?.observation).toBe('aide did not finish (refused): I will not.\n\nPartial result:\nA part.');
    expect(two?.observation).toBe('The chain could not be started: the server rejected it.');
  });

  it('reads the history of a sub-chain that closed without a report', () => {
    const play = delegated(delegatingAgent());
    play.take(silent('chain-1/1.1', 'terminated'));
    expect(play.actions).toEqual([
      { type: 'readChildren', children: [{ chainId: 'chain-1/1.1', includesTranscript: false, maxTokens: 2_000 }] },
    ]);
    const read = report({ outcome: 'terminated', answer: null, partial: 'A trace.', reason: 'It was terminated.' });
    play.take({ type: 'childReportRead', chainId: 'chain-1/1.1', report: read });
    expect(play.step.calls[0]?.observation).toContain('A trace.');
  });

  it('reports a history that cannot be read; a report in the close is kept all the same', () => {
    const lost = delegated(delegatingAgent());
    lost.take(silent('chain-1/1.1', 'cancelled'));
    lost.take({ type: 'childReportRead', chainId: 'chain-1/1.1', report: null });
    expect(lost.step.calls[0]?.observation).toBe(
      'aide did not finish: it was cancelled. Its partial result could not be read.',
    );
    const whole = delegated(delegatingAgent({ sees: 'chain' }));
    reported(whole, 'chain-1/1.1', { answer: 'Found it.' });
    expect(kinds(whole.actions)).toEqual(['readChildren']);
    whole.take({ type: 'childReportRead', chainId: 'chain-1/1.1', report: null });
    expect(whole.step.calls[0]).toMatchObject({ status: 'ok', observation: expect.stringContaining('Found it.') });
    expect(whole.state.subChainTotals.tokens).toBe(1_000);
  });

  it('retries a sub-chain that ended as failure, and no other', () => {
    for (const [outcome, again] of [
      ['failure', true],
      ['timeout', false],
      ['token_budget', false],
    ] as const) {
      const play = delegated(delegatingAgent({ attempts: 2 }));
      reported(play, 'chain-1/1.1', { outcome, answer: null });
      expect(begunBy(play.actions).map(({ chainId }) => chainId)).toEqual(again ? ['chain-1/1.1~2'] : []);
      if (again) reported(play, 'chain-1/1.1~2', { outcome, answer: null });
      expect(play.step.calls[0]?.status).toBe('error');
    }
  });

  it('L5: does not retry a sub-chain that started an unsafe call, or may have', () => {
    const play = delegated(delegatingAgent({ attempts: 2 }));
    reported(play, 'chain-1/1.1', { outcome: 'failure', answer: null, hasUnsafeCalls: true });
    expect(begunBy(play.actions)).toEqual([]);
    expect(play.step.calls[0]?.observation).toContain('It was not retried');
    expect(play.state.hasUnsafeCalls).toBe(true);
    const unread = delegated(delegatingAgent({ attempts: 2 }));
    unread.take(silent('chain-1/1.1', 'timeout'));
    unread.take({ type: 'childReportRead', chainId: 'chain-1/1.1', report: null });
    expect(begunBy(unread.actions)).toEqual([]);
    expect(unread.step.calls[0]?.status).toBe('error');
  });

  it('L5: reports that it started an unsafe call', () => {
    const input = { ...someInput, lineage: lineage() };
    const play = delegated(delegatingAgent(), [save()], input);
    expect(toCloseResult(play.state).hasUnsafeCalls).toBe(false);
    expect(toCloseResult(delegated(delegatingAgent(), [pay()], input).state).hasUnsafeCalls).toBe(true);
  });

  it('shows a part of each of a hundred results, also with long tasks', () => {
    const tasks = Array.from(
      { length: 100 },
      (_, at) => `Task ${at}: ${'look at it and describe its content; '.repeat(9)}`,
    );
    const play = delegated(delegatingAgent(createMap(100)), [askAll(...tasks)]);
    for (const at of tasks.keys())
      reported(play, `chain-1/1.1.${at + 1}`, { answer: `${at} is ${'fine, '.repeat(40)}` });
    const shown = Array.from(tasks, (_, at) => ({
      task: expect.stringMatching(`^Task ${at}:`),
      answer: expect.stringMatching(`^${at} is`),
    }));
    expect(play.step.calls[0]?.observation).toEqual({ summary: '100 of 100 done.', results: shown });
  });

  it('reads no more of each sub-chain than its close would have carried', () => {
    const play = delegated(delegatingAgent(createMap()), [askAll('a', 'b', 'c', 'd')]);
    play.take(silent('chain-1/1.1.1', 'terminated'));
    expect(play.actions).toEqual([
      { type: 'readChildren', children: [{ chainId: 'chain-1/1.1.1', includesTranscript: false, maxTokens: 500 }] },
    ]);
  });

  it('L5: opens a request about a sub-chain of an earlier run, once all others have ended', () => {
    const play = delegated(delegatingAgent(createMap()), [askAll('a', 'b')]);
    play.take({ type: 'childEnded', chainId: 'chain-1/1.1.1', end: { type: 'exists' } });
    expect(play.actions).toEqual([]);
    reported(play, 'chain-1/1.1.2', { answer: 'b is done' });
    const reason = expect.stringContaining(
      'before a reset in Temporal, or under the same id) already started chain chain-1/1.1.1',
    );
    expect(play.state.flight).toMatchObject({
      calls: [{ progress: 'waiting', request: { kind: 'outcome', rules: { reason } } }],
    });
    const by = { id: 'd1', chainId: null, by: 'ann', roles: [], reason: null };
    const command = { kind: 'decide', call: '1.1', digest: null, decision: { kind: 'not_happened' } } as const;
    play.take({ type: 'commandReceived', ...by, command });
    expect(begunBy(play.actions).map(({ chainId }) => chainId)).toEqual(['chain-1/1.1.1~2']);
    reported(play, 'chain-1/1.1.1~2', { answer: 'a is done' });
    expect(play.step.calls[0]?.observation).toMatchObject({ summary: '2 of 2 done.' });
  });
});

describe('a chain that stops while sub-chains run', () => {
  it('starts no more, cancels those that run, and waits for their results', () => {
    const play = delegated(delegatingAgent(createMap(1)), [askAll('a', 'b')]);
    play.cancelledBy('ann');
    expect(kinds(play.actions)).toEqual(['interrupt', 'timer grace']);
    expect(childrenIn(play).map(({ progress }) => progress)).toEqual(['running', 'failed']);
    play.take(silent('chain-1/1.1.1', 'cancelled'));
    expect(kinds(play.actions)).toEqual(['readChildren']);
    play.take({
      type: 'childReportRead',
      chainId: 'chain-1/1.1.1',
      report: report({ outcome: 'cancelled', answer: null }),
    });
    play.cancelledByTemporal();
    expect(play.result).toMatchObject({ outcome: 'cancelled', subtree: { chains: 1 } });
  });

  it('charges the full share of an abandoned sub-chain', () => {
    const play = delegated(delegatingAgent());
    const [{ input } = { input: null }] = begunBy(play.actions);
    play.cancelledBy('ann');
    play.fired('grace');
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.subChainTotals.tokens).toBe(input?.lineage?.share.tokens);
    expect(play.step.calls[0]?.status).toBe('abandoned');
  });

  it('waits no longer than its time limit, also where its clock was stopped until then', () => {
    const play = delegated(delegatingAgent(), [ask(), pay()]);
    play.broke('1.2', toolFailure('timeout'));
    play.after(1_000).fired('deadline');
    expect(play.actions).toEqual([]);
    const by = { id: 'd1', chainId: null, by: 'ann', roles: [], reason: null };
    const command = { kind: 'decide', call: '1.2', digest: null, decision: { kind: 'give_up' } } as const;
    play.take({ type: 'commandReceived', ...by, command });
    expect(play.state.stop?.outcome).toBe('failure');
    expect(kinds(play.actions)).toEqual(['timer deadline']);
    play.fired('deadline');
    expect(kinds(play.actions)).toContain('interrupt');
    play.fired('grace');
    expect(play.result.outcome).toBe('failure');
  });

  it('does not use a late answer as its own', () => {
    const play = delegated(delegatingAgent());
    reported(play, 'chain-1/1.1');
    play.replied(answers('Done.'));
    const before = play.state;
    reported(play, 'chain-1/1.1', { answer: 'again' });
    expect(play.state.subChainTotals).toEqual(before.subChainTotals);
  });
});
