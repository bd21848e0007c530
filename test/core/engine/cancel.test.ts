/** A person's or Temporal's cancel: operations under way are cancelled, their results kept, and the chain ends soon. */

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  pay,
  save,
  someInput,
  stopped,
  toolFailure,
} from '../../support/core-builders.js';
import { kinds, Play, prepared, started } from '../../support/core-play.js';

const spoken = modelFailure('cancelled', {
  settle: 'usage',
  usage: { input: 700, output: 30, cacheRead: 0, cacheWrite: 0, thinking: 0 },
});

const byAda = { code: 'cancelled', by: 'ada', why: null };

describe('a cancel', () => {
  it('by a person, then by Temporal: ends when both have arrived, with the person and the reason', () => {
    const play = prepared();
    expect(kinds(play.cancelledBy('ada', 'wrong account.'))).toEqual(['interrupt', 'timer grace']);
    expect(kinds(play.cancelledByTemporal())).toEqual([]);
    play.failed(spoken);
    expect(play.result).toMatchObject({
      outcome: 'cancelled',
      reasonCode: 'cancelled',
      answer: null,
    });
    expect(play.state.stop?.reason).toMatchObject({ by: 'ada', why: 'wrong account.' });
    expect(play.state.temporalCancelled).toBe(true);
  });

  it('by Temporal alone: ends as soon as the operations under way have ended', () => {
    const play = prepared();
    play.cancelledByTemporal();
    play.failed(spoken);
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.stop?.reason).toEqual({ code: 'cancelled', by: null, why: null });
  });

  it('by a person alone: waits the grace for Temporal, then ends without it', () => {
    const play = prepared();
    play.cancelledBy('ada');
    expect(kinds(play.failed(spoken))).toEqual([]);
    play.after(defaults.graceMs).fired('grace');
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.stop?.reason).toEqual(byAda);
    expect(play.state.temporalCancelled).toBe(false);
  });

  it('by both in one workflow task: keeps the person', () => {
    const play = prepared();
    play.take(
      { type: 'cancelRequested', id: 'request-1', by: 'ada', reason: null, summarize: false },
      { type: 'cancelRequested', id: null, by: null, reason: null, summarize: false },
    );
    play.failed(spoken);
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.stop?.reason).toEqual(byAda);
  });

  it('sent again with the same id: is applied once', () => {
    const play = prepared();
    play.cancelledBy('ada');
    const { entries } = play;
    const before = entries.length;
    expect(play.cancelledBy('ada')).toEqual([]);
    play.cancelledByTemporal();
    play.cancelledBy('ada');
    expect(entries.length).toBe(before);
    play.failed(spoken);
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.stop?.reason).toEqual(byAda);
  });
});

describe('a cancel interrupts', () => {
  it('nothing, if it arrives with the start: no operation starts', () => {
    const play = new Play();
    play.take(
      { type: 'started', chainId: 'chain-1', input: someInput },
      { type: 'cancelRequested', id: null, by: null, reason: null, summarize: false },
    );
    expect(play.result).toMatchObject({ outcome: 'cancelled', steps: 0, costUsd: null });
  });

  it('the preparation, which is cancelled', () => {
    const play = started();
    expect(kinds(play.actions)).toEqual(['prepare']);
    expect(kinds(play.cancelledByTemporal())).toEqual(['interrupt', 'timer grace']);
    play.take({ type: 'prepareFailed', failure: stopped });
    expect(play.result).toMatchObject({ outcome: 'cancelled', steps: 0, partial: null });
  });

  it('a preparation that succeeds all the same: the model is not called', () => {
    const play = started();
    play.cancelledByTemporal();
    play.take({ type: 'prepared', agent: agentOf() });
    expect(play.result.outcome).toBe('cancelled');
    expect(play.modelCalls).toEqual([]);
  });

  it('a model call; L6: the usage so far is settled', () => {
    const play = prepared();
    play.cancelledByTemporal();
    play.failed(spoken);
    expect(play.state.charged.tokens).toBe(730);
    expect(play.result.usage).toMatchObject({ input: 700, output: 30 });
  });

  it('a model call that does not end; L6: it is abandoned and charged in full', () => {
    const play = prepared();
    const { inputTokens, outputTokens } = play.modelCall.reservation;
    play.cancelledByTemporal();
    play.after(defaults.graceMs).fired('grace');
    expect(play.result.outcome).toBe('cancelled');
    expect(play.state.charged.tokens).toBe(inputTokens + outputTokens);
  });

  it('a model call that replies before it is cancelled: its tool calls are not run', () => {
    const play = prepared();
    play.cancelledByTemporal();
    play.replied(asks(look(), pay()));
    expect(play.statuses).toEqual(['not_run', 'not_run']);
    expect(play.ran).toEqual([]);
    expect(play.result.outcome).toBe('cancelled');
  });

  it('tools: results are kept, cancelled calls are marked, and the findings are the partial answer', () => {
    const play = prepared();
    play.replied(asks(look(1), save(2)));
    play.returned('1.1', 'two bills are due');
    play.cancelledByTemporal();
    play.broke('1.2', stopped);
    expect(play.statuses).toEqual(['ok', 'cancelled']);
    expect(play.result.partial).toContain('two bills are due');
  });

  it('an unsafe tool; L5: its outcome is unknown, and the reason names it', () => {
    const play = prepared();
    play.replied(asks(pay({ to: 'Bob' })));
    play.cancelledBy('ada');
    play.broke('1.1', stopped);
    play.cancelledByTemporal();
    expect(play.statuses).toEqual(['unknown']);
    expect(play.result).toMatchObject({
      reasonCode: 'cancelled',
      reason: expect.stringContaining('pay({"to":"Bob"})'),
    });
    expect(play.state.stop?.additional).toMatchObject([{ code: 'unknown_outcome', call: '1.1' }]);
  });

  it('an unsafe tool that certainly did not run; L5: this is an ordinary error', () => {
    const play = prepared();
    play.replied(asks(pay()));
    play.cancelledByTemporal();
    play.broke('1.1', toolFailure('NotDone', 'Declined.'));
    expect(play.statuses).toEqual(['error']);
    expect(play.result.reasonCode).toBe('cancelled');
    expect(play.state.stop?.additional).toEqual([]);
  });

  it('tools that do not end: they are abandoned after the grace; L5: an unsafe one as unknown', () => {
    const play = prepared();
    play.replied(asks(look(), pay(7)));
    play.cancelledByTemporal();
    play.after(defaults.graceMs).fired('grace');
    expect(play.statuses).toEqual(['abandoned', 'unknown']);
    expect(play.result.reason).toContain('pay(7)');
    expect(play.state.stop?.additional).toMatchObject([{ code: 'unknown_outcome', call: '1.2' }]);
  });

  it('a wait before a retry: no operation is left to cancel', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.cancelledByTemporal();
    expect(play.result.outcome).toBe('cancelled');
    expect(play.modelCalls).toHaveLength(1);
  });

  it('a wait before a retry, by a person alone: the wait for Temporal ends after the grace', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    expect(kinds(play.cancelledBy('ada'))).toEqual(['timer grace']);
    expect(play.fired('retry')).toEqual([]);
    play.fired('grace');
    expect(play.result.outcome).toBe('cancelled');
  });
});

describe('a cancel while a chain is already ending', () => {
  const atItsLimit = () => {
    const play = prepared(agentOf({ limits: { steps: 1 } }));
    play.replied(asks(look()));
    play.returned('1.1', 'half of it');
    expect(play.modelCall.purpose).toBe('closing');
    return play;
  };

  it('cancels the summary; the first reason stays, with the findings', () => {
    const play = atItsLimit();
    expect(kinds(play.cancelledByTemporal())).toEqual(['interrupt', 'timer grace']);
    play.failed(spoken);
    expect(play.result).toMatchObject({ outcome: 'max_iterations', reasonCode: 'max_steps' });
    expect(play.result.partial).toContain('half of it');
  });

  it('keeps a cancelled summary that completes all the same', () => {
    const play = atItsLimit();
    play.cancelledByTemporal();
    play.replied(answers('Half is paid.'));
    expect(play.result.partial).toBe('Half is paid.');
  });

  it('does not start a summary that has not started', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.fired('deadline');
    play.cancelledByTemporal();
    play.broke('1.1', stopped);
    expect(play.result.outcome).toBe('timeout');
    expect(play.modelCalls).toHaveLength(1);
  });

  it('L7: still ends the chain by a person alone, after an earlier grace has passed', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.fired('deadline');
    play.broke('1.1', stopped);
    expect(play.modelCall.purpose).toBe('closing');
    play.after(defaults.graceMs).fired('grace');
    expect(kinds(play.after(5_000).cancelledBy('ada'))).toEqual(['interrupt', 'timer grace']);
    expect(play.failed(spoken)).toEqual([]);
    play.after(defaults.graceMs).fired('grace');
    expect(play.result.outcome).toBe('timeout');
  });
});

describe('late results', () => {
  it('are ignored, though they are recorded as facts', () => {
    const play = prepared();
    play.replied(asks(look(), look(2)));
    play.fired('deadline');
    play.after(defaults.graceMs).fired('grace');
    const { facts, head } = play.state;
    const { chain } = play;
    expect(play.returned('1.1', 'too late')).toEqual([]);
    expect(play.chain.steps).toEqual(chain.steps);
    expect(play.state).toEqual({ ...chain.state, facts: facts + 1, head: play.state.head });
    expect(play.state.head).not.toBe(head);
  });

  it('of an abandoned model call are not taken for the next call', () => {
    const play = prepared();
    const first = play.modelCall.call;
    play.fired('deadline');
    play.after(defaults.graceMs).fired('grace');
    expect(play.modelCall.purpose).toBe('closing');
    play.take({ type: 'modelReplied', call: first, reply: answers('late') });
    expect(play.state.stop).toMatchObject({ outcome: 'timeout', partial: null });
    play.replied(answers('in time'));
    expect(play.result.partial).toBe('in time');
  });
});
