/** Replies from events that the API sends rarely, or that other servers send. Without a server. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/index.js';
import { ReplyStream } from '../../../src/models/anthropic/stream.js';

const startBlock = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const addDelta = (index: number, delta: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta });

const begun: JsonObject = { type: 'message_start', message: { usage: { input_tokens: 40, output_tokens: 1 } } };

function streamOf(...events: readonly JsonObject[]): ReplyStream {
  const stream = new ReplyStream();
  for (const event of events) stream.consume(event);
  return stream;
}

describe('a reply', () => {
  it('omits blocks of server tools, citations, and empty texts', () => {
    const stream = streamOf(
      startBlock(0, { type: 'text', text: '' }),
      addDelta(0, { type: 'text_delta', text: '\n\n' }),
      startBlock(1, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      addDelta(1, { type: 'input_json_delta', partial_json: '{"q":1}' }),
      startBlock(2, { type: 'redacted_thinking', data: 'abc', extra: true }),
      startBlock(3, { type: 'text', text: 'Hel', citations: null }),
      addDelta(3, { type: 'text_delta', text: 'lo' }),
      addDelta(3, { type: 'citations_delta', citation: {} }),
    );
    expect(stream.toReply().content).toEqual([
      { type: 'redacted_thinking', data: 'abc' },
      { type: 'text', text: 'Hello' },
    ]);
  });

  const text = (words: string): JsonObject => ({ type: 'text', text: words });
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  it.each<[string, readonly JsonObject[], readonly JsonObject[]]>([
    ['blocks in sequence', [text('It '), text('rains'), text(' in Paris.')], [text('It rains in Paris.')]],
    ['a blank block between', [text('It'), text(' '), text('rains.'), text('\n')], [text('It rains.')]],
    [
      'thinking between',
      [text('It'), text(' rains.'), thinking, text('Or'), text(' not.')],
      [text('It rains.'), thinking, text('Or not.')],
    ],
    [
      'a server tool between',
      [text('I look.'), { type: 'server_tool_use', id: 's1' }, { type: 'web_search_tool_result' }, text('Rain.')],
      [text('I look.'), text('Rain.')],
    ],
    [
      'a server tool and a blank between',
      [text('A'), { type: 'server_tool_use' }, text(' '), text('B')],
      [text('A'), text('B')],
    ],
  ])('joins the texts of blocks in sequence, and only these (%s)', (_what, blocks, content) => {
    const stream = new ReplyStream();
    const pieces = blocks.map((block, index) => stream.consume(startBlock(index, block)));
    expect(stream.toReply().content).toEqual(content);
    expect(pieces.join('')).toBe(blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''));
  });

  it('keeps cut-off arguments as text', () => {
    const stream = streamOf(
      startBlock(0, { type: 'tool_use', id: 'u1', name: 'look', input: {} }),
      addDelta(0, { type: 'input_json_delta', partial_json: '{"city": "Par' }),
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 9 } },
    );
    expect(stream.toReply()).toMatchObject({ stopReason: 'max_tokens', content: [{ input: '{"city": "Par' }] });
  });

  it('reads complete arguments from the start of a block', () => {
    const stream = streamOf(startBlock(0, { type: 'tool_use', id: 'u1', name: 'look', input: { city: 'Rome' } }));
    expect(stream.toReply().content).toEqual([{ type: 'tool_use', id: 'u1', name: 'look', input: { city: 'Rome' } }]);
  });

  it('has an unknown or missing stop reason as the end of the turn', () => {
    expect(streamOf().toReply().stopReason).toBe('end_turn');
    expect(streamOf({ type: 'message_delta', delta: { stop_reason: 'bored' } }).toReply().stopReason).toBe('end_turn');
  });

  it('is complete with a stop reason and closed blocks, or with its last event', () => {
    const text = startBlock(0, { type: 'text', text: 'Rain.' });
    const closed: JsonObject = { type: 'content_block_stop', index: 0 };
    const reasoned: JsonObject = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    expect(streamOf(begun, text, closed).complete).toBe(false);
    expect(streamOf(begun, text, reasoned).complete).toBe(false);
    expect(streamOf(begun, text, closed, startBlock(1, { type: 'text', text: '' }), reasoned).complete).toBe(false);
    expect(streamOf(begun, text, closed, reasoned).complete).toBe(true);
    expect(streamOf(begun, text, { type: 'message_stop' }).complete).toBe(true);
  });

  it('ignores events without their members', () => {
    const kinds = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
    ];
    expect(streamOf(...kinds.map((type) => ({ type })), { type: 'new_thing' }, {}).toReply().content).toEqual([]);
  });
});

describe('usage', () => {
  it('is the last report of each count, with null as 0', () => {
    const stream = streamOf(
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 0, output_tokens: 1 } } },
      {
        type: 'message_delta',
        delta: {},
        usage: {
          input_tokens: 40,
          output_tokens: 12,
          cache_read_input_tokens: null,
          output_tokens_details: { thinking_tokens: 4 },
        },
      },
    );
    expect(stream.toReply().usage).toEqual({ input: 40, output: 12, cacheRead: 0, cacheWrite: 0, thinking: 4 });
  });

  it('of an interrupted reply is the report, if that is more than was received', () => {
    const stream = streamOf(begun, startBlock(0, { type: 'text', text: 'abc' }), {
      type: 'message_delta',
      delta: {},
      usage: { output_tokens: 50 },
    });
    expect(stream.computeUsageBound(100, 'all')?.output).toBe(50);
  });

  it('is bounded by the call while the model thinks, and by the bytes once the thought is signed', () => {
    const stream = streamOf(begun, startBlock(0, { type: 'thinking', thinking: '', signature: '' }));
    expect(stream.computeUsageBound(2_000, 'all')?.output).toBe(2_000);
    stream.consume(addDelta(0, { type: 'signature_delta', signature: 'x'.repeat(300) }));
    stream.consume({ type: 'content_block_stop', index: 0 });
    expect(stream.computeUsageBound(2_000, 'all')?.output).toBe(300);
  });

  it('is bounded by the call where not all of the reply arrived, unless its end reported the output', () => {
    const stream = streamOf(begun, startBlock(0, { type: 'text', text: 'abc' }));
    expect(stream.computeUsageBound(2_000, 'all')?.output).toBeLessThan(2_000);
    expect(stream.computeUsageBound(2_000, 'part')?.output).toBe(2_000);
    stream.consume({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } });
    expect(stream.complete).toBe(false);
    expect(stream.computeUsageBound(2_000, 'part')?.output).toBe(50);
  });
});
