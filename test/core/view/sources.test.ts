/** Which results an answer is based on, how each was found, and the confidence that the model states. */

import { describe, expect, it } from 'vitest';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { createViewer, view } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { answers, asks, look, replyOf } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const report = 'ACME Corp grew by 12 % to 1,247 million euros in the third quarter. Its margin fell.';

/** A chain with the results 1.1 and 2.1, before its answer. */
function playSearch(): Play {
  const play = prepared();
  for (const [at, result] of [report, 'Nothing was found about other firms.'].entries()) {
    play.replied(asks(look(at)));
    play.returned(`${at + 1}.1`, result);
  }
  return play;
}

const synthesisOf = (play: Play) =>
  buildReasoning(play.chain, emptyReasoningContext).steps.find((step) => step.kind === 'synthesis');

describe('the sources of an answer', () => {
  it.each<[string, Json, readonly (readonly [string, string])[]]>([
    [
      'are the results that it cites',
      'ACME grew (2.1), see result 1.1.',
      [
        ['1.1r', 'cited'],
        ['2.1r', 'cited'],
      ],
    ],
    ['are not those that it repeats if it cites another', 'It grew to 1,247 million [2.1].', [['2.1r', 'cited']]],
    ['are the results whose numbers it repeats', 'It earned 1247 million.', [['1.1r', 'repeated']]],
    ['are the results whose words it repeats', 'Sadly, nothing was found about it.', [['2.1r', 'repeated']]],
    ['are found for a short answer', 'ACME Corp', [['1.1r', 'repeated']]],
    ['are found in a value of a schema', { revenue: '1,247', unit: 'million' }, [['1.1r', 'repeated']]],
    ['are empty if it repeats nothing', 'I do not know, sorry for that.', []],
    ['are empty for a version number that looks like a call', 'Use version 1.1 of it.', []],
    ['are empty for words of the task', 'Find out what is due, and pay it.', []],
  ])('%s', (_, answer, expected) => {
    const play = playSearch();
    play.replied(answers(answer));
    expect(synthesisOf(play)?.sources.map(({ id, by }) => [id, by])).toEqual(expected);
  });
});

describe('the confidence that a model states', () => {
  const play = prepared();
  const steps = ['I look. Confidence: 40 %', 'It is likely (confidence 0.9).', 'No number.'];
  for (const [at, thought] of steps.entries()) {
    play.replied(replyOf({ ...asks(look(at)).reading, thought }));
    play.returned(`${at + 1}.1`, at);
  }
  play.replied(answers({ due: 3, confidence: 0.3 }));
  const chain = buildReasoning(play.chain, emptyReasoningContext);

  it('is kept per step', () => {
    const found = chain.steps.flatMap((step) =>
      step.kind === 'thinking' || step.kind === 'synthesis' ? [step.confidence] : [],
    );
    expect(found).toEqual([0.4, 0.9, null, 0.3]);
  });

  it('is marked for users where it is low', () => {
    const seen = view(chain, createViewer('end_user')).steps;
    const lines = seen.flatMap((step) => (step.level === 'summary' && step.kind === 'thinking' ? [step.summary] : []));
    expect(lines).toEqual(['Thinking, uncertain (40 %)', 'Thinking', 'Thinking']);
  });
});
