import { describe, expect, it } from 'vitest';
import { anthropicProvider } from '../../src/models/anthropic.js';
import { modelFromEnvironment } from '../../src/models/environment.js';
import { request, serve, snapshot } from './call.js';

const call = { request, model: snapshot, maxTokens: 100 };
const quiet = { signal: new AbortController().signal };

describe('the model of the environment', () => {
  it('is none with neither a key nor a server', () => {
    expect(modelFromEnvironment({})).toBeNull();
    expect(modelFromEnvironment({ ANTHROPIC_API_KEY: ' ', LONGHAND_MODEL_URL: '', LONGHAND_MODEL: 'x' })).toBeNull();
  });

  it('is Claude with a key', () => {
    const model = modelFromEnvironment({ ANTHROPIC_API_KEY: 'k', LONGHAND_MODEL: 'claude-haiku-5-5' });
    expect(model).toMatchObject({ model: 'claude-haiku-5-5', description: 'Claude at api.anthropic.com' });
    expect(model?.provider.name).toBe('anthropic');
  });

  it.each(['', '/', '/v1', '/v1/messages'])(
    'is a server at its address, written with %j behind, without a key',
    async (tail) => {
      const server = await serve([{ text: 'ok' }]);
      const model = modelFromEnvironment({ LONGHAND_MODEL_URL: server.url + tail });
      expect(model).toMatchObject({ model: null, description: `Messages API at ${server.url}` });
      expect(model?.provider.name).toBe(server.url.replace('http://', ''));
      expect(await model?.provider.call(call, quiet)).toMatchObject({ ok: true });
      expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
    },
  );

  it('sends a token as a bearer, and goes where ANTHROPIC_BASE_URL says', async () => {
    const server = await serve([{ text: 'ok' }]);
    const model = modelFromEnvironment({ ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_BASE_URL: server.url });
    expect(await model?.provider.call(call, quiet)).toMatchObject({ ok: true });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer t');
  });
});

describe('an address', () => {
  it.each(['localhost:4000', 'ftp://host', 'nonsense'])('%s is refused with one to write instead', (baseURL) => {
    expect(() => anthropicProvider({ baseURL })).toThrow(/Write it as http:/);
  });

  it('with a password in it is refused without repeating it', () => {
    const wrong = () => anthropicProvider({ baseURL: 'http://me:secret@host' });
    expect(wrong).toThrow(/Put the key in ANTHROPIC_API_KEY/);
    expect(wrong).not.toThrow(/secret/);
  });
});
