/** L6: the activity checks the usage that a provider reports against the request and the reply, before it is a fact. */

import { describe, expect, test } from 'vitest';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import { noUsage } from '../../../src/core/model/usage.js';
import type { Usage } from '../../../src/index.js';
import { callAndCheckUsage } from '../../../src/models/wire/check-usage.js';
import type { ModelCall, ModelCallResult } from '../../../src/models/wire/provider.js';
import { agentOf, modelFailure, rawReply, text, thinks, usage } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

const long = 'Look well. '.repeat(10_000);
const reserved = { inputTokens: 112_000, outputTokens: 2_000, usd: 0.3 };

function called(result: ModelCallResult, task = long): Promise<ModelCallResult> {
  const call: ModelCall = {
    request: {
      system: 'You look.',
      messages: [{ role: 'user', content: [text(task) as { type: 'text'; text: string }] }],
      ...{ tools: [], toolChoice: 'auto', stopSequences: [] },
    },
    model: agentOf().model,
    maxTokens: 2_000,
  };
  const provider = { name: 'some-provider', call: async () => result };
  return callAndCheckUsage(provider, call, reserved, { signal: new AbortController().signal });
}

const replied = (used: Usage, ...content: readonly ReplyBlock[]): ModelCallResult => ({
  ok: true,
  reply: rawReply(content.length === 0 ? [text('Yes.')] : content, 'end_turn', used),
});

describe('a reply', () => {
  test.each<readonly [string, ModelCallResult, RegExp]>([
    ['one input token for 110 KB', replied(usage(1, 10)), /1 input tokens, and at least/],
    ['one output token for 110 KB', replied(usage(30_000, 1), text(long)), /1 output tokens, and at least/],
    [
      'no usage',
      { ok: true, reply: { ...rawReply([text('Yes.')]), usage: undefined as never } },
      /no usage that can be read/,
    ],
    ['counts that are not numbers', replied({ ...noUsage, input: '30000' } as never), /no usage that can be read/],
  ])('with %s has no usage, and records the problem', async (_, result, problem) => {
    expect(await called(result)).toMatchObject({
      ok: true,
      reply: { usage: null, usageProblem: expect.stringMatching(problem) },
    });
  });

  test.each<readonly [string, ModelCallResult]>([
    ['as few tokens as a tokenizer makes of a text of spaces', replied(usage(1_000, 10))],
    ['most of it from the cache', replied({ ...usage(3, 10), cacheRead: 27_000 })],
    ['a long thought that was shown and counts little', replied(usage(30_000, 10), thinks(long), text('Yes.'))],
  ])('with %s keeps its usage', async (_, result) => {
    expect(await called(result)).toEqual(result);
  });
});

describe('a cancelled call', () => {
  test('that reports zeros is charged in full', async () => {
    const failure = modelFailure('cancelled', { settle: 'usage', usage: noUsage });
    const result = await called({ ok: false, failure });
    expect(result).toMatchObject({ failure: { settle: 'reservation', usage: null } });
  });

  test('is charged in full by the chain, with any usage in its fact', () => {
    const play = prepared();
    const { inputTokens, outputTokens } = play.modelCall.reservation;
    play.failed(modelFailure('cancelled', { settle: 'usage', usage: { ...noUsage, input: -5, output: 5e18 } }));
    expect(play.state.charged.tokens).toBe(inputTokens + outputTokens);
  });
});
