/** L6: a reply from the cache of replies costs nothing, and bounds the next request as the reply of a model does. */

import { expect, it } from 'vitest';
import { countUtf8Bytes, toCanonicalJson } from '../../../src/core/lib/index.js';
import type { ModelReply } from '../../../src/core/model/fact.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { formatItemLines } from '../../../src/core/view/print/item-lines.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { agentOf, asks, look, replyOf, usage } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

const answered = { ...asks(look()), usage: usage(5_000, 300) };
const cached = (more: Partial<ModelReply> = {}): ModelReply => ({
  ...answered,
  usage: noUsage,
  cached: { ageMs: 60_000, usage: answered.usage },
  ...more,
});

function playNext(reply: ModelReply) {
  const play = prepared(agentOf());
  const first = play.modelCall.reservation;
  play.replied(reply);
  play.returned('1.1', 'x'.repeat(400));
  return { play, first, next: play.modelCall.reservation };
}

it('a cached reply is charged nothing, and the next reservation is the one after the reply of a model', () => {
  const without = playNext(answered);
  const { play, next } = playNext(cached());
  expect(next).toEqual(without.next);
  expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
  expect(play.chain.notices).toEqual([]);
  expect(play.step).toMatchObject({ usage: noUsage, costUsd: 0, cached: { ageMs: 60_000 } });
});

it.each([
  ['zeros', noUsage],
  ['fewer tokens than any call has', usage(0, 1)],
  ['more tokens than the call can have used', usage(5_000, 9_000_000)],
])('a cached reply with %s bounds the next request by what was reserved', (_, wrong) => {
  const { first, next, play } = playNext(cached({ cached: { ageMs: 0, usage: wrong } }));
  const bytes = countUtf8Bytes(toCanonicalJson(play.step.content));
  expect(next.inputTokens).toBeGreaterThanOrEqual(first.inputTokens + bytes + 400);
  expect(play.state.charged).toEqual({ tokens: 0, usd: 0 });
});

it('a cached reply that reports tokens of its own is charged for them', () => {
  const { play } = playNext(cached({ usage: answered.usage }));
  expect(play.state.charged.tokens).toBe(5_300);
});

it('a cached reply is shown as cached and free', () => {
  const play = prepared(agentOf());
  play.replied(
    replyOf(
      { thought: 'It is due.', answer: 'Due.' },
      { usage: noUsage, cached: { ageMs: 300_000, usage: usage(9, 9) } },
    ),
  );
  const seen = view(buildReasoning(play.chain), createViewer('developer'));
  const [line] = seen.steps.flatMap((step) => formatItemLines(step, 'short', seen));
  expect(line?.remarks).toEqual([{ text: 'from some-provider' }, 'model-1', '0 ms', 'cached, 5 min old', 'free']);
});
