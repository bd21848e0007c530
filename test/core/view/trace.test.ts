/** L1: the trace that readers of ReAct know is read off the chain: thought, action, observation, step by step. */

import { expect, it } from 'vitest';
import { buildTrace } from '../../../src/core/view/trace.js';
import { answers, asks, look, modelFailure, replyOf, toolFailure } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

it('tells each step with its actions, its observations in their order, its times and its usage', () => {
  const play = prepared();
  play.after(1_000).replied(asks(look('a'), look('b')));
  play.after(500).returned('1.2', { rows: 2 });
  play.after(500).broke('1.1', toolFailure('ToolError', 'No a.'));
  play.after(1_000).replied(answers('42'));
  expect(buildTrace(play.chain)).toEqual({
    steps: [
      {
        iteration: 1,
        thought: 'I shall see.',
        actions: [
          { tool: 'look', input: 'a' },
          { tool: 'look', input: 'b' },
        ],
        observations: ['No a.', { rows: 2 }],
        startedAt: '1970-01-01T00:00:01.000Z',
        endedAt: '1970-01-01T00:00:03.000Z',
        usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      },
      {
        iteration: 2,
        thought: null,
        actions: [],
        observations: [],
        startedAt: '1970-01-01T00:00:03.000Z',
        endedAt: '1970-01-01T00:00:04.000Z',
        usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      },
    ],
    answer: '42',
    outcome: 'success',
    usage: { input: 2_000, output: 200, cacheRead: 0, cacheWrite: 0, thinking: 0 },
  });
});

it('shows what an earlier call saw where it answered a later one', () => {
  const play = prepared();
  play.replied(asks(look()));
  play.returned('1.1', 'seen');
  play.replied(asks(look()));
  expect(buildTrace(play.chain).steps.map(({ observations }) => observations)).toEqual([['seen'], ['seen']]);
});

it('is there while the chain still runs', () => {
  const play = prepared();
  play.replied(asks(look()));
  expect(buildTrace(play.chain)).toMatchObject({ outcome: null, answer: null, steps: [{ observations: [null] }] });
});

it('counts no step for retries and continuations; what a paused turn said goes with the step it belongs to', () => {
  const play = prepared();
  play.failed(modelFailure('overloaded'));
  play.fired('retry');
  const said = [{ type: 'text', text: 'Let me see.' }] as const;
  play.replied(replyOf({ content: said }, { stopReason: 'pause_turn' }));
  play.replied(answers('42'));
  expect(buildTrace(play.chain).steps).toHaveLength(1);
  expect(play.step.pausedContent).toEqual(said);
  expect(play.chain.pausedContent).toEqual([]);
});
