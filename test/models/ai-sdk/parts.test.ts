/** Models of the AI SDK made of stream parts: what packages and servers may do that the scripted server does not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import { type AiSdkModel, aiSdkProvider } from '../../../src/entries/models.js';
import { request, snapshot } from '../call.js';
import { callModel, createPartsModel, failureOf, finish, replyOf, textParts, usage } from './call.js';

const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }];
const asked = request.messages[0]!;

describe('a reply', () => {
  it('has the texts and thoughts of a package that uses an id again, in order', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'First.' },
      { type: 'reasoning-end', id: 'r' },
      ...textParts('One.'),
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Then.' },
      { type: 'reasoning-end', id: 'r' },
      ...textParts('Two.'),
      ...textParts(' '),
      finish,
    ];
    const { content } = await replyOf(createPartsModel(parts));
    expect(
      content.map((block) => (block.type === 'thinking' ? block.thinking : 'text' in block && block.text)),
    ).toEqual(['First.', 'One.', 'Then.', 'Two.']);
  });

  it('leaves out tools that the provider executes itself, and unknown parts', async () => {
    const parts = [
      { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-delta', id: 's', delta: '{}' },
      { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [] },
      { type: 'source', id: 'u', sourceType: 'url', url: 'http://127.0.0.1' },
      { type: 'something-new' },
      ...textParts('Found.'),
      finish,
    ];
    expect((await replyOf(createPartsModel(parts))).content).toEqual([{ type: 'text', text: 'Found.' }]);
  });

  const text = (words: string) => ({ type: 'text', text: words });
  const search = { toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true };
  it.each<[string, readonly object[], readonly object[]]>([
    ['parts in sequence', [...textParts('It '), ...textParts('rains.')], [text('It rains.')]],
    ['a blank part between', [...textParts('It'), ...textParts(' '), ...textParts('rains.')], [text('It rains.')]],
    [
      'a source between',
      [...textParts('It rains'), { type: 'source', id: 'u' }, ...textParts(' in Paris.')],
      [text('It rains in Paris.')],
    ],
    [
      'a tool of the provider between',
      [
        ...textParts('I look.'),
        { type: 'tool-call', ...search },
        { type: 'tool-result', ...search },
        ...textParts('Rain.'),
      ],
      [text('I look.'), text('Rain.')],
    ],
    [
      'metadata of their own',
      [...textParts('A', { some: { id: 1 } }), ...textParts('B'), ...textParts('C')],
      [{ type: 'thinking' }, text('A'), text('BC')],
    ],
  ])('joins the texts of parts in sequence, and only these (%s)', async (_what, parts, content) => {
    expect((await replyOf(createPartsModel([...parts, finish]))).content).toMatchObject(content);
  });

  it.each([
    ['', {}],
    ['{"city": "Par', '{"city": "Par'],
    ['"Paris"', 'Paris'],
  ])('has the arguments of a call (%j as %j), which the next request sends as an object', async (input, expected) => {
    const model = createPartsModel([{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input }, finish]);
    const { content } = await replyOf(model, { request: { tools } });
    expect(content).toEqual([{ type: 'tool_use', id: 'c', name: 'look', input: expected }]);
    await replyOf(model, { request: { messages: [asked, { role: 'assistant', content }] } });
    const sent = typeof expected === 'string' ? { unreadable: expected } : expected;
    expect(model.calls[1]?.prompt[2]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'tool-call', input: sent }],
    });
  });

  it.each([
    ['nothing', undefined, 'it reported no input tokens'],
    ['null', { inputTokens: null, outputTokens: null }, 'it reported no input tokens'],
    ['only input', { inputTokens: usage.inputTokens, outputTokens: {} }, 'it reported no output tokens'],
    ['no numbers', { ...usage, outputTokens: { total: Number.NaN } }, 'it reported NaN as total'],
    ['texts', { ...usage, inputTokens: { total: '30' } }, 'it reported "30" as total'],
    [
      'more cached than read',
      { ...usage, inputTokens: { total: 10, cacheRead: 40 } },
      'it reported 40 cached tokens of 10 input tokens',
    ],
  ])('without plausible usage has none, with the reason (%s)', async (_what, reported, usageProblem) => {
    const model = createPartsModel([...textParts('ok'), { ...finish, usage: reported }]);
    expect(await replyOf(model)).toMatchObject({ usage: null, usageProblem });
  });

  it.each([
    ['counted by parts', { noCache: 10, cacheRead: 20, cacheWrite: 5 }, { text: 3, reasoning: 4 }, [10, 20, 5, 7, 4]],
    ['without cache', { total: 30 }, { total: 7 }, [30, 0, 0, 7, 0]],
    [
      'whose uncached part has the written ones',
      { total: 30, noCache: 25, cacheRead: 5, cacheWrite: 20 },
      { total: 7 },
      [5, 5, 20, 7, 0],
    ],
    ['with thinking in the output', { total: 30 }, { total: 50, text: 10, reasoning: 40 }, [30, 0, 0, 50, 40]],
    ['with thinking beside the output', { total: 30 }, { total: 10, text: 0, reasoning: 40 }, [30, 0, 0, 50, 40]],
  ])('has usage %s, in which no token counts twice or not at all', async (_what, inputTokens, outputTokens, counts) => {
    const model = createPartsModel([...textParts('ok'), { ...finish, usage: { inputTokens, outputTokens } }]);
    const [input, cacheRead, cacheWrite, output, thinking] = counts;
    expect((await replyOf(model)).usage).toEqual({ input, output, cacheRead, cacheWrite, thinking });
  });

  it.each([
    ['stop', 'stop', 'end_turn'],
    ['length', 'MAX_TOKENS', 'max_tokens'],
    ['content-filter', 'SAFETY', 'refusal'],
    ['tool-calls', 'tool_calls', 'tool_use'],
    ['other', 'compaction', 'end_turn'],
  ])('that ends with %s (%s) has the stop reason %s', async (unified, raw, stopReason) => {
    const model = createPartsModel([...textParts('ok'), { ...finish, finishReason: { unified, raw } }]);
    expect((await replyOf(model)).stopReason).toBe(stopReason);
  });

  it('that is complete stays valid if its connection does not close, and does not wait for it', async () => {
    const from = performance.now();
    await replyOf(createPartsModel([...textParts('ok'), finish], { end: false }));
    expect(performance.now() - from).toBeLessThan(3_000);
  });

  it('with any parts is a reply or a failure, and never an exception', async () => {
    const member = fc.oneof(fc.string(), fc.constant('x'), fc.integer(), fc.constant(null), fc.object({ maxDepth: 2 }));
    const type = fc.constantFrom(
      ...['text-start', 'text-delta', 'text-end', 'reasoning-delta', 'tool-input-start', 'tool-input-delta'],
      ...['tool-call', 'finish', 'error', 'raw', 'stream-start', 'response-metadata'],
    );
    const names = [
      'id',
      'delta',
      'toolCallId',
      'toolName',
      'input',
      'providerMetadata',
      'finishReason',
      'usage',
      'error',
    ];
    const part = fc.tuple(type, fc.dictionary(fc.constantFrom(...names, 'warnings', 'modelId'), member));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const model = createPartsModel(parts.map(([type, members]) => ({ ...members, type })));
        const result = await callModel(model);
        expect(result.ok || result.failure.settle === 'reservation').toBe(true);
      }),
    );
  });
});

describe('metadata of a provider', () => {
  const signed = (signature: string) => ({ some: { signature } });
  const parts = [
    { type: 'reasoning-start', id: 'r', providerMetadata: signed('early') },
    { type: 'reasoning-end', id: 'r', providerMetadata: signed('thought') },
    ...textParts('I look.', signed('text')),
    { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}', providerMetadata: signed('call') },
    { type: 'tool-call', toolCallId: 'd', toolName: 'look', input: '{}' },
    finish,
  ];

  it('of thoughts, texts and calls goes back to it unchanged', async () => {
    const model = createPartsModel(parts);
    const { content } = await replyOf(model, { request: { tools } });
    await replyOf(model, { request: { messages: [asked, { role: 'assistant', content }] } });
    expect(model.calls[1]?.prompt[2]?.content).toEqual([
      { type: 'reasoning', text: '', providerOptions: signed('thought') },
      { type: 'text', text: 'I look.', providerOptions: signed('text') },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {}, providerOptions: signed('call') },
      { type: 'tool-call', toolCallId: 'd', toolName: 'look', input: {} },
    ]);
  });

  it('never goes to another provider, and neither do its thoughts', async () => {
    const { content } = await replyOf(createPartsModel(parts), { request: { tools } });
    const other = createPartsModel(parts, { provider: 'other.chat' });
    await replyOf(other, { request: { messages: [asked, { role: 'assistant', content }] } });
    expect(JSON.stringify(other.calls[0]?.prompt)).not.toContain('signature');
    expect(other.calls[0]?.prompt[2]?.content).toHaveLength(3);
  });

  it('of a text that is no longer in the conversation goes to no other block', async () => {
    const model = createPartsModel(parts);
    const { content } = await replyOf(model, { request: { tools } });
    const without = content.filter(({ type }) => type !== 'text');
    await replyOf(model, { request: { messages: [asked, { role: 'assistant', content: without }] } });
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('"text":"I look."');
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('{"signature":"text"}');
  });
});

describe('a model', () => {
  it.each([
    ['before its stream', { doStream: () => new Promise<never>(() => {}) }],
    ['in its stream', {}],
  ])('that ignores its signal is left within 500 ms of a cancel (%s)', async (_where, changes) => {
    const model: AiSdkModel = { ...createPartsModel(textParts('Rain'), { end: false }), ...changes };
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const from = performance.now();
    const failure = await failureOf(model, { options: { signal: controller.signal } });
    expect(failure).toMatchObject({ kind: 'cancelled', settle: 'reservation' });
    expect(performance.now() - from).toBeLessThan(550);
  });

  it.each([
    ['text', { type: 'text-delta', id: 't', delta: 'x'.repeat(1024 * 1024) }],
    ['events without content', { type: 'raw', rawValue: { type: 'ping', more: 'x'.repeat(1024 * 1024) } }],
  ])('L7: that never ends is aborted, and charged in full (%s)', async (_what, part) => {
    let sent = 0;
    const endless = {
      [Symbol.iterator]: () => ({
        next: () => {
          sent += 1024 * 1024;
          return { done: false as const, value: part };
        },
      }),
    };
    expect(await failureOf(createPartsModel(endless))).toMatchObject({ kind: 'too_large', settle: 'reservation' });
    expect(sent).toBeLessThan(2 * defaults.streamBytes);
  });

  it.each([
    [new Error('boom'), 'internal', 'reservation'],
    [Object.assign(new Error('slow down'), { statusCode: 429 }), 'rate_limit', 'nothing'],
    [new Error('wrapped', { cause: Object.assign(new Error('x'), { statusCode: 503 }) }), 'server_error', 'nothing'],
    [Object.assign(new Error('x'), { statusCode: 418, isRetryable: true }), 'server_error', 'nothing'],
    [Object.assign(new Error('half'), { statusCode: 200, name: 'AI_APICallError' }), 'cut', 'reservation'],
    [Object.assign(new Error('gone'), { code: 'ECONNRESET' }), 'connection', 'reservation'],
    [Object.assign(new Error('no'), { name: 'AI_UnsupportedFunctionalityError' }), 'bad_request', 'nothing'],
  ])('that throws (%s) has failed, and is charged nothing only where that is certain', async (error, kind, settle) => {
    const thrown = (): never => {
      throw error;
    };
    expect(await failureOf({ ...createPartsModel([]), doStream: thrown })).toMatchObject({ kind, settle });
  });

  it.each([
    ['nothing', undefined],
    ['no stream', {}],
    ['a stream without a reader', { stream: {} }],
  ])('that returns %s instead of a stream has failed, and is charged in full', async (_what, returned) => {
    const model = { ...createPartsModel([]), doStream: async () => returned as never };
    expect(await failureOf(model)).toMatchObject({ settle: 'reservation' });
  });

  it.each([
    ['sorry', 'server_error', 'sorry'],
    ['{"type":"overloaded_error","message":"busy"}', 'overloaded', 'busy'],
    [{ error: { type: 'rate_limit_error', message: 'slow' } }, 'rate_limit', 'slow'],
    [null, 'server_error', 'the provider sent an error without a message'],
  ])('whose stream has an error (%j) has failed, and is charged in full', async (error, kind, message) => {
    const model = createPartsModel([...textParts('It'), { type: 'error', error }, finish]);
    expect(await failureOf(model)).toMatchObject({ kind, message, settle: 'reservation' });
  });

  it.each([
    ['interrupted', undefined, 'cut'],
    ['other', undefined, 'cut'],
    ['error', 'boom', 'server_error'],
  ])('whose stream ends as %s (%s) has failed: %s', async (unified, raw, kind) => {
    const model = createPartsModel([...textParts('It'), { ...finish, finishReason: { unified, raw } }]);
    expect(await failureOf(model)).toMatchObject({ kind, settle: 'reservation' });
  });

  it('reports each of its warnings once', async () => {
    const warnings: string[] = [];
    const parts = [
      {
        type: 'stream-start',
        warnings: [
          { type: 'unsupported', feature: 'temperature', details: 'It is ignored.' },
          { type: 'other', message: 'Old model.' },
        ],
      },
      ...textParts('ok'),
      finish,
    ];
    const provider = aiSdkProvider(
      { some: createPartsModel(parts) },
      { onWarning: (warning) => warnings.push(warning) },
    );
    const model = { ...snapshot, id: 'some' };
    const { signal } = new AbortController();
    for (const _ of [1, 2]) await provider.call({ request, model, maxTokens: 9 }, { signal });
    expect(warnings).toEqual(['unsupported: temperature: It is ignored.', 'other: Old model.']);
  });

  it('that the provider does not have costs nothing, and its failure names those that it has', async () => {
    const result = await aiSdkProvider({ fast: createPartsModel([]), strong: createPartsModel([]) }).call(
      { request, model: { ...snapshot, id: 'constructor' }, maxTokens: 9 },
      { signal: new AbortController().signal },
    );
    expect(result).toMatchObject({
      failure: { kind: 'not_found', settle: 'nothing', message: expect.stringMatching(/"constructor".*fast, strong/) },
    });
  });

  it('of Claude sends the schema of the answer itself, and not as a tool of its package', async () => {
    const model = createPartsModel([...textParts('{}'), finish], { provider: 'anthropic.messages' });
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    await replyOf(model, { request: { output: { schema, strict: true } } });
    expect(model.calls).toMatchObject([
      {
        responseFormat: { type: 'json', schema },
        providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
      },
    ]);
  });

  it('combines a schema with tools only over APIs that can', () => {
    const offered = (...names: readonly string[]) =>
      aiSdkProvider(Object.fromEntries(names.map((provider) => [provider, createPartsModel([], { provider })])))
        .structuredOutput;
    expect(offered('openai.chat', 'anthropic.messages')).toBe('with_tools');
    expect(offered('openai.chat', 'google.generative-ai')).toBe('without_tools');
  });

  it('of Claude with a thinking budget gets no more output than was reserved', async () => {
    const model = createPartsModel([...textParts('ok'), finish], { provider: 'anthropic.messages' });
    const thinking = { type: 'enabled', budget_tokens: 50_000 };
    await replyOf(model, { maxTokens: 10_000, model: { thinking } });
    await replyOf(model, { maxTokens: 2_000, model: { thinking } });
    expect(model.calls).toMatchObject([
      {
        maxOutputTokens: 1_024,
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 8_976 } } },
      },
      { maxOutputTokens: 2_000 },
    ]);
    expect(model.calls[1]).not.toHaveProperty('providerOptions');
  });
});
