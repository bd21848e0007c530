/** The requests of real packages of the AI SDK, of both supported versions, over real HTTP. */

import { describe, expect, it } from 'vitest';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import type { FileBlock } from '../../../src/entries/client.js';
import { callAt, request, serve } from '../call.js';
import { replyOf, versions } from './call.js';

const tools = [{ name: 'get_weather', description: 'Weather', inputSchema: { type: 'object' } }];
const asked = request.messages[0]!;

describe.each(versions)('a model of AI SDK %s', (_version, createModel) => {
  it('gets its thinking back unchanged, with its signature and the results of its calls', async () => {
    const server = await serve([
      { thinking: 'I need the weather.', calls: [{ name: 'get_weather', input: { city: 'Paris' }, id: 'c1' }] },
      { text: 'Rain.' },
    ]);
    const model = createModel(server.url);
    const { content } = await replyOf(model, { request: { tools } });
    const result = { type: 'tool_result', tool_use_id: 'c1', content: 'rain', is_error: true } as const;
    const messages = [
      asked,
      { role: 'assistant', content },
      { role: 'user', content: [result, { type: 'text', text: 'Be brief.' }] },
    ] as const;
    await replyOf(model, { request: { tools, messages } });
    expect(server.rejected).toEqual([]);
    expect(server.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I need the weather.', signature: expect.stringMatching(/^[\w+/=]{40,}$/) },
          { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Paris' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1' },
          { type: 'text', text: 'Be brief.' },
        ],
      },
    ]);
    expect(JSON.stringify(server.requests[1]?.body.messages[2])).toContain('"is_error":true');
  });

  it('never gets the thinking of another provider, and no other provider gets its thinking', async () => {
    const server = await serve([{ thinking: 'Hm.', text: 'Yes.' }, { text: 'ok' }, { text: 'ok' }]);
    const { content } = await replyOf(createModel(server.url));
    const ask = { role: 'user', content: [{ type: 'text', text: 'Sure?' }] } as const;
    const others: readonly ReplyBlock[] = [
      { type: 'thinking', thinking: 'Foreign.', signature: 'abc' },
      { type: 'redacted_thinking', data: 'abc' },
      { type: 'text', text: 'No.' },
    ];
    await replyOf(createModel(server.url), {
      request: { messages: [asked, { role: 'assistant', content: others }, ask] },
    });
    await callAt(server.url, { request: { messages: [asked, { role: 'assistant', content }, ask] } });
    expect(server.requests[1]?.body.messages[1]?.content).toMatchObject([{ type: 'text', text: 'No.' }]);
    expect(server.requests[2]?.body.messages[1]?.content).toEqual([{ type: 'text', text: 'Yes.' }]);
  });

  it('is asked with the limit of output, the tools, the effort and the provider options of the call', async () => {
    const server = await serve([{ text: 'ok' }]);
    await replyOf(createModel(server.url), {
      request: { tools, toolChoice: 'none' },
      model: { effort: 'low', thinking: { type: 'adaptive' } },
      provider: { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    });
    expect(server.requests[0]?.body).toMatchObject({
      model: 'claude-sonnet-5-5',
      max_tokens: 2_000,
      stream: true,
      system: [{ type: 'text', text: 'You compare weather.' }],
      tools: [{ name: 'get_weather', description: 'Weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      output_config: { effort: 'low' },
      thinking: { type: 'adaptive' },
      cache_control: { type: 'ephemeral' },
    });
  });

  it('gets files as content, and those of a result after all results', async () => {
    const image: FileBlock = {
      type: 'file',
      file: { name: 'a.png', mediaType: 'image/png', bytes: 3, digest: 'sha256:1' },
    };
    const pdf: FileBlock = {
      type: 'file',
      file: { name: 'b.pdf', mediaType: 'application/pdf', bytes: 3, digest: 'sha256:2' },
    };
    const files = new Map([
      ['sha256:1', Buffer.from('one')],
      ['sha256:2', Buffer.from('two')],
    ]);
    const server = await serve([{ text: 'ok' }]);
    const use = (id: string) => ({ type: 'tool_use', id, name: 'get_weather', input: {} }) as const;
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'Done.' }) as const;
    await replyOf(createModel(server.url), {
      files,
      request: {
        tools,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Look.' }, pdf] },
          { role: 'assistant', content: [use('c1'), use('c2')] },
          { role: 'user', content: [{ ...result('c1'), files: [image] }, result('c2')] },
        ],
      },
    });
    expect(server.requests[0]?.body.messages).toMatchObject([
      {
        content: [
          { type: 'text' },
          { type: 'document', source: { media_type: 'application/pdf', data: 'dHdv' }, title: 'b.pdf' },
        ],
      },
      {},
      {
        content: [
          { type: 'tool_result', tool_use_id: 'c1' },
          { type: 'tool_result', tool_use_id: 'c2' },
          { type: 'text', text: 'Files of the result of get_weather (c1):' },
          { type: 'image', source: { media_type: 'image/png', data: 'b25l' } },
        ],
      },
    ]);
  });
});
