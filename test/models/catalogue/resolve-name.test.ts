import { describe, expect, it } from 'vitest';
import { type Alias, type NamedProvider, resolveModelName } from '../../../src/models/catalogue/resolve-name.js';

const anthropic: NamedProvider = { name: 'anthropic' };
const openai: NamedProvider = { name: 'openai' };
const sdk: NamedProvider = { name: 'ai-sdk', models: ['grok-9', 'claude-x'] };

const mapProviders = new Map([
  ['claude-x', 'anthropic'],
  ['gpt-x', 'openai'],
  ['gemini-x', 'gemini'],
]);

function resolve(name: string, providers: readonly NamedProvider[], aliases: Readonly<Record<string, Alias>> = {}) {
  const findAlias = (alias: string) => new Map(Object.entries(aliases)).get(alias) ?? null;
  return resolveModelName(name, { providers, findAlias, findMapProvider: (id) => mapProviders.get(id) ?? null });
}

const found = (provider: string, id: string) => ({ kind: 'found', provider, id });

describe('the provider of a model name', () => {
  const all = [anthropic, openai, sdk];

  it('is that of its alias, before all other rules', () => {
    expect(resolve('gpt-x', all, { 'gpt-x': { provider: 'anthropic', id: 'claude-9' } })).toEqual(
      found('anthropic', 'claude-9'),
    );
    expect(resolve('openai/gpt-x', all, { 'openai/gpt-x': { provider: 'anthropic', id: 'a' } })).toEqual(
      found('anthropic', 'a'),
    );
  });

  it('follows from the id of an alias without a provider, and an alias never refers to another alias', () => {
    const aliases = { fast: { id: 'gpt-x' }, strong: { id: 'anthropic/gpt-x' }, loop: { id: 'fast' } };
    expect(resolve('fast', all, aliases)).toEqual(found('openai', 'gpt-x'));
    expect(resolve('strong', all, aliases)).toEqual(found('anthropic', 'gpt-x'));
    expect(resolve('loop', all, aliases)).toEqual({ kind: 'unclear', id: 'fast' });
  });

  it('is missing where an alias names one that the worker lacks', () => {
    expect(resolve('far', [anthropic], { far: { provider: 'gemini', id: 'gemini-x' } })).toEqual({
      kind: 'no_provider',
      provider: 'gemini',
      id: 'gemini-x',
    });
  });

  it('is the prefix before the first slash, if a provider has that name', () => {
    expect(resolve('openai/claude-x', all)).toEqual(found('openai', 'claude-x'));
    expect(resolve('openai/meta/llama', all)).toEqual(found('openai', 'meta/llama'));
    expect(resolve('mistral/large', [openai])).toEqual(found('openai', 'mistral/large'));
    expect(resolve('openai/', [openai])).toEqual(found('openai', 'openai/'));
    expect(resolve('/gpt-x', [openai])).toEqual(found('openai', '/gpt-x'));
  });

  it('is the one that lists the model, before the one of the price map', () => {
    expect(resolve('grok-9', all)).toEqual(found('ai-sdk', 'grok-9'));
    expect(resolve('claude-x', all)).toEqual(found('ai-sdk', 'claude-x'));
  });

  it('is the one of the price map where the worker has it', () => {
    expect(resolve('claude-x', [anthropic, openai])).toEqual(found('anthropic', 'claude-x'));
    expect(resolve('gpt-x', [anthropic, openai])).toEqual(found('openai', 'gpt-x'));
  });

  it('is the only one otherwise', () => {
    expect(resolve('anything', [openai])).toEqual(found('openai', 'anything'));
    expect(resolve('claude-x', [openai])).toEqual(found('openai', 'claude-x'));
  });

  it("is the only server of one's own, where no other rule applies", () => {
    const [messages, chat] = [{ name: 'model-server' }, { name: 'chat-server' }];
    expect(resolve('qwen', [anthropic, chat])).toEqual(found('chat-server', 'qwen'));
    expect(resolve('gpt-x', [anthropic, messages])).toEqual(found('model-server', 'gpt-x'));
    expect(resolve('claude-x', [anthropic, chat])).toEqual(found('anthropic', 'claude-x'));
    expect(resolve('qwen', [messages, chat])).toEqual({ kind: 'unclear', id: 'qwen' });
  });

  it('is unclear with several providers and no rule', () => {
    expect(resolve('gemini-x', [anthropic, openai])).toEqual({ kind: 'unclear', id: 'gemini-x' });
    expect(resolve('constructor', [anthropic, openai], {})).toEqual({ kind: 'unclear', id: 'constructor' });
  });
});
