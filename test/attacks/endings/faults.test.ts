/** L7: a fault in the chain's own code ends the chain, and the workflow and its readers reach the same ending (L1). */

import { describe, expect, it } from 'vitest';
import { toContinuation } from '../../../src/core/engine/continue-as-new.js';
import { toChainResult, toCloseResult } from '../../../src/core/engine/result.js';
import { type Turn, takeTurn } from '../../../src/core/engine/turn.js';
import type { Fact, ModelReply } from '../../../src/core/model/fact.js';
import { createSnippetMasker, toFailSafeMasker } from '../../../src/core/view/snippet-masker.js';
import type { ChainState } from '../../../src/entries/view.js';
import { type Asked, agentOf, asks, look, pay, save } from '../../support/core-builders.js';
import { ask, delegated, delegatingAgent } from '../../support/core-delegation.js';
import { type Play, prepared } from '../../support/core-play.js';
import { formatStopText } from '../../support/stop-text.js';

const history = { events: 3, bytes: 1_000, continueSuggested: false };

/** A fact that its type excludes: the code that applies it throws. */
const broken = (call: string, at = 2_000): Fact => ({ type: 'modelReplied', at, call, reply: {} as ModelReply });
const brokenResult = (call: string, at = 2_000): Fact =>
  ({ type: 'toolReturned', at, call, observation: null }) as unknown as Fact;

const take = (state: ChainState, ...facts: readonly Fact[]): Turn => takeTurn(state, history, facts);
const types = ({ actions }: Turn) => actions.map(({ type }) => type);

function running(...calls: readonly Asked[]): Play {
  const play = prepared(agentOf());
  play.replied(asks(...calls));
  return play;
}

describe('a fault while a fact is applied', () => {
  it('ends the chain as failure, with the partial result and the error', () => {
    const play = running(look());
    play.returned('1.1', 'a find');
    const turn = take(play.state, broken('model-2'));
    expect(turn.fault).toBeInstanceOf(TypeError);
    const { outcome, reasonCode, reason, partial } = toChainResult(turn.state);
    expect([outcome, reasonCode]).toEqual(['failure', 'fault']);
    expect(reason).toContain('TypeError at the fact modelReplied of model-2');
    expect(partial).toContain('a find');
  });

  it('counts and hashes the fact as readers do, with the same result twice', () => {
    const { state } = prepared(agentOf());
    const turn = take(state, broken('model-1'));
    expect(turn.state.facts).toBe(state.facts + 1);
    expect(turn.state.head).not.toBe(state.head);
    expect({ ...take(JSON.parse(JSON.stringify(state)), broken('model-1')), fault: null }).toEqual({
      ...turn,
      fault: null,
    });
  });

  it('has no message of the JavaScript engine in its reason', () => {
    const turn = take(prepared(agentOf()).state, broken('model-1'));
    expect(formatStopText(turn.state)).not.toContain((turn.fault as Error).message);
  });

  it('does not prevent the other facts of its task', () => {
    const { state } = running(look(), save());
    const good: Fact = {
      type: 'toolReturned',
      at: 2_000,
      call: '1.2',
      observation: { content: 'saved', clippedFrom: null },
    };
    const turn = take(state, brokenResult('1.1'), good);
    expect(turn.entries.flatMap((entry) => (entry.type === 'call-completed' ? [entry.result.call] : []))).toEqual([
      '1.2',
    ]);
  });

  it('interrupts running calls and sub-chains and waits no longer than the grace period', () => {
    const { state } = delegated(delegatingAgent(), [ask(), look()]);
    const turn = take(state, brokenResult('1.2'));
    expect(types(turn)).toEqual(expect.arrayContaining(['interrupt', 'startTimer']));
    expect(types(take(turn.state, { type: 'timerFired', at: 60_000, timer: 'grace' }))).toContain('end');
  });

  it('names the unsafe call that was running (L5)', () => {
    const turn = take(running(pay()).state, brokenResult('1.1'));
    const ended = take(turn.state, { type: 'timerFired', at: 60_000, timer: 'grace' });
    expect(types(ended)).toContain('end');
    expect(toChainResult(ended.state).reason).toContain('call 1.1, pay');
  });
});

describe('a second fault', () => {
  it('ends the chain at once, and names the unsafe call that was running', () => {
    const first = take(running(pay()).state, brokenResult('1.1'));
    const turn = take(first.state, brokenResult('1.1', 3_000));
    expect(types(turn)).toEqual(['end']);
    expect(toChainResult(turn.state).reason).toContain('Call 1.1 (pay) was running and may have happened');
  });

  it('keeps the outcome of a chain that was ending', () => {
    const play = running(look());
    play.take({ type: 'cancelRequested', id: 'c-1', by: 'ada', reason: null, summarize: false });
    const turn = take(play.state, brokenResult('1.1', 3_000));
    expect(types(turn)).toEqual(['end']);
    expect(toCloseResult(turn.state)).toMatchObject({
      outcome: 'cancelled',
      reason: expect.stringContaining('by ada'),
    });
  });
});

describe('a fault while the end is computed', () => {
  /** A call whose members are missing, as a fault of this code could leave it. */
  const oddCall = { id: '1.1', progress: 'waiting', request: { kind: 'outcome', rules: null } };

  it('ends the chain at once', () => {
    const { state } = running(look());
    const odd = { ...state, flight: { kind: 'calls', calls: [oddCall] } } as unknown as ChainState;
    const turn = take(odd, brokenResult('1.1'));
    expect(turn.fault).toBeInstanceOf(TypeError);
    expect(types(turn)).toEqual(['end']);
    expect(toChainResult(turn.state)).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining('TypeError'),
    });
  });

  it('ends the chain at once although its calls and findings are unreadable', () => {
    const { state } = running(look());
    const odd = { ...state, partialFindings: null, flight: { kind: 'calls', calls: null } } as unknown as ChainState;
    const turn = take(odd, brokenResult('1.1'));
    expect(types(turn)).toEqual(['end']);
    expect(toCloseResult(turn.state)).toMatchObject({ outcome: 'failure', partial: null });
  });
});

describe('a fault while the next action is decided', () => {
  it('ends the chain at once', () => {
    const { state } = prepared(agentOf());
    const odd = { ...state, flight: { kind: 'idle' }, context: null } as unknown as ChainState;
    const turn = take(odd, { type: 'timerFired', at: 2_000, timer: 'request' });
    expect(turn.fault).toBeInstanceOf(TypeError);
    expect(types(turn)).toEqual(['end']);
    expect(toChainResult(turn.state).outcome).toBe('failure');
  });
});

it('a stack overflow is thrown, because the stack of a reader may be deeper', () => {
  const state = running(look()).state;
  const overflow = {
    get content(): string {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  const fact = { type: 'toolReturned', at: 2_000, call: '1.1', observation: overflow } as unknown as Fact;
  expect(() => takeTurn(state, history, [fact], { onlyOrigins: String })).toThrow(RangeError);
});

it('a state that ended by a fault can be continued as new', () => {
  const { state } = take(prepared(agentOf()).state, broken('model-1'));
  expect(() => toContinuation(state, 'r', { paragraphs: [], hidden: [] })).not.toThrow();
});

it('a failed masker shows a placeholder, and no text after it failed to record a sensitive one', () => {
  const throwing = () => {
    throw new Error('no');
  };
  expect(toFailSafeMasker({ ...createSnippetMasker(), line: throwing }).line('a task', 10)).toBe('[cannot be shown]');
  const shown = toFailSafeMasker({ ...createSnippetMasker(), rememberResult: throwing });
  expect(shown.line('a task', 10)).toBe('a task');
  shown.rememberResult('read', 'secret');
  expect(shown.line('a task', 10)).toBe('[cannot be shown]');
});
