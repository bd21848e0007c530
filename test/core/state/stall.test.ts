/** L7: a chain that repeats itself is stopped; a chain that polls for a change is not. */

import { describe, expect, it } from 'vitest';
import { agentOf, asks, look, poll, save, toolFailure, unreadable } from '../../support/core-builders.js';
import { kinds, type Play, prepared } from '../../support/core-play.js';

type Asks = readonly ReturnType<typeof look>[];

/** Takes a step: its calls, and their results unless they are answered from earlier calls. */
function step(play: Play, calls: Asks, brings = 'the same'): readonly string[] {
  play.replied(asks(...calls));
  for (const call of play.step.calls) if (call.status === 'pending') play.returned(call.id, brings);
  return kinds(play.actions);
}

describe('the same calls', () => {
  it('for the third time end the chain before they are run', () => {
    const play = prepared();
    step(play, [save(1)], 'one');
    step(play, [save(1)], 'two');
    play.replied(asks(save(1)));
    expect(play.ran).toEqual(['1.1', '2.1']);
    expect(play.statuses).toEqual(['not_run']);
    expect(play.result).toMatchObject({ outcome: 'stalled', answer: null, partial: null, steps: 3 });
    expect(play.state.stop?.reason).toEqual({ code: 'repeated_calls', times: 3, calls: 'save(1)' });
  });

  it('count though they were answered from an earlier one', () => {
    const play = prepared();
    step(play, [look(1)]);
    step(play, [look(1)]);
    expect(play.statuses).toEqual(['reused']);
    step(play, [look(1)]);
    expect(play.result.outcome).toBe('stalled');
  });

  it('count though they are rejected or fail', () => {
    const play = prepared();
    for (let at = 1; at <= 3; at++) play.replied(asks({ tool: 'guess', rejected: 'There is no such tool.' }));
    expect(play.result.outcome).toBe('stalled');
    const other = prepared();
    for (let at = 1; at < 3; at++) {
      other.replied(asks(look()));
      other.broke(`${at}.1`, toolFailure('ToolError', `attempt ${at}`));
    }
    other.replied(asks(look()));
    expect(other.result.outcome).toBe('stalled');
  });

  it('are the same in another order and with their keys in another order', () => {
    const play = prepared();
    step(play, [save({ a: 1, b: 2 }), save(2)], 'one');
    step(play, [save(2), save({ b: 2, a: 1 })], 'two');
    play.replied(asks(save({ a: 1, b: 2 }), save(2)));
    expect(play.result.outcome).toBe('stalled');
  });

  it('are not the same with other arguments in between', () => {
    const play = prepared();
    for (const [at, input] of [1, 1, 2, 1, 1].entries()) step(play, [save(input)], `news ${at}`);
    expect(play.modelCall.call).toBe('model-6');
  });

  it('are still counted after an unreadable reply', () => {
    const play = prepared();
    step(play, [save(1)], 'one');
    step(play, [save(1)], 'two');
    play.replied(unreadable());
    play.replied(asks(save(1)));
    expect(play.result.outcome).toBe('stalled');
  });

  it('may be repeated up to the threshold', () => {
    const play = prepared(agentOf({ limits: { stallThreshold: 5 } }));
    for (let at = 1; at < 5; at++) step(play, [save(1)], `news ${at}`);
    play.replied(asks(save(1)));
    expect(play.result.outcome).toBe('stalled');
    expect(play.state.stop?.reason).toMatchObject({ code: 'repeated_calls', times: 5 });
  });
});

describe('no progress', () => {
  it('ends a chain that repeats a longer sequence', () => {
    const play = prepared(agentOf({ limits: { steps: 100 } }));
    const circle = [look('a'), look('b'), look('c')];
    let taken = 0;
    while (play.state.stop === null && taken < 20) {
      step(play, [circle[taken % 3]!]);
      taken += 1;
    }
    expect(play.result).toMatchObject({ outcome: 'stalled', reasonCode: 'no_progress' });
    expect(taken).toBeLessThanOrEqual(6);
  });

  it('does not count a step that brings one new outcome among others', () => {
    const play = prepared(agentOf({ limits: { steps: 100 } }));
    for (let at = 1; at <= 12; at++) step(play, [look('a'), look(`b${at}`)]);
    expect(play.state.stop).toBeNull();
  });
});

describe('a volatile tool', () => {
  it('may be called repeatedly, with any result', () => {
    const play = prepared(agentOf({ limits: { steps: 30 } }));
    for (let at = 1; at <= 12; at++) step(play, [poll('job 7')], 'not ready yet');
    expect(play.state.stop).toBeNull();
    expect(play.ran).toHaveLength(12);
  });

  it('does not exempt other calls in the same reply', () => {
    const play = prepared();
    for (let at = 1; at < 3; at++) step(play, [poll(), save(1)], `news ${at}`);
    play.replied(asks(poll(), save(1)));
    expect(play.result.outcome).toBe('stalled');
  });

  it('L7: is bounded by the step limit', () => {
    const play = prepared();
    for (let at = 1; at <= 10; at++) step(play, [poll()], 'not ready yet');
    expect(play.state.stop?.outcome).toBe('max_iterations');
  });
});
