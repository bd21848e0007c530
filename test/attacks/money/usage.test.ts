/** L6: reported usage is accepted only if it is possible; otherwise the call is charged in full. */

import { describe, expect, test } from 'vitest';
import type { ChildCharge } from '../../../src/core/model/child.js';
import { noUsage } from '../../../src/core/model/usage.js';
import type { Json, JsonObject } from '../../../src/index.js';
import { ReplyStream } from '../../../src/models/anthropic/stream.js';
import { agentOf, asks, look, replyOf, someTools, text } from '../../support/core-builders.js';
import {
  childrenIn,
  delegated,
  delegatingAgent,
  report,
  charged as someCharge,
} from '../../support/core-delegation.js';
import { type Play, prepared } from '../../support/core-play.js';

const honest = { input_tokens: 900, output_tokens: 100 };

/** Returns the reply of a stream with this usage in its first and last event. */
function streamReply(start: Json | undefined, end: Json | undefined) {
  const stream = new ReplyStream();
  const usage = (usage: Json | undefined): JsonObject => (usage === undefined ? {} : { usage });
  const events: readonly JsonObject[] = [
    { type: 'message_start', message: { model: 'some-model-1', ...usage(start) } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Let me see what is due.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...usage(end) },
    { type: 'message_stop' },
  ];
  for (const event of events) stream.consume(event);
  return stream.toReply();
}

/** Plays a chain that has received a reply with this usage. */
function chargeUsage(start: Json | undefined, end: Json | undefined): Play {
  const play = prepared();
  const { content: _, ...usage } = streamReply(start, end);
  play.replied({ ...asks(look()), ...usage } as Parameters<Play['replied']>[0]);
  return play;
}

function getReservation(play: Play) {
  const { inputTokens, outputTokens, usd } = play.modelCalls[0]!.reservation;
  return { tokens: inputTokens + outputTokens, usd };
}

describe('impossible usage is charged as the whole reservation', () => {
  test.each<readonly [string, Json | undefined, Json | undefined]>([
    ['nothing at all', undefined, undefined],
    ['null', null, null],
    ['an empty object', {}, {}],
    ['a list', [], []],
    ['text', 'lots', 'lots'],
    ['counts that are null', { input_tokens: null, output_tokens: null }, { output_tokens: null }],
    ['numbers as text', honest, { input_tokens: '900', output_tokens: '100' }],
    ['zeros', { input_tokens: 0, output_tokens: 0 }, { input_tokens: 0, output_tokens: 0 }],
    ['no output for a reply with text', { input_tokens: 900 }, { output_tokens: 0 }],
    ['no input', { output_tokens: 1 }, { output_tokens: 100 }],
    ['a negative input', { input_tokens: -900, output_tokens: 1 }, { output_tokens: 100 }],
    ['a negative output', honest, { output_tokens: -100 }],
    ['fractions', honest, { input_tokens: 900.5, output_tokens: 100 }],
    ['an infinite input', { input_tokens: Number.POSITIVE_INFINITY }, { output_tokens: 100 }],
    ['not a number', { input_tokens: Number.NaN }, { output_tokens: 100 }],
    ['a negative cached part', { ...honest, cache_read_input_tokens: -5_000 }, honest],
    ['more input than any model reads', honest, { input_tokens: 5e18, output_tokens: 100 }],
    ['far more output than requested', honest, { output_tokens: 5e15 }],
    [
      'a last event without usage, after the placeholder of the first',
      { input_tokens: 900, output_tokens: 1 },
      undefined,
    ],
    ['a valid input that is followed by an invalid one', honest, { input_tokens: '5', output_tokens: 100 }],
  ])('(%s)', (_, start, end) => {
    const play = chargeUsage(start, end);
    expect(play.state.charged).toEqual(getReservation(play));
    expect(play.state.usage).toEqual(noUsage);
    const { tokens } = play.state.context;
    expect(tokens).toBeGreaterThanOrEqual(play.modelCalls[0]!.reservation.inputTokens);
  });

  test.each<readonly [string, Json, Json]>([
    ['in the first and the last event', honest, honest],
    ['the input in the first event alone', honest, { output_tokens: 100 }],
    ['all of it in the last event', { input_tokens: 0, output_tokens: 0 }, honest],
    ['with null for the cached part', { ...honest, cache_read_input_tokens: null }, honest],
    [
      'less input in the last event than in the first, whose input counts',
      honest,
      { input_tokens: 5, output_tokens: 100 },
    ],
  ])('unless it is possible: %s', (_, start, end) => {
    const play = chargeUsage(start, end);
    expect(play.state.charged).toEqual({ tokens: 1_000, usd: 0.0028 });
  });

  test('unless its input is smaller than the cached part, which is normal', () => {
    const play = chargeUsage(
      { input_tokens: 4, output_tokens: 1, cache_read_input_tokens: 900 },
      { output_tokens: 100 },
    );
    expect(play.state.charged.tokens).toBe(1_004);
  });
});

describe('a reply without usage', () => {
  test('is reported in one notice and at each step', () => {
    const play = chargeUsage({}, {});
    play.returned('1.1');
    play.replied({ ...replyOf({ answer: 'Done.', content: [text('Done.')] }), usage: null });
    const notices = play.chain.notices.filter(({ code: kind }) => kind === 'usage_unreported');
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('no plausible usage')]);
    const [first] = play.modelCalls;
    expect(play.chain.steps.map(({ costUsd }) => costUsd)).toEqual(
      play.modelCalls.map(({ reservation }) => reservation.usd),
    );
    expect(play.chain.steps[0]).toMatchObject({ charged: first!.reservation });
  });
});

test('a limit of five cents permits calls up to their reservations, with any reported usage', () => {
  const play = prepared(agentOf({ tools: someTools, limits: { costUsd: 0.05, steps: 100 } }));
  let calls = 0;
  while (play.actions.some(({ type }) => type === 'callModel') && calls < 40) {
    calls += 1;
    play.replied({
      ...asks(look({ calls })),
      usage: noUsage,
    });
    for (const id of play.ran.slice(-1)) if (play.state.flight.kind === 'calls') play.returned(id, `news ${calls}`);
  }
  expect(calls).toBeLessThanOrEqual(3);
  expect(play.state.charged.usd).toBeLessThanOrEqual(0.05);
});

describe('a sub-chain that reports an impossible charge is charged its share', () => {
  test.each<readonly [string, Partial<ChildCharge>]>([
    ['negative tokens', { tokens: -1 }],
    ['an infinite cost', { usd: Number.POSITIVE_INFINITY }],
    ['a negative cost', { usd: -1 }],
    ['more tokens than any share', { tokens: 5e15 }],
    ['usage that is not a number', { usage: { ...noUsage, input: Number.NaN } }],
    ['usage of 5e18 tokens', { usage: { ...noUsage, output: 5e18 } }],
    ['fewer chains than itself', { chains: 0 }],
  ])('(%s)', (_, wrong) => {
    const play = delegated(delegatingAgent());
    const [child] = childrenIn(play);
    play.take({
      type: 'childEnded',
      chainId: child!.chainId,
      end: { type: 'reported', report: report({ charged: someCharge(wrong) }) },
    });
    expect(play.state.subChainTotals.tokens).toBe(child!.share?.tokens);
    expect(play.state.subChainTotals.usage).toEqual(noUsage);
  });
});
