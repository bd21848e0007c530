/** Replies from chunks that OpenAI sends rarely, or that other servers send. Without a server. */

import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, ReplyBlock } from '../../../src/index.js';
import { toChatBody } from '../../../src/models/openai/request.js';
import { describeChatServer } from '../../../src/models/openai/server.js';
import { ChatStream } from '../../../src/models/openai/stream.js';
import { parseChatUsage } from '../../../src/models/openai/usage.js';
import { doneEvent } from '../../../src/models/wire/read-events.js';
import { request, snapshot } from '../call.js';

const delta = (given: JsonObject, finish: string | null = null): JsonObject => ({
  model: 'm',
  choices: [{ index: 0, delta: given, finish_reason: finish }],
});
const call = (piece: JsonObject, given: JsonObject = {}): JsonObject =>
  delta({ tool_calls: [{ ...piece, function: given }] });

const text = (words: string): JsonObject => ({ type: 'text', text: words });

function streamOf(...chunks: readonly JsonObject[]): ChatStream {
  const stream = new ChatStream('host');
  for (const chunk of chunks) stream.consume(chunk);
  return stream;
}

const contentOf = (...chunks: readonly JsonObject[]) => streamOf(...chunks).toReply().content;

describe('a reply', () => {
  it('has calls in order, also where all have one index, and gives those without an id one', () => {
    const content = contentOf(
      call({ index: 0, id: 'a' }, { name: 'look', arguments: '{"at":' }),
      call({ index: 0 }, { arguments: '1}' }),
      call({ index: 0, id: 'b' }, { name: 'look', arguments: '{}' }),
      call({ index: 3 }, { name: 'wait', arguments: { for: 2 } }),
    );
    expect(content).toEqual([
      { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'b', name: 'look', input: {} },
      { type: 'tool_use', id: expect.stringMatching(/^call_\w{24}$/), name: 'wait', input: { for: 2 } },
    ]);
  });

  it('keeps cut-off arguments as text', () => {
    const stream = streamOf(
      call({ index: 0, id: 'a' }, { name: 'look', arguments: '{"city": "Par' }),
      delta({}, 'length'),
    );
    expect(stream.toReply()).toMatchObject({ stopReason: 'max_tokens', content: [{ input: '{"city": "Par' }] });
  });

  it('with calls stops for them, even where the server reports another end', () => {
    const stream = streamOf(call({ index: 0, id: 'a' }, { name: 'look', arguments: '{}' }), delta({}, 'stop'));
    expect(stream.toReply().stopReason).toBe('tool_use');
  });

  it('that refuses has its refusal as text', () => {
    const reply = streamOf(delta({ refusal: 'I will' }), delta({ refusal: ' not.' }), delta({}, 'stop')).toReply();
    expect(reply).toMatchObject({ stopReason: 'refusal', content: [{ type: 'text', text: 'I will not.' }] });
  });

  it.each<[string, readonly Json[]]>([
    ['pieces', ['It ', 'rains', ' in Paris.']],
    ['parts', [[text('It '), text('rains')], [text(' in Paris.')]]],
    [
      'parts with a citation between',
      [[text('It rains'), { type: 'reference', reference_ids: [1] }, text(' in Paris.')]],
    ],
  ])('has one text of all its %s', (_what, contents) => {
    const stream = new ChatStream('host');
    const pieces = contents.map((content) => stream.consume(delta({ content })));
    expect(stream.toReply().content).toEqual([text('It rains in Paris.')]);
    expect(pieces.join('')).toBe('It rains in Paris.');
  });

  it('is complete with its finish reason, and has ended with its usage or its last event', () => {
    const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    const state = (...chunks: readonly JsonObject[]) => [streamOf(...chunks).complete, streamOf(...chunks).ended];
    expect(state(delta({ content: 'Hi' }))).toEqual([false, false]);
    expect(state(delta({ content: 'Hi' }), delta({}, 'stop'))).toEqual([true, false]);
    expect(state(delta({}, 'stop'), usage)).toEqual([true, true]);
    expect(state(delta({ content: 'Hi' }), doneEvent)).toEqual([true, true]);
    expect(state(doneEvent)).toEqual([false, false]);
  });

  it('ignores chunks without their members', () => {
    const odd: readonly Json[] = [null, 'x', {}, { index: 1, delta: { content: 'no' } }];
    const chunks: readonly JsonObject[] = [{}, { choices: 'x' }, { choices: odd }, delta({ tool_calls: [null, 'x'] })];
    expect(contentOf(...chunks)).toEqual([]);
  });
});

describe('reasoning', () => {
  /** The next request to the same server. */
  function sendBack(content: readonly ReplyBlock[]): JsonObject {
    const messages = [
      { role: 'assistant', content: [...content, { type: 'tool_use', id: 'a', name: 'b', input: {} }] },
    ] as const;
    const body = toChatBody(
      { request: { ...request, system: '', messages }, model: snapshot, maxTokens: 1 },
      describeChatServer('host'),
    );
    return body.messages[0] as unknown as JsonObject;
  }

  it.each(['reasoning', 'reasoning_content'])('of %s is read as a thought and sent back there', (field) => {
    const content = contentOf(delta({ [field]: 'I need' }), delta({ [field]: ' this.' }));
    expect(content).toMatchObject([{ type: 'thinking', thinking: 'I need this.' }]);
    expect(sendBack(content)).toMatchObject({ [field]: 'I need this.' });
  });

  it('that is sent in both fields is read once', () => {
    const content = contentOf(delta({ reasoning: 'Hm', reasoning_content: 'Hm' }));
    expect(content).toMatchObject([{ thinking: 'Hm' }]);
  });

  it('in details is joined, sent back as it was, and stored once', () => {
    const content = contentOf(
      delta({
        reasoning: 'I need',
        reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I need', signature: null }],
      }),
      delta({
        reasoning: ' it',
        reasoning_details: [{ type: 'reasoning.text', index: 0, text: ' it', signature: null }],
      }),
      delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'signed' }] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'ab' }] }),
    );
    expect(content).toMatchObject([{ type: 'thinking', thinking: 'I need it' }]);
    expect(JSON.stringify(content).match(/I need/g)).toHaveLength(1);
    expect(sendBack(content)).toEqual({
      role: 'assistant',
      content: null,
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'I need it', signature: 'signed' },
        { type: 'reasoning.encrypted', index: 1, data: 'ab' },
      ],
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'b', arguments: '{}' } }],
    });
  });

  it('of LiteLLM in front of Claude is sent back with its signatures', () => {
    const piece = (thinking: string, signature: string | null = null) =>
      delta({ reasoning_content: thinking, thinking_blocks: [{ type: 'thinking', thinking, signature }] });
    const content = contentOf(piece('I need'), piece(' it'), piece('', 'one'), piece('More'), piece('', 'two'));
    expect(content).toMatchObject([{ type: 'thinking', thinking: 'I need itMore' }]);
    expect(sendBack(content)).toMatchObject({
      thinking_blocks: [
        { type: 'thinking', thinking: 'I need it', signature: 'one' },
        { type: 'thinking', thinking: 'More', signature: 'two' },
      ],
    });
  });

  it('in details whose text was masked is not sent back', () => {
    const [block] = contentOf(delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'secret' }] }));
    expect(sendBack([{ ...block, thinking: '[masked]' } as ReplyBlock])).not.toHaveProperty('reasoning_details');
  });

  it('of Mistral is a part of the content', () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Rain' },
    ];
    expect(contentOf(delta({ content: parts }))).toMatchObject([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Rain' },
    ]);
  });

  it('of Gemini is opaque, and goes back with its call', () => {
    const extra = { google: { thought_signature: 'c2ln' } };
    const [block] = contentOf(call({ index: 0, id: 'a', extra_content: extra }, { name: 'b', arguments: '{}' }));
    expect(block).toMatchObject({ type: 'thinking', thinking: '' });
    expect(sendBack([block as ReplyBlock])).toMatchObject({ tool_calls: [{ id: 'a', extra_content: extra }] });
  });
});

describe('usage', () => {
  it.each<[string, JsonObject, object]>([
    [
      'of OpenAI counts cached and reasoning tokens once',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input: 10, output: 50, cacheRead: 60, cacheWrite: 30, thinking: 20 },
    ],
    [
      'that has reasoning only in its total charges it as output',
      { prompt_tokens: 100, completion_tokens: 50, total_tokens: 190 },
      { input: 100, output: 90, cacheRead: 0, cacheWrite: 0, thinking: 40 },
    ],
    [
      'that has reasoning beside the output and in the total adds it once',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 210,
        completion_tokens_details: { reasoning_tokens: 60 },
      },
      { input: 100, output: 110, cacheRead: 0, cacheWrite: 0, thinking: 60 },
    ],
    [
      'of DeepSeek has its cache in a member of its own',
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input: 36, output: 5, cacheRead: 64, cacheWrite: 0, thinking: 0 },
    ],
  ])('%s', (_, reported, usage) => {
    expect(parseChatUsage(reported)).toEqual({ usage, problem: null });
  });

  it.each<[Json, string]>([
    [{ completion_tokens: 1 }, 'it reported no prompt_tokens'],
    [{ prompt_tokens: 1 }, 'it reported no completion_tokens'],
    [{ prompt_tokens: -1, completion_tokens: 1 }, 'it reported -1 as prompt_tokens'],
    [{ prompt_tokens: 1, completion_tokens: '1' }, 'it reported "1" as completion_tokens'],
    [
      { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } },
      'it reported 2 cached tokens of 1 prompt_tokens',
    ],
    ['many', 'it reported "many" as usage'],
  ])('%j is invalid: %s', (reported, problem) => {
    expect(parseChatUsage(reported)).toEqual({ usage: null, problem });
  });

  it('of the last chunk replaces earlier ones, which are sums', () => {
    const report = (completion: number) => ({
      ...delta({}),
      usage: { prompt_tokens: 3, completion_tokens: completion },
    });
    const stream = streamOf(report(1), report(4), report(9));
    expect(stream.toReply().usage).toMatchObject({ input: 3, output: 9 });
    // A cancelled reply may have cost more: the model may think unseen.
    expect(stream.computeUsageBound(100)).toMatchObject({ input: 3, output: 100 });
  });
});
