/** L1: the trace is computed from the chain: thought, action, observation, step by step. */

import { expect, it } from 'vitest';
import { buildTrace } from '../../../src/core/view/trace.js';
import { answers, asks, look, modelFailure, replyOf, toolFailure } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

it('a trace has each step with its actions, its observations in order, its times, its duration and its usage', () => {
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
        observations: [
          { content: 'No a.', isError: true },
          { content: { rows: 2 }, isError: false },
        ],
        startedAt: '1970-01-01T00:00:01.000Z',
        endedAt: '1970-01-01T00:00:03.000Z',
        durationMs: 2_000,
        usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      },
      {
        iteration: 2,
        thought: null,
        actions: [{ answer: '42' }],
        observations: [],
        startedAt: '1970-01-01T00:00:03.000Z',
        endedAt: '1970-01-01T00:00:04.000Z',
        durationMs: 1_000,
        usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      },
    ],
    totalIterations: 2,
    answer: '42',
    outcome: 'success',
    terminationReason: 'Answered in 2 steps.',
    durationMs: 3_000,
    usage: { input: 2_000, output: 200, cacheRead: 0, cacheWrite: 0, thinking: 0 },
  });
});

it('a trace has the observation of an earlier call where a later one reused it', () => {
  const play = prepared();
  play.replied(asks(look()));
  play.returned('1.1', 'seen');
  play.replied(asks(look()));
  expect(buildTrace(play.chain).steps.map(({ observations }) => observations)).toEqual([
    [{ content: 'seen', isError: false }],
    [{ content: 'seen', isError: false }],
  ]);
});

it('a running chain has a trace', () => {
  const play = prepared();
  play.replied(asks(look()));
  expect(buildTrace(play.chain)).toMatchObject({
    ...{ outcome: null, terminationReason: null, answer: null },
    steps: [{ actions: [{ tool: 'look' }], observations: [{ content: null, isError: false }] }],
  });
});

it('retries and continuations are no steps of a trace; the content of a paused turn belongs to its step', () => {
  const play = prepared();
  play.failed(modelFailure('overloaded'));
  play.fired('retry');
  const content = [{ type: 'text', text: 'Let me see.' }] as const;
  play.replied(replyOf({ content }, { stopReason: 'pause_turn' }));
  play.replied(answers('42'));
  expect(buildTrace(play.chain).steps).toHaveLength(1);
  expect(play.step.pausedContent).toEqual(content);
  expect(play.chain.pausedContent).toEqual([]);
});
