import { describe, expect, it } from 'vitest';
import { anthropicProvider } from '../../src/index.js';
import { createModelFromEnvironment, readDefaultModel } from '../../src/models/environment.js';
import { matchError } from '../support/match-error.js';
import { request, serve, snapshot } from './call.js';

const call = { request, model: snapshot, maxTokens: 100 };
const quiet = { signal: new AbortController().signal };

describe('the model of the environment', () => {
  it('is null without a key and a server', async () => {
    expect(await createModelFromEnvironment({})).toBeNull();
    expect(await createModelFromEnvironment({ ANTHROPIC_API_KEY: ' ', LONGHAND_MODEL_URL: '' })).toBeNull();
  });

  it('is Claude with a key', async () => {
    const model = await createModelFromEnvironment({ ANTHROPIC_API_KEY: 'k' });
    expect(model).toMatchObject({ description: 'Claude at api.anthropic.com' });
    expect(model?.provider.name).toBe('anthropic');
  });

  it.each(['', '/', '/v1', '/v1/messages'])(
    'is a server at its address, written with %j behind, without a key',
    async (tail) => {
      const server = await serve([{ text: 'ok' }]);
      const model = await createModelFromEnvironment({ LONGHAND_MODEL_URL: server.url + tail });
      expect(model).toMatchObject({ description: `Messages API at ${server.url}` });
      expect(model?.provider.name).toBe(server.url.replace('http://', ''));
      expect(await model?.provider.call(call, quiet)).toMatchObject({ ok: true });
      expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
    },
  );

  it('sends a token as a bearer to ANTHROPIC_BASE_URL', async () => {
    const server = await serve([{ text: 'ok' }]);
    const model = await createModelFromEnvironment({ ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_BASE_URL: server.url });
    expect(await model?.provider.call(call, quiet)).toMatchObject({ ok: true });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer t');
  });
});

describe('the key', () => {
  const key = 'sk-canary-0123456789-abcdefgh';
  const secrets = { get: (name: string) => (name === 'ANTHROPIC_API_KEY' ? key : null) };

  it('is read only from the secret provider', async () => {
    const server = await serve([{ text: 'ok' }]);
    const model = await createModelFromEnvironment(
      { LONGHAND_MODEL_URL: server.url, ANTHROPIC_API_KEY: 'other' },
      secrets,
    );
    await model?.provider.call(call, quiet);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(await createModelFromEnvironment({ ANTHROPIC_API_KEY: 'other' }, new Map())).toBeNull();
  });

  it('is reported when it cannot be read, without the message of the secret provider', async () => {
    const failing = { get: () => Promise.reject(Object.assign(new Error(`bad token ${key}`), { code: 'EACCES' })) };
    await expect(createModelFromEnvironment({}, failing)).rejects.toThrow(
      matchError('secret_unreadable', /^Cannot read the secret ANTHROPIC_API_KEY \(EACCES\)\.$/),
    );
  });

  it("is masked in the server's messages", async () => {
    const server = await serve([
      { status: 401, error: { type: 'authentication_error', message: `no such key: Bearer ${key}` } },
      { text: `You sent ${key}, I think`, calls: [{ name: 'look', input: { header: `Basic ${btoa(`me:${key}`)}` } }] },
    ]);
    const model = await createModelFromEnvironment({ LONGHAND_MODEL_URL: server.url }, secrets);
    const spoken: string[] = [];
    const rejected = await model?.provider.call(call, quiet);
    const replied = await model?.provider.call(call, { ...quiet, onText: (text) => spoken.push(text) });
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
