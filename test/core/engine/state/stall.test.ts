/** L7: a chain that repeats itself is stopped; a chain that polls for a change is not. */

import { describe, expect, it } from 'vitest';
import { agentOf, asks, look, save, tool, toolFailure, unreadable } from '../../../support/core-builders.js';
import { decides, rules } from '../../../support/core-people.js';
import { kinds, type Play, prepared } from '../../../support/core-play.js';

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

/** Tools of a chain that waits for a build. `wait` waits by a durable timer, `sleep` in its own code. */
const pollingTools = [
  tool('check_build'),
  tool('check_queue'),
  tool('sleep'),
  tool('wait', { waits: true }),
  tool('test', { effects: 'idempotent' }),
];

const pollingLimits = { steps: 100, timeMs: 10 * 24 * 3_600_000, waitMs: 10 * 24 * 3_600_000 };

/** A step: the tools that it calls, and the seconds until all have ended. */
type Polled = readonly [seconds: number, ...tools: string[]];

const minute = 60;
const check: Polled = [0.1, 'check_build'];
const wait: Polled = [10 * minute, 'wait'];

/** Repeats steps whose calls always return "running"; returns the reason why the chain stalled, or null. */
function pollRepeatedly(steps: readonly Polled[], modelSeconds = 1): string | null {
  const play = prepared(agentOf({ tools: pollingTools, limits: pollingLimits }));
  for (let at = 0; at < 5 * steps.length && play.state.stop === null; at++) {
    const [seconds, ...names] = steps[at % steps.length]!;
    play.after(modelSeconds * 1_000).replied(asks(...names.map((name) => ({ tool: name, input: { id: 7, seconds } }))));
    if (play.state.stop !== null) break;
    play.after(seconds * 1_000);
    for (const { id, tool: name } of play.step.calls) if (name !== 'wait') play.returned(id, 'running');
    if (names.includes('wait')) play.fired('wait');
  }
  const reason = play.state.stop?.reason;
  return play.state.stop?.outcome === 'stalled' ? (reason?.code ?? null) : null;
}

describe('a poll that returns "running" five times does not stall', () => {
  it.each<[string, readonly Polled[]]>([
    ['with a wait by a timer between', [check, wait]],
    ['with a short wait by a timer between', [check, [1, 'wait']]],
    ['with a wait between that a tool makes by itself', [check, [10, 'sleep']]],
    ['of three services between two waits', [check, [0.1, 'check_queue'], [0.1, 'check_build', 'check_queue'], wait]],
    ['that waits in the same step', [[10 * minute, 'check_build', 'wait']]],
    ['that only waits, for an event that has not arrived', [wait]],
    ['that itself takes long', [[30, 'check_build']]],
  ])('%s', (_, steps) => {
    expect(pollRepeatedly(steps)).toBeNull();
  });
});

it('a question that a person answers five times does not stall', () => {
  const play = prepared(agentOf({ tools: [tool('ask_user', { question: rules() })] }));
  for (let at = 1; at <= 5; at++) {
    play.replied(asks({ tool: 'ask_user' }));
    play.take(decides(`${at}.1`, { kind: 'answer', answer: 'Not yet.' }));
  }
  expect(play.state).toMatchObject({ stop: null, steps: 5 });
});

describe('a poll that returns "running" stalls', () => {
  it.each<[string, readonly Polled[], string, number?]>([
    ['without a wait', [check], 'repeated_calls'],
    ['among others without a wait', [check, [0.1, 'check_queue']], 'no_progress'],
    ['with a wait between that is too short', [check, [2, 'sleep']], 'no_progress'],
    ['though the model takes its time between the calls', [check], 'repeated_calls', 10 * minute],
    ['if the same command with an effect takes long each time', [[5 * minute, 'test']], 'repeated_calls'],
    ['if a command with an effect takes long between equal reads', [check, [5 * minute, 'test']], 'no_progress'],
  ])('%s', (_, steps, code, modelSeconds) => {
    expect(pollRepeatedly(steps, modelSeconds)).toBe(code);
  });

  it('though calls that wait fail', () => {
    const play = prepared(agentOf({ tools: pollingTools, limits: { ...pollingLimits, waitMs: 30_000 } }));
    for (let at = 1; at < 3; at++) {
      play.replied(asks({ tool: 'wait', input: { seconds: 60 } }));
      expect(play.statuses).toEqual(['error']);
    }
    play.replied(asks({ tool: 'wait', input: { seconds: 60 } }));
    expect(play.state.stop?.reason).toMatchObject({ code: 'repeated_calls' });
  });
});

it('L7: polling with waits is bounded by the step limit', () => {
  const play = prepared(agentOf({ tools: pollingTools, limits: { waitMs: 3_600_000 } }));
  for (let at = 1; at <= 10; at++) {
    play.replied(asks({ tool: 'wait', input: { seconds: 60 } }));
    play.after(60_000).fired('wait');
  }
  expect(play.state.stop?.outcome).toBe('max_iterations');
});
