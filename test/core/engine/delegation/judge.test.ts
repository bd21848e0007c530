/** Choosing the best of several answers, with the reason. */

import { describe, expect, it } from 'vitest';
import {
  chooseByScore,
  chooseByVote,
  parseJudgeAnswer,
  renderJudgeTask,
} from '../../../../src/core/engine/delegation/judge.js';
import type { Json } from '../../../../src/core/lib/json.js';
import type { Child } from '../../../../src/core/model/child.js';

const child = (index: number, observation: Json): Child => ({
  ...{ chainId: `c${index}`, index, attempt: 1, progress: 'ok', share: null, start: null, observation },
});

const answers = (...values: readonly Json[]) => values.map((each, index) => child(index, each));

describe('a vote', () => {
  it.each<[string, readonly Json[], Json, string]>([
    ['chooses the most frequent answer', ['a', 'b', 'b'], 'b', '2 of 3 agree.'],
    ['chooses the first answer in a tie', ['a', 'b'], 'a', '1 of 2 agree.'],
    ['ignores spacing, case and the full stop', ['41', 'Forty two.', ' forty  TWO '], 'Forty two.', '2 of 3'],
    ['compares data by its members', [{ a: 1, b: 2 }, 7, { a: 1, b: 2 }], { a: 1, b: 2 }, '2 of 3'],
  ])('%s', (_, values, best, why) => {
    const verdict = chooseByVote(answers(...values));
    expect(verdict?.best.observation).toEqual(best);
    expect(verdict?.why).toContain(why);
  });

  it('without candidates returns null', () => expect(chooseByVote([])).toBeNull());
});

describe('a choice by score', () => {
  it.each<[string, readonly (number | null)[], number]>([
    ['takes the highest', [0.1, 0.9, 0.3], 1],
    ['takes the first in a tie', [0.5, 0.5], 0],
    ['compares negative scores', [-3, -1, -2], 1],
    ['treats a missing score as the lowest', [null, -5], 1],
    ['accepts fewer scores than answers', [0.2], 0],
  ])('%s', (_, scores, best) => {
    const verdict = chooseByScore(answers('a', 'b', 'c'), scores);
    expect(verdict?.best.index).toBe(best);
  });

  it('reports rounded scores', () => {
    expect(chooseByScore(answers('a', 'b'), [1 / 3, null])?.why).toBe('Best score: 0.3333 (scores: 0.3333, none).');
  });
});

describe('a judging agent', () => {
  it.each<[string, Json, number | null]>([
    ['is read by its first number', '2, because it is short.', 1],
    ['may answer with data', { best: 1 }, 0],
    ['is ignored if it names an unknown number', '7', null],
    ['is ignored if it names no number', 'All are good.', null],
    ['is ignored if it names 0', '0', null],
  ])('%s', (_, answer, best) => {
    const verdict = parseJudgeAnswer(answer, answers('a', 'b'));
    expect(verdict?.best.index ?? null).toBe(best);
  });

  it('sees a shared task once, and otherwise the task of each candidate', () => {
    const same = renderJudgeTask(['x', 'x'], answers('a', 'b'));
    expect(same).toContain('The task was:\nx\n\nChoose the best');
    expect(same).toContain('## Candidate 1\na\n\n## Candidate 2\nb');
    const each = renderJudgeTask(['x', 'y'], answers('a', { b: 1 }));
    expect(each).toContain('## Candidate 2\nTried: y\n{"b":1}');
    expect(each).not.toContain('The task was');
  });
});
