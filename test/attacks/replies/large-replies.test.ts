/** L7: a reply costs a worker time linear in its bytes, in any form, and other work has its turns meanwhile. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { openaiProvider } from '../../../src/models/openai/provider.js';
import type { ModelCall, ModelCallResult } from '../../../src/models/wire/provider.js';
import { callModel, createPartsModel, finish, textParts } from '../../models/ai-sdk/call.js';
import { agentOf } from '../../support/core-builders.js';

type Event = Readonly<Record<string, unknown>>;

const call: ModelCall = {
  request: { system: '', messages: [], tools: [], toolChoice: 'auto', stopSequences: [] },
  model: agentOf().model,
  maxTokens: 1_000,
};

const repeat = <T>(count: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => create(index));

const format = (events: readonly Event[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** Sends a reply in chunks of a size, and returns what the provider makes of it with the milliseconds of CPU. */
async function read(create: typeof openaiProvider, reply: string, chunkBytes = 64 * 1024) {
  const bytes = new TextEncoder().encode(reply);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const provider = create({ baseURL: 'http://127.0.0.1:1', apiKey: 'k', fetch });
  const began = process.cpuUsage();
  const result: ModelCallResult = await provider.call(call, { signal: new AbortController().signal });
  const { user, system } = process.cpuUsage(began);
  return { result, cpu: (user + system) / 1_000 };
}

const chat = (delta: Event, finish: string | null = null): Event => ({
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const piece = (index: number): Event => ({ index, id: `call_${index}`, function: { name: 'pay', arguments: '{}' } });
const chatEnd = [chat({}, 'tool_calls'), { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }];

const message = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } };
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
const open = (index: number, block: Event): Event => ({ type: 'content_block_start', index, content_block: block });
const extend = (index: number, delta: Event): Event => ({ type: 'content_block_delta', index, delta });
const close = (index: number): Event => ({ type: 'content_block_stop', index });
const payment = { type: 'tool_use', id: 'call_1', name: 'pay', input: {} };

describe('a reply of megabytes', () => {
  it.each<[what: string, create: typeof openaiProvider, hostile: string, fault: string]>([
    [
      '50,000 calls in one event',
      openaiProvider,
      format([chat({ tool_calls: repeat(50_000, piece) }), ...chatEnd]),
      'more than 200 calls',
    ],
    [
      '50,000 details of reasoning in one event',
      openaiProvider,
      format([chat({ reasoning_details: repeat(50_000, (id) => ({ type: `t${id}`, text: 'a' })) }), ...chatEnd]),
      'more than 2000 parts',
    ],
    [
      '40,000 blocks after an early stop reason',
      anthropicProvider,
      format([
        message,
        open(0, { type: 'text', text: '' }),
        ended,
        ...repeat(40_000, (at) => open(at + 1, { type: 'text' })),
      ]),
      'after the end of the reply',
    ],
    [
      '40,000 blocks',
      anthropicProvider,
      format([message, ...repeat(40_000, (at) => open(at, { type: 'text', text: 'a' })), ended]),
      'more than 2000 parts',
    ],
  ])('costs no more than a plain one as long, and is a failed attempt (%s)', async (_, create, hostile, fault) => {
    const plain = format([chat({ content: 'x'.repeat(hostile.length) }), ...chatEnd]);
    const [usual, reply] = [await read(openaiProvider, plain), await read(create, hostile)];
    expect(usual.result.ok).toBe(true);
    expect(reply.result).toMatchObject({
      ok: false,
      failure: { kind: 'invalid_reply', message: expect.stringContaining(fault) },
    });
    expect(reply.cpu / Math.max(usual.cpu, 20)).toBeLessThan(10);
  });

  it('costs time linear in its bytes, where one long event comes in small chunks with any line break', async () => {
    // A search for the end of the event that begins again with each chunk is quadratic. The first run warms up.
    const reply = (words: number) =>
      format([chat({ content: 'word '.repeat(words) }), ...chatEnd]).replaceAll('\n', '\r');
    await read(openaiProvider, reply(1_000), 512);
    const small = await read(openaiProvider, reply(150_000), 512);
    const large = await read(openaiProvider, reply(600_000), 512);
    expect(large.result).toMatchObject({ ok: true, reply: { content: [{ text: 'word '.repeat(600_000) }] } });
    expect(large.cpu / Math.max(small.cpu, 20)).toBeLessThan(8);
  });

  it('leaves turns to other work, also where it arrives as one chunk', async () => {
    const reply = format([...repeat(100_000, () => chat({ content: 'word ' })), ...chatEnd]);
    let done = false;
    const reading = read(openaiProvider, reply, reply.length).finally(() => {
      done = true;
    });
    let turns = 0;
    while (!done) {
      await nextTurn();
      turns += 1;
    }
    const { result, cpu } = await reading;
    expect(result.ok).toBe(true);
    // A turn for every 50 ms of work. What is left for each turn here is ten times as much.
    expect(turns).toBeGreaterThan(Math.max(3, cpu / 500));
  });
});

describe('a reply that breaks the order of its API', () => {
  it.each<[what: string, create: typeof openaiProvider, events: string, fault: string]>([
    [
      'calls after [DONE]',
      openaiProvider,
      `${format([chat({ content: 'Done.' })])}data: [DONE]\n\n${format([chat({ tool_calls: [piece(0)] })])}`,
      'a call came after the end of the reply',
    ],
    [
      'calls after a finish reason',
      openaiProvider,
      format([chat({ content: 'Done.' }, 'stop'), chat({ tool_calls: [piece(0)] }), ...chatEnd]),
      'a call came after the end of the reply',
    ],
    [
      'arguments before the beginning of their call',
      anthropicProvider,
      format([
        message,
        extend(0, { type: 'input_json_delta', partial_json: '{"amount":5}' }),
        open(0, payment),
        close(0),
        ended,
      ]),
      'a part of the block 0 came before its beginning',
    ],
    [
      'arguments after the end of their call',
      anthropicProvider,
      format([
        message,
        open(0, payment),
        close(0),
        extend(0, { type: 'input_json_delta', partial_json: '{"amount":5}' }),
        ended,
      ]),
      'a part of the block 0 came after its end',
    ],
    [
      'two blocks with one index',
      anthropicProvider,
      format([message, open(0, payment), close(0), open(0, payment), close(0), ended]),
      'two blocks with the index 0',
    ],
    [
      'a call without its end',
      anthropicProvider,
      format([message, open(0, payment), ended, { type: 'message_stop' }]),
      'the reply ended within a call',
    ],
    [
      'a call after the stop reason',
      anthropicProvider,
      format([message, open(1, { type: 'text', text: '' }), ended, open(0, payment), close(0), close(1)]),
      'a block came after the end of the reply',
    ],
  ])('is a failed attempt that executes nothing (%s)', async (_, create, events, fault) => {
    const { result } = await read(create, events);
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'invalid_reply', message: expect.stringContaining(fault) },
    });
  });
});

describe('parts of an AI SDK package', () => {
  const toolCall = { type: 'tool-call', toolCallId: 'call_1', toolName: 'pay', input: '{}' };

  it.each<[what: string, parts: readonly object[], fault: string]>([
    ['a call', [...textParts('Done.'), finish, toolCall], 'a call came after the end of the reply'],
    ['text', [...textParts('Done.'), finish, ...textParts('More.')], 'text came after the end of the reply'],
  ])('are a failed attempt where %s follows their end', async (_, parts, fault) => {
    const result = await callModel(createPartsModel(parts));
    expect(result).toMatchObject({ ok: false, failure: { kind: 'invalid_reply', message: fault } });
  });

  it('are bounded: 50,000 calls are a failed attempt', async () => {
    const calls = repeat(50_000, (index) => ({ ...toolCall, toolCallId: `call_${index}` }));
    const result = await callModel(createPartsModel([...calls, finish]));
    expect(result).toMatchObject({ ok: false, failure: { message: 'the reply has more than 200 calls' } });
  });
});
