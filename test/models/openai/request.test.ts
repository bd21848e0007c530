/** The body of `POST /chat/completions`, for each kind of server, and where it is sent. */

import { describe, expect, it } from 'vitest';
import type { FileBlock, ModelMessage } from '../../../src/entries/client.js';
import type { JsonObject, ReplyBlock } from '../../../src/index.js';
import { openaiProvider } from '../../../src/models/openai/provider.js';
import { toChatBody } from '../../../src/models/openai/request.js';
import { describeChatServer } from '../../../src/models/openai/server.js';
import { createCarriedReasoning } from '../../../src/models/wire/carried-reasoning.js';
import { matchError } from '../../support/match-error.js';
import { type CallChanges, callProvider, request, serveChat, snapshot, toReply } from '../call.js';

function bodyFor(host: string, { request: own, model, maxTokens = 10 }: CallChanges = {}): JsonObject {
  const call = {
    request: { ...request, ...own },
    model: { ...snapshot, id: model?.name ?? snapshot.id, ...model },
    maxTokens,
  };
  return toChatBody(call, describeChatServer(host)) as unknown as JsonObject;
}

const use = (id: string, input: JsonObject | string = {}): ReplyBlock => ({
  type: 'tool_use',
  id,
  name: 'look',
  input,
});
const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }];
const user = (...content: (ModelMessage & { role: 'user' })['content']): ModelMessage => ({ role: 'user', content });
const assistant = (...content: readonly ReplyBlock[]): ModelMessage => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const result = (id: string, content = 'ok') => ({ type: 'tool_result', tool_use_id: id, content }) as const;

describe('a request', () => {
  it('contains the content of the call and nothing else', async () => {
    const server = await serveChat([{ text: 'ok' }]);
    toReply(await callProvider(openaiProvider({ baseURL: server.url, apiKey: 'test' })));
    expect(server.requests[0]?.body).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 2_000,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'You compare weather.' },
        { role: 'user', content: 'Paris?' },
      ],
    });
    const headers = server.requests[0]?.headers;
    expect(headers?.authorization).toBe('Bearer test');
    expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('openai-'))).toEqual([]);
  });

  it('asks for one call where the catalogue states that the model makes one', () => {
    const asked = bodyFor('host', { request: { tools }, model: { asksForOneCall: true } });
    expect(asked.parallel_tool_calls).toBe(false);
    expect(bodyFor('host', { model: { asksForOneCall: true } })).not.toHaveProperty('parallel_tool_calls');
  });

  it('contains tools, effort, thinking, and a temperature if the model accepts it', () => {
    const model = { effort: 'low', thinking: { type: 'enabled' }, temperature: 0 } as const;
    expect(bodyFor('host', { request: { tools, toolChoice: 'none' }, model })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } }],
      tool_choice: 'none',
      reasoning_effort: 'low',
      thinking: { type: 'enabled' },
      temperature: 0,
    });
  });

  it('has each result after its call, then the texts of the turn', () => {
    const messages = [
      user(text('Go'), text('Fast')),
      assistant(text('Both.'), use('a', { at: 1 }), use('b')),
      user(result('b', 'two'), result('a', 'one'), text('More')),
      assistant(text('Done')),
    ];
    expect(bodyFor('host', { request: { system: '', messages } }).messages).toEqual([
      { role: 'user', content: 'Go\n\nFast' },
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'user', content: 'More' },
      { role: 'assistant', content: 'Done' },
    ]);
  });

  it('wraps unreadable arguments in an object, which templates of local models require', () => {
    const messages = [user(text('Go')), assistant(use('a', '{"city": "Par')), user(result('a'))];
    expect(bodyFor('host', { request: { messages } }).messages).toMatchObject([
      {},
      {},
      { content: null, tool_calls: [{ function: { arguments: '{"unreadable":"{\\"city\\": \\"Par"}' } }] },
      {},
    ]);
  });

  it('carries images and PDFs as data, those of a result after it', () => {
    const fileOf = (name: string, mediaType: string): FileBlock => ({
      type: 'file',
      file: { name, mediaType, bytes: 3, digest: name },
    });
    const [image, pdf] = [fileOf('a.png', 'image/png'), fileOf('b.pdf', 'application/pdf')];
    const messages = [user(text('Look'), pdf), assistant(use('c1')), user({ ...result('c1'), files: [image] })];
    const files = new Map([
      ['a.png', Buffer.from('one')],
      ['b.pdf', Buffer.from('two')],
    ]);
    const call = { request: { ...request, system: '', messages }, files, model: snapshot, maxTokens: 10 };
    const server = describeChatServer('api.openai.com');
    expect(toChatBody(call, server).messages).toMatchObject([
      {
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,dHdv' } },
        ],
      },
      { role: 'assistant' },
      { role: 'tool', content: 'ok' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Files of the result of call c1:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,b25l' } },
        ],
      },
    ]);
    expect(() => toChatBody({ ...call, files: new Map() }, server)).toThrow('The bytes of b.pdf are missing.');
  });
});

describe('the server decides', () => {
  it.each([
    ['api.openai.com', 'max_completion_tokens'],
    ['eu.api.openai.com', 'max_completion_tokens'],
    ['ours.openai.azure.com', 'max_completion_tokens'],
    ['openrouter.ai', 'max_tokens'],
    ['127.0.0.1:8000', 'max_tokens'],
    ['api.openai.com.evil.example', 'max_tokens'],
  ])('how the limit of output tokens is named (%s: %s), which an option overrides', (host, field) => {
    const both = ({ max_tokens, max_completion_tokens }: JsonObject) => ({ max_tokens, max_completion_tokens });
    expect(both(bodyFor(host))).toEqual({ max_tokens: undefined, max_completion_tokens: undefined, [field]: 10 });
  });

  it('whether usage is requested: Mistral rejects that, and sends it unasked', () => {
    expect(bodyFor('api.mistral.ai')).not.toHaveProperty('stream_options');
  });

  it("that no user's message follows a result for a model of Mistral", () => {
    const messages = [user(text('Go')), assistant(use('a')), user(result('a'), text('More'))];
    const rolesOf = (host: string, name: string) =>
      (bodyFor(host, { request: { messages, system: '' }, model: { name } }).messages as readonly JsonObject[]).map(
        ({ role }) => role,
      );
    expect(rolesOf('localhost:1', 'qwen3')).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(rolesOf('localhost:1', 'mistralai/devstral-small')).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(rolesOf('api.mistral.ai', 'any')).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it("that OpenAI's reasoning models get no stop sequences, and all others at most four", () => {
    const stopSequences = ['1', '2', '3', '4', '5'];
    const stopOf = (host: string, name: string) => bodyFor(host, { request: { stopSequences }, model: { name } }).stop;
    expect(stopOf('api.openai.com', 'gpt-5.5')).toBeUndefined();
    expect(stopOf('api.openai.com', 'o4-mini')).toBeUndefined();
    expect(stopOf('api.openai.com', 'gpt-4.1')).toEqual(['1', '2', '3', '4']);
    expect(stopOf('localhost:1', 'gpt-5.5')).toEqual(['1', '2', '3', '4']);
  });

  it('which files it takes, and its name', () => {
    const describe = (baseURL: string) => {
      const { name, files = [] } = openaiProvider({ baseURL });
      return [name, ...files.map(({ kind }) => kind)];
    };
    expect(describe('https://api.openai.com/v1')).toEqual(['openai', 'image', 'pdf']);
    expect(describe('https://openrouter.ai/api/v1')).toEqual(['openrouter', 'image', 'pdf']);
    expect(describe('http://127.0.0.1:11434')).toEqual(['chat-server', 'image']);
  });
});

describe('reasoning', () => {
  const ask = (block: ReplyBlock) => [user(text('Go')), assistant(block, use('a')), user(result('a'))];
  const own = createCarriedReasoning('openrouter.ai', 'Hm', { field: 'reasoning_content' });

  it('goes back to the provider that sent it, in the same field', () => {
    expect(bodyFor('openrouter.ai', { request: { messages: ask(own) } }).messages).toMatchObject([
      {},
      {},
      { reasoning_content: 'Hm' },
      {},
    ]);
  });

  it.each<[string, ReplyBlock]>([
    ['another server', own],
    ['Claude', { type: 'thinking', thinking: 'Hm', signature: 'c2lnbmVk' }],
    ['a broken store', { type: 'thinking', thinking: 'Hm', signature: 'longhand:{' }],
    ['Claude, redacted', { type: 'redacted_thinking', data: 'Hm' }],
  ])('of %s is not sent', (_, block) => {
    expect(JSON.stringify(bodyFor('127.0.0.1:1', { request: { messages: ask(block) } }))).not.toContain('Hm');
  });

  it('is not sent with a reply without calls, which no model reads again', () => {
    const messages = [user(text('Go')), assistant(own, text('Done')), user(text('And?'))];
    expect(JSON.stringify(bodyFor('openrouter.ai', { request: { messages } }))).not.toContain('Hm');
  });
});

describe('the address', () => {
  it.each([
    ['http://host:1', 'http://host:1/v1/chat/completions'],
    ['http://host:1/v1/', 'http://host:1/v1/chat/completions'],
    ['https://host/api/v1/chat/completions', 'https://host/api/v1/chat/completions'],
    ['https://host/v1beta/openai/', 'https://host/v1beta/openai/chat/completions'],
  ])('%s is called at %s', async (baseURL, called) => {
    expect(await findUrl({ baseURL })).toMatchObject({ url: called });
  });

  it('of Azure has the deployment and the version, and the key in its header', async () => {
    const options = { baseURL: 'https://ours.openai.azure.com/openai', apiKey: 'azure-key', apiVersion: '2025-04-01' };
    const { url, headers } = await findUrl(options);
    expect(url).toBe(
      'https://ours.openai.azure.com/openai/deployments/claude-sonnet-5-5/chat/completions?api-version=2025-04-01',
    );
    expect(headers.get('api-key')).toBe('azure-key');
    expect(headers.get('authorization')).toBeNull();
  });

  it('names the organization that the call is charged to', async () => {
    const { headers } = await findUrl({ baseURL: 'http://host:1', apiKey: 'k', organization: 'org-7' });
    expect(headers.get('openai-organization')).toBe('org-7');
    expect((await findUrl({ baseURL: 'http://host:1', apiKey: 'k' })).headers.get('openai-organization')).toBeNull();
  });

  it('gets the headers of the options', async () => {
    const { headers } = await findUrl({ baseURL: 'http://host:1', headers: { 'X-Title': 'Longhand' } });
    expect(headers.get('x-title')).toBe('Longhand');
  });

  it.each([
    ['without a key and an address', {}, 'OPENAI_API_KEY'],
    ['that is no address', { baseURL: 'host' }, 'Use the form'],
    ['with a password', { baseURL: 'http://a:b@host' }, 'Put the key in OPENAI_API_KEY'],
    ['of Azure that is missing', { apiKey: 'k', apiVersion: '1' }, 'baseURL is missing'],
  ])('%s is rejected', (_, options, part) => {
    expect(() => openaiProvider(options)).toThrow(matchError('model_not_configured', part));
  });
});

async function findUrl(options: Parameters<typeof openaiProvider>[0]): Promise<{ url: string; headers: Headers }> {
  let called = { url: '', headers: new Headers() };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    called = { url: String(input), headers: new Headers(init?.headers) };
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  await callProvider(openaiProvider({ ...options, fetch }));
  return called;
}
