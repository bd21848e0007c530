/** Which of several answers is the best, and why. */

import { describe, expect, it } from 'vitest';
import { chooseByScore, chooseByVote, parseJudgeAnswer, renderJudgeTask } from '../../../src/core/delegation/judge.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { Child } from '../../../src/core/model/child.js';

const child = (index: number, told: Json): Child => ({
  ...{ chainId: `c${index}`, index, attempt: 1, progress: 'ok', share: null, start: null, observation: told },
});

const answers = (...told: readonly Json[]) => told.map((each, index) => child(index, each));

describe('a vote', () => {
  it.each<[string, readonly Json[], Json, string]>([
    ['the most', ['a', 'b', 'b'], 'b', '2 of 3 say so.'],
    ['of equals the first', ['a', 'b'], 'a', '1 of 2 say so.'],
    ['the same in other spacing, case and full stop', ['41', 'Forty two.', ' forty  TWO '], 'Forty two.', '2 of 3'],
    ['data by its members', [{ a: 1, b: 2 }, 7, { a: 1, b: 2 }], { a: 1, b: 2 }, '2 of 3'],
  ])('%s', (_, told, best, why) => {
    const verdict = chooseByVote(answers(...told));
    expect(verdict?.best.observation).toEqual(best);
    expect(verdict?.why).toContain(why);
  });

  it('of nobody is none', () => expect(chooseByVote([])).toBeNull());
});

describe('scores', () => {
  it.each<[string, readonly (number | null)[], number]>([
    ['the highest', [0.1, 0.9, 0.3], 1],
    ['of equals the first', [0.5, 0.5], 0],
    ['below zero', [-3, -1, -2], 1],
    ['one that is missing counts as the lowest', [null, -5], 1],
    ['fewer than there are answers', [0.2], 0],
  ])('%s', (_, scores, best) => {
    const verdict = chooseByScore(answers('a', 'b', 'c'), scores);
    expect(verdict?.best.index).toBe(best);
  });

  it('are told in short', () => {
    expect(chooseByScore(answers('a', 'b'), [1 / 3, null])?.why).toBe('It scored 0.3333 of 0.3333, none.');
  });
});

describe('a judging agent', () => {
  it.each<[string, Json, number | null]>([
    ['names a number first', '2, because it is short.', 1],
    ['says it as data', { best: 1 }, 0],
    ['names none that there is', '7', null],
    ['names none', 'All are good.', null],
    ['names nought', '0', null],
  ])('%s', (_, said, best) => {
    const verdict = parseJudgeAnswer(said, answers('a', 'b'));
    expect(verdict?.best.index ?? null).toBe(best);
  });

  it('is shown the task once, where it is the same, else what each tried', () => {
    const same = renderJudgeTask(['x', 'x'], answers('a', 'b'));
    expect(same).toContain('The task was:\nx\n\nSay which');
    expect(same).toContain('## Candidate 1\na\n\n## Candidate 2\nb');
    const each = renderJudgeTask(['x', 'y'], answers('a', { b: 1 }));
    expect(each).toContain('## Candidate 2\nTried: y\n{"b":1}');
    expect(each).not.toContain('The task was');
  });
});
