/** What a model learned and how it assesses its plan: kept with the step, bounded, and repeated where steps are summarized. */

import { describe, expect, it } from 'vitest';
import { readReview } from '../../../../src/core/engine/plan/review.js';
import { listControlTools } from '../../../../src/core/engine/state/control-tools.js';
import type { Notice } from '../../../../src/core/model/notice.js';
import {
  completes,
  lastGuide,
  makes,
  planAgent,
  replyWithCalls,
  replyWithText,
  reviews,
  revises,
  starts,
} from '../../../support/core-plans.js';
import { type Play, prepared } from '../../../support/core-play.js';

const listed = (play: Play, ...codes: readonly Notice['code'][]) =>
  play.chain.notices.filter(({ code }) => codes.includes(code)).map(({ code, step, text }) => [step, code, text]);

/** A chain whose next step is a review. */
function playToReview(): Play {
  const play = prepared(planAgent({ reflectEvery: 1 }));
  replyWithCalls(play, makes('a', 'b after a'));
  replyWithCalls(play, completes('a'));
  return play;
}

describe('a review of the plan', () => {
  it('is requested with the tool that records it', () => {
    expect(lastGuide(playToReview())).toContain(
      'Check the plan (1 of 2 tasks completed): call `review_plan` with what you have learned and your assessment.',
    );
  });

  it('keeps its learnings and its assessment with its step', () => {
    const play = playToReview();
    replyWithCalls(play, reviews(['The key is old.', 'The shop closes at 6.'], 'Half done; the plan holds.'));
    expect(listed(play, 'learned', 'plan_assessed')).toEqual([
      [3, 'learned', 'The key is old.'],
      [3, 'learned', 'The shop closes at 6.'],
      [3, 'plan_assessed', 'Half done; the plan holds.'],
    ]);
    expect(play.chain.steps[2]?.calls).toMatchObject([{ tool: 'review_plan', status: 'ok', observation: 'Recorded.' }]);
    expect(lastGuide(play)).toBe('Next task: b: Do b.');
  });

  it('may come with a revision of the plan, and outside of a requested review', () => {
    const play = prepared(planAgent());
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, reviews(['A is not needed.']), revises('A is not needed', 'b'), starts('b'));
    expect(listed(play, 'learned')).toEqual([[2, 'learned', 'A is not needed.']]);
    expect(play.state.plan?.revision).toBe(2);
  });

  it('is recorded up to five learnings in a step, however many reviews it has', () => {
    const play = playToReview();
    const some = (name: string) => reviews([1, 2, 3, 4].map((at) => `${name}${at}`));
    replyWithCalls(play, some('x'), some('y'), some('z'));
    expect(listed(play, 'learned').map(([, , text]) => text)).toEqual(['x1', 'x2', 'x3', 'x4', 'y1']);
  });

  it('without content is an error for the model, and a text without a call is still its thought', () => {
    const play = playToReview();
    replyWithCalls(play, ['review_plan', { learned: [], assessment: ' ' }]);
    expect(play.chain.steps[2]?.calls).toMatchObject([
      { status: 'error', observation: expect.stringContaining('Nothing recorded') },
    ]);
    const other = playToReview();
    replyWithText(other, 'The plan holds.');
    expect(other.chain.steps[2]?.thought).toBe('The plan holds.');
    expect(listed(other, 'learned', 'plan_assessed')).toEqual([]);
  });

  it('has no tool where reviews are disabled', () => {
    const names = listControlTools({ planning: true, reflection: false }).map(({ name }) => name);
    expect(names).not.toContain('review_plan');
  });
});

describe('the arguments of a review', () => {
  it.each([
    [
      { learned: 'One thing.', assessment: 'Fine.' },
      { learned: ['One thing.'], assessment: 'Fine.' },
    ],
    [{ learned: ['a\nb', 'a b', '', 7] }, { learned: ['a b', '7'], assessment: null }],
    [{}, { learned: [], assessment: null }],
  ])('are read leniently: %j', (input, review) => {
    expect(readReview(input)).toEqual(review);
  });

  it('are bounded in number and size', () => {
    const learned = Array.from({ length: 9 }, (_, at) => `${at}`.repeat(1_000));
    const review = readReview({ learned, assessment: 'x'.repeat(5_000) });
    expect(review.learned.map(({ length }) => length)).toEqual([300, 300, 300, 300, 300]);
    expect(review.assessment).toHaveLength(500);
  });
});
