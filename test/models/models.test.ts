import { describe, expect, it } from 'vitest';
import { aiSdkProvider, anthropicProvider, type ModelProvider, openaiProvider } from '../../src/entries/models.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { matchError } from '../support/match-error.js';

const named = (name: string): ModelProvider => ({ name, call: () => Promise.reject(new Error('Unexpected call.')) });
const catalogue = loadCatalogue();
const both = [named('anthropic'), named('openai')];

describe('the models of a worker', () => {
  it('are found by name, with their prices', () => {
    const models = createModels({ providers: both, catalogue });
    const resolved = models.resolve('anthropic/claude-sonnet-5-5');
    expect(resolved).toMatchObject({
      name: 'anthropic/claude-sonnet-5-5',
      id: 'claude-sonnet-5-5',
      provider: { name: 'anthropic' },
    });
    expect(resolved.entry?.price?.input).toBe(2e-6);
  });

  it('list the providers, and how to write the name, where it is unclear', () => {
    const { resolve } = createModels({ providers: both, catalogue });
    expect(() => resolve('mystery')).toThrow(
      matchError('model_unclear', /"mystery". It has: anthropic, openai\. Write "anthropic\/mystery"/),
    );
  });

  it('may be of a provider that this worker lacks', () => {
    const definitions = new Map([['far', { provider: 'gemini', id: 'g' }]]);
    const { resolve, findProvider } = createModels({ providers: both, catalogue, definitions });
    expect(() => resolve('far')).toThrow(
      matchError('provider_missing', 'no model provider named gemini. It has: anthropic'),
    );
    expect(findProvider('gemini')).toBeNull();
  });
});

describe('the names of providers', () => {
  it('are unique, and the error names the fix', () => {
    const twice = () => createModels({ providers: [named('openai'), openaiProvider({ apiKey: 'k' })], catalogue });
    expect(twice).toThrow(matchError('invalid_options', /Two providers are named openai\. Give one its own name/));
  });

  it.each(['', 'a/b', 'a b', 'x'.repeat(101), 'a\n'])('cannot be %j', (name) => {
    expect(() => createModels({ providers: [named(name)], catalogue })).toThrow(
      matchError('invalid_options', /Invalid provider name/),
    );
  });

  it('are those of known services, else that of the API, unless the option `name` is set', () => {
    const at = (baseURL: string) => openaiProvider({ baseURL, apiKey: 'k' }).name;
    expect(anthropicProvider({ apiKey: 'k' }).name).toBe('anthropic');
    expect(at('https://openrouter.ai/api/v1')).toBe('openrouter');
    expect(at('https://ours.openai.azure.com/openai/v1')).toBe('azure');
    expect(at('http://127.0.0.1:11434')).toBe('chat-server');
    expect(at('https://evil-openrouter.ai')).toBe('chat-server');
    expect(openaiProvider({ name: 'local', baseURL: 'http://[::1]:1' }).name).toBe('local');
    const model = {
      specificationVersion: 'v3',
      provider: 'xai.chat',
      modelId: 'grok',
      doStream: async () => {
        throw new Error('Unexpected call.');
      },
    } as const;
    expect(aiSdkProvider({ grok: model })).toMatchObject({ name: 'ai-sdk', models: ['grok'] });
  });
});
