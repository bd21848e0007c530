import { describe, expect, it, vi } from 'vitest';
import { anthropicProvider } from '../../src/entries/models.js';
import { createProvidersFromEnvironment, readDefaultModel } from '../../src/models/environment.js';
import { matchError } from '../support/match-error.js';
import { request, serve, serveChat, snapshot } from './call.js';

const call = { request, model: snapshot, maxTokens: 100 };
const quiet = { signal: new AbortController().signal };

/** The call of the only provider that the environment configures. */
async function createOnly(...given: Parameters<typeof createProvidersFromEnvironment>) {
  const [only, ...others] = await createProvidersFromEnvironment(...given);
  if (only === undefined || others.length > 0) throw new Error(`${others.length} more providers`);
  return only;
}

describe('the providers of the environment', () => {
  it('do not exist without a key and a server', async () => {
    expect(await createProvidersFromEnvironment({})).toEqual([]);
    const empty = { ANTHROPIC_API_KEY: ' ', LONGHAND_MODEL_URL: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: ' ' };
    expect(await createProvidersFromEnvironment(empty)).toEqual([]);
  });

  it('are all that have a key or an address, at once, in one order', async () => {
    const env = { GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' };
    expect((await createProvidersFromEnvironment(env)).map(({ provider, ...rest }) => [provider.name, rest])).toEqual([
      ['anthropic', { description: 'Claude at api.anthropic.com', address: 'https://api.anthropic.com' }],
      ['openai', { description: 'OpenAI at api.openai.com', address: 'https://api.openai.com/v1' }],
      [
        'gemini',
        { description: 'Gemini at generativelanguage.googleapis.com', address: expect.stringMatching(/\/openai$/) },
      ],
    ]);
  });

  it.each(['', '/', '/v1', '/v1/messages'])(
    'have a server of the Messages API at its address, written with %j behind, without a key',
    async (tail) => {
      const server = await serve([{ text: 'ok' }]);
      const { provider, description } = await createOnly({ LONGHAND_MODEL_URL: server.url + tail });
      expect(description).toBe(`Messages API at ${server.url}`);
      expect(provider.name).toBe('model-server');
      expect(await provider.call(call, quiet)).toMatchObject({ ok: true });
      expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
    },
  );

  it('have a local server of Chat Completions by OPENAI_BASE_URL alone', async () => {
    const server = await serveChat([{ text: 'ok' }]);
    const { provider, description } = await createOnly({ OPENAI_BASE_URL: server.url });
    expect(description).toBe(`Chat Completions API at ${server.url}/v1`);
    expect(provider.name).toBe('chat-server');
    expect(await provider.call(call, quiet)).toMatchObject({ ok: true });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
  });

  it('have the name of the service at their address, so that rules for a service never apply to another host', async () => {
    const nameAt = async (env: Readonly<Record<string, string>>) => (await createOnly(env)).provider.name;
    const at = (OPENAI_BASE_URL: string) => nameAt({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL });
    expect(await at('https://eu.api.openai.com/v1')).toBe('openai');
    expect(await at('https://openrouter.ai/api/v1')).toBe('openrouter');
    expect(await at('https://gateway.example/v1')).toBe('chat-server');
    const key = { ANTHROPIC_API_KEY: 'k' };
    expect(await nameAt({ ...key, ANTHROPIC_BASE_URL: 'https://api.anthropic.com' })).toBe('anthropic');
    expect(await nameAt({ ...key, ANTHROPIC_BASE_URL: 'https://gateway.example' })).toBe('model-server');
  });

  it('are one for a service that two variables name', async () => {
    const env = { OPENAI_BASE_URL: 'https://generativelanguage.googleapis.com/v1beta/openai', GEMINI_API_KEY: 'g' };
    expect((await createOnly({ ...env, OPENAI_API_KEY: 'o' })).provider.name).toBe('gemini');
  });

  it('are rejected where two variables name two APIs of one service', async () => {
    const env = {
      LONGHAND_MODEL_URL: 'https://api.deepseek.com/anthropic',
      OPENAI_BASE_URL: 'https://api.deepseek.com/v1',
    };
    await expect(createProvidersFromEnvironment(env)).rejects.toThrow(
      matchError('model_not_configured', 'The environment configures deepseek twice'),
    );
  });

  it('send a token as a bearer to ANTHROPIC_BASE_URL', async () => {
    const server = await serve([{ text: 'ok' }]);
    const { provider } = await createOnly({ ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_BASE_URL: server.url });
    expect(provider.name).toBe('model-server');
    expect(await provider.call(call, quiet)).toMatchObject({ ok: true });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer t');
  });
});

describe('the key', () => {
  const key = 'sk-canary-0123456789-abcdefgh';
  const secrets = { get: (name: string) => (name === 'ANTHROPIC_API_KEY' ? key : null) };

  it('is read only from the secret provider', async () => {
    const server = await serve([{ text: 'ok' }]);
    const { provider } = await createOnly({ LONGHAND_MODEL_URL: server.url, ANTHROPIC_API_KEY: 'other' }, secrets);
    await provider.call(call, quiet);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(await createProvidersFromEnvironment({ ANTHROPIC_API_KEY: 'other' }, new Map())).toEqual([]);
  });

  it('is read when the provider is created, and masked then: the SDK is loaded with the first call', async () => {
    const server = await serve([{ text: 'ok' }]);
    vi.stubEnv('ANTHROPIC_API_KEY', key);
    vi.stubEnv('ANTHROPIC_BASE_URL', server.url);
    const provider = anthropicProvider();
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-another');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    expect(await provider.call(call, quiet)).toMatchObject({ ok: true });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('is reported when it cannot be read, without the message of the secret provider', async () => {
    const failing = { get: () => Promise.reject(Object.assign(new Error(`bad token ${key}`), { code: 'EACCES' })) };
    await expect(createProvidersFromEnvironment({}, failing)).rejects.toThrow(
      matchError('secret_unreadable', /^Cannot read the secret ANTHROPIC_API_KEY \(EACCES\)\.$/),
    );
  });

  it("is masked in the server's messages", async () => {
    const server = await serve([
      { status: 401, error: { type: 'authentication_error', message: `no such key: Bearer ${key}` } },
      { text: `You sent ${key}, I think`, calls: [{ name: 'look', input: { header: `Basic ${btoa(`me:${key}`)}` } }] },
    ]);
    const { provider } = await createOnly({ LONGHAND_MODEL_URL: server.url }, secrets);
    const spoken: string[] = [];
    const rejected = await provider.call(call, quiet);
    const replied = await provider.call(call, { ...quiet, onText: (text) => spoken.push(text) });
    expect(rejected).toMatchObject({ failure: { message: 'no such key: Bearer [redacted:secret]' } });
    expect(replied).toMatchObject({ ok: true });
    expect(JSON.stringify(replied)).toContain('You sent [redacted:secret], I think');
    expect(JSON.stringify(replied)).not.toContain(key);
    expect(JSON.stringify(replied)).not.toContain(btoa(`me:${key}`).slice(8, 24));
    expect(spoken.join('')).toContain('I think');
  });
});

describe('an address', () => {
  it.each(['localhost:4000', 'ftp://host', 'nonsense'])('%s is rejected with the expected form', (baseURL) => {
    expect(() => anthropicProvider({ baseURL })).toThrow(
      matchError('model_not_configured', `"${baseURL}". Use the form http:`),
    );
  });

  it('with a password is rejected without repeating it', () => {
    const wrong = () => anthropicProvider({ baseURL: 'http://me:secret@host' });
    expect(wrong).toThrow(matchError('model_not_configured', /Put the key in ANTHROPIC_API_KEY/));
    expect(wrong).not.toThrow(/secret/);
  });
});

it('the default model of the environment is LONGHAND_MODEL, and none where that is empty', () => {
  const read = (text?: string) => readDefaultModel(text === undefined ? {} : { LONGHAND_MODEL: text });
  expect([read(), read(' '), read(' claude-haiku-5-5 ')]).toEqual([null, null, 'claude-haiku-5-5']);
});
