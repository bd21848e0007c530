/** The lines about a chain as a whole: its answer is never hidden by a user's switches. */

import { expect, it } from 'vitest';
import { buildReasoning, emptyReasoningContext } from '../../../../src/core/view/build-reasoning.js';
import { allPreferencesOn } from '../../../../src/core/view/preferences.js';
import { formatHeadLines } from '../../../../src/core/view/print/head-lines.js';
import { view } from '../../../../src/core/view/view.js';
import { createViewer } from '../../../../src/core/view/visibility.js';
import { answers } from '../../../support/core-builders.js';
import { prepared } from '../../../support/core-play.js';

it('the answer is shown once: with its step, or below the outcome where a switch hides the step', () => {
  const play = prepared();
  play.replied(answers('It is 42.'));
  const countAnswers = (finalReasoning: boolean) => {
    const viewer = createViewer('end_user', { preferences: { ...allPreferencesOn, finalReasoning } });
    const seen = view(buildReasoning(play.chain, { ...emptyReasoningContext, result: play.result }), viewer);
    const lines = formatHeadLines(seen, 0).filter(({ content }) => content === 'It is 42.').length;
    const steps = seen.steps.filter(({ kind, level }) => kind === 'synthesis' && level === 'full').length;
    return { lines, steps };
  };
  expect(countAnswers(true)).toEqual({ lines: 0, steps: 1 });
  expect(countAnswers(false)).toEqual({ lines: 1, steps: 0 });
});
