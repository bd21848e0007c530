/** Failed tasks, their fallbacks, and reflection. */

import { describe, expect, it } from 'vitest';
import { toolFailure } from '../../../support/core-builders.js';
import {
  completes,
  fails,
  lastGuide,
  makes,
  planAgent,
  replyWithCalls,
  replyWithText,
  revises,
  starts,
  statusesOf,
  withQuestion,
} from '../../../support/core-plans.js';
import { kinds, type Play, prepared } from '../../../support/core-play.js';

const notices = (play: Play) =>
  play.chain.notices.filter(({ code }) => code === 'plan_changed').map(({ text }) => text);

/** Fails a task again, and fires the retry timer if one runs. */
function failAgain(play: Play, id = 'a', times = 1): void {
  for (let time = 1; time <= times; time++) {
    replyWithCalls(play, fails(id, `It is shut (${time + play.state.steps})`));
    if (play.state.flight.kind === 'taskRetry') play.fired('retry');
  }
}

describe('a failed task', () => {
  it('is retried after a wait that doubles each time', () => {
    const play = prepared(planAgent({ reflection: false, fallbacks: ['retry', 'retry'] }));
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, fails('a'));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: 1_000 }]);
    expect(statusesOf(play)).toBe('a pending, b pending');
    expect(notices(play).at(-1)).toBe('Task a failed: It is shut. It is retried after 1 s.');
    expect(lastGuide(play)).toBe('a failed: It is shut. Retry it. Avoid the same error.\nNext task: a: Do a.');
    expect(kinds(play.fired('retry'))).toEqual(['callModel']);
    replyWithCalls(play, fails('a', 'Still shut'));
    expect(play.actions).toEqual([{ type: 'startTimer', timer: 'retry', ms: 2_000 }]);
  });

  it('gets the fallbacks of its agent in their order and is then skipped', () => {
    const play = prepared(planAgent({ reflection: false }, withQuestion));
    replyWithCalls(play, makes('a', 'b after a', 'c'));
    failAgain(play, 'a');
    expect(statusesOf(play)).toBe('a pending, b pending, c pending');
    failAgain(play, 'a');
    expect(lastGuide(play)).toContain('Split it into smaller tasks with `revise_plan`. Blocked by it: b.');
    expect(statusesOf(play)).toBe('a failed, b blocked, c pending');
    replyWithCalls(play, starts('a'));
    failAgain(play, 'a');
    expect(lastGuide(play)).toContain('Retry it with another tool');
    failAgain(play, 'a');
    expect(lastGuide(play)).toContain('Ask the user with `ask_user`');
    failAgain(play, 'a');
    expect(lastGuide(play)).toContain(
      'It is skipped. Continue with the other tasks. Blocked by it: b.\nNext task: c: Do c.',
    );
    expect(statusesOf(play)).toBe('a failed, b blocked, c pending');
    expect(
      notices(play)
        .slice(1)
        .map((text) => text.replace(/^.*\)\. /, '')),
    ).toEqual([
      'It is retried after 1 s.',
      'The model is instructed to split it into simpler tasks.',
      'It is retried with other tools.',
      'The model is instructed to ask the user.',
      'It is skipped.',
    ]);
  });

  it('skips the fallback ask_user if the agent has no question tool', () => {
    const play = prepared(planAgent({ reflection: false, fallbacks: ['ask_user', 'other_tool'] }));
    replyWithCalls(play, makes('a', 'b'));
    failAgain(play, 'a');
    expect(notices(play).at(-1)).toContain('It is retried with other tools.');
  });

  it('gets no fallback if the model revised the plan in the same reply', () => {
    const play = prepared(planAgent({ reflection: false }));
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, fails('a'), revises('a is shut', 'c', 'b after c'));
    expect(statusesOf(play)).toBe('c pending, b pending');
    expect(notices(play).some((text) => text.startsWith('Task a'))).toBe(false);
    expect(kinds(play.actions)).toEqual(['callModel']);
  });

  it('fails when the same tool failed three times in a row', () => {
    const play = prepared(planAgent({ reflection: false }));
    replyWithCalls(play, makes('a', 'b'));
    for (const at of [2, 3, 4]) {
      expect(statusesOf(play)).not.toContain('failed');
      replyWithCalls(play, ['look', { at }]);
      play.broke(`${at}.1`, toolFailure('ToolError', `No ${at}`));
    }
    expect(notices(play).at(-1)).toBe('Task a failed: look failed 3 times in a row. It is retried after 1 s.');
    expect(play.state.flight).toMatchObject({ kind: 'taskRetry', task: 'a' });
  });

  it('does not fail when different tools fail alternately or a call succeeds in between', () => {
    const play = prepared(planAgent({ reflection: false }));
    replyWithCalls(play, makes('a', 'b'));
    const calls = ['look', 'read', 'look', 'look', 'poll', 'look', 'look'];
    for (const [index, name] of calls.entries()) {
      const at = index + 2;
      replyWithCalls(play, [name, { at }]);
      if (name === 'poll') play.returned(`${at}.1`);
      else play.broke(`${at}.1`, toolFailure('ToolError', `No ${at}`));
    }
    expect(statusesOf(play)).toBe('a in_progress, b pending');
  });

  it('stops waiting for its retry when the chain is cancelled', () => {
    const play = prepared(planAgent());
    replyWithCalls(play, makes('a', 'b'));
    replyWithCalls(play, fails('a'));
    play.cancelledBy('ada');
    expect(play.state.flight.kind).toBe('idle');
    expect(play.state.stop?.outcome).toBe('cancelled');
  });
});

describe('a reflection', () => {
  const hasReflectionRequest = (play: Play) => lastGuide(play)?.includes('call `review_plan`') ?? false;

  it('is requested after reflectEvery steps of work, and a reply without calls is then not a result', () => {
    const play = prepared(planAgent({ reflectEvery: 2 }));
    replyWithCalls(play, makes('a', 'b'));
    replyWithCalls(play, starts('a'));
    expect(hasReflectionRequest(play)).toBe(false);
    replyWithCalls(play, ['look', { at: 1 }]);
    play.returned('3.1');
    expect(hasReflectionRequest(play)).toBe(true);
    replyWithText(play, 'The plan holds.');
    expect(statusesOf(play)).toBe('a in_progress, b pending');
    expect(play.step).toMatchObject({ thought: 'The plan holds.', answer: null });
    expect(lastGuide(play)).toBe('Continue with a.');
    replyWithText(play, 'A is 1.');
    expect(statusesOf(play)).toBe('a completed, b pending');
  });

  it('is requested after a failure, but never twice in a row', () => {
    const play = prepared(planAgent({ reflectEvery: 1, fallbacks: [] }));
    replyWithCalls(play, makes('a', 'b', 'c'));
    replyWithCalls(play, fails('a'));
    expect(hasReflectionRequest(play)).toBe(true);
    replyWithCalls(play, fails('b'));
    expect(hasReflectionRequest(play)).toBe(false);
    replyWithCalls(play, starts('c'));
    expect(hasReflectionRequest(play)).toBe(true);
    replyWithCalls(play, completes('c'));
    expect(hasReflectionRequest(play)).toBe(false);
  });

  it('is not requested if it is disabled or no task is open', () => {
    const off = prepared(planAgent({ reflection: false, reflectEvery: 1 }));
    replyWithCalls(off, makes('a', 'b'));
    replyWithCalls(off, starts('a'));
    expect(hasReflectionRequest(off)).toBe(false);
    const play = prepared(planAgent({ reflectEvery: 1 }));
    replyWithCalls(play, makes('a', 'b'));
    replyWithCalls(play, completes('a'), completes('b'));
    expect(hasReflectionRequest(play)).toBe(false);
  });
});
