import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import { matchError } from '../../support/match-error.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

function mapOf(content: unknown): string {
  const file = join(folder, 'map.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('the shipped catalogue', () => {
  const catalogue = loadCatalogue();

  it('has the price, context and output limit of a model', () => {
    expect(catalogue.find('claude-sonnet-5-5')).toEqual({
      provider: 'anthropic',
      price: { input: 2e-6, output: 10e-6, cacheRead: 0.1e-6, cacheWrite: 2.5e-6 },
      contextTokens: 1_000_000,
      maxOutputTokens: 128_000,
      files: ['image', 'pdf'],
      takesTemperature: false,
      defaultTemperature: null,
      tools: true,
      needsResponsesApi: false,
      parallelTools: null,
      asksForOneCall: false,
      thinking: true,
      structuredOutput: true,
      region: null,
      dataClasses: null,
    });
  });

  it('has the whole window of a model whose long requests cost more per token, and their rates', () => {
    expect(catalogue.find('claude-haiku-5-5')).toMatchObject({
      contextTokens: 1_000_000,
      price: {
        ...{ input: 0.1e-6, output: 0.5e-6, cacheRead: 0.01e-6, cacheWrite: 0.125e-6 },
        tiers: [{ above: 100_000, input: 0.5e-6, output: 2.5e-6, cacheRead: 0.05e-6, cacheWrite: 0.625e-6 }],
      },
    });
    expect(catalogue.find('gpt-5.5')).toMatchObject({
      contextTokens: 1_050_000,
      price: { tiers: [{ above: 272_000 }] },
    });
  });

  it('has current models of the big providers, all with prices', () => {
    const entries = catalogue.names.map((name) => catalogue.find(name));
    expect(entries.length).toBeGreaterThan(60);
    expect(entries.filter((entry) => !entry?.price?.input)).toEqual([]);
    expect(new Set(entries.map((entry) => entry?.provider))).toEqual(
      new Set(['anthropic', 'openai', 'gemini', 'mistral', 'deepseek', 'xai', 'groq', 'together_ai']),
    );
  });

  it.each([
    'claude-haiku-5-5',
    'claude-opus-5-5',
    'claude-fable-5-1',
    'claude-mythos-5-1',
    'claude-sonnet-5',
    'claude-opus-5',
    'claude-opus-4-8',
    'claude-sonnet-4-6',
    'claude-haiku-4-5',
  ])('has %s, with prices per token', (model) => {
    const entry = catalogue.find(model);
    expect(entry?.price?.output).toBeGreaterThan(entry?.price?.input ?? 1);
    expect(entry?.price?.output).toBeLessThan(1e-4);
    expect(entry?.takesTemperature).toBe(model.includes('-4-6') || model.includes('haiku-4-5'));
  });

  it.each([
    'claude-haiku-4-5-20251001',
    'anthropic/claude-haiku-4-5',
    'litellm/anthropic/claude-haiku-4-5-20251001',
    'vertex_ai/claude-haiku-4-5@20251001',
  ])('finds a model by the name %s', (model) => {
    expect(catalogue.find(model)).toEqual(catalogue.find('claude-haiku-4-5'));
  });

  it('states of each model whether it thinks', () => {
    const thinks = (name: string) => catalogue.find(name)?.thinking;
    expect([thinks('gpt-5.5'), thinks('gpt-4.1'), thinks('claude-haiku-5-5')]).toEqual([true, false, true]);
    expect(catalogue.names.filter((name) => thinks(name) === null)).toEqual([]);
  });

  it.each(['claude-haiku-4', 'claude-haiku-4-5-turbo', 'llama', '', '/', 'constructor', '__proto__'])(
    'has no entry for %j',
    (model) => {
      expect(catalogue.find(model)).toBeNull();
    },
  );
});

describe("a user's map", () => {
  it('is merged over the shipped map, member by member', () => {
    const catalogue = loadCatalogue(mapOf({ 'claude-haiku-4-5': { input_cost_per_token: 9e-6 } }));
    expect(catalogue.find('claude-haiku-4-5')).toMatchObject({
      price: { input: 9e-6, output: 5e-6 },
      contextTokens: 200_000,
      takesTemperature: true,
    });
    expect(catalogue.find('claude-opus-5-5')).not.toBeNull();
  });

  it('with a rate of its own scales the shipped rates of cached input and of long requests', () => {
    const shipped = loadCatalogue().find('gpt-5.5')?.price;
    const own = { input_cost_per_token: (shipped?.input ?? 0) * 4, output_cost_per_token: (shipped?.output ?? 0) * 2 };
    const price = loadCatalogue(mapOf({ 'gpt-5.5': own })).find('gpt-5.5')?.price;
    expect(price?.cacheRead).toBeCloseTo((shipped?.cacheRead ?? 0) * 4, 12);
    expect(price?.tiers?.[0]?.input).toBeCloseTo((shipped?.tiers?.[0]?.input ?? 0) * 4, 12);
    expect(price?.tiers?.[0]?.output).toBeCloseTo((shipped?.tiers?.[0]?.output ?? 0) * 2, 12);
  });

  it('may have rates of long requests and of thinking; a tier without one has that of shorter requests', () => {
    const priced = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    const catalogue = loadCatalogue(
      mapOf({
        stepped: {
          ...priced,
          cache_read_input_token_cost: 1e-7,
          input_cost_per_token_above_256k_tokens: 5e-6,
          output_cost_per_token_above_128k_tokens: 4e-6,
          input_cost_per_token_above_128k_tokens: 3e-6,
          cache_read_input_token_cost_above_128k_tokens: 3e-7,
          input_cost_per_token_above_128k_tokens_priority: 9e-6,
        },
        thinker: { ...priced, output_cost_per_reasoning_token: 8e-6, input_cost_per_token_above_9k_tokens: null },
        plain: { ...priced, output_cost_per_reasoning_token: 2e-6 },
      }),
    );
    const base = { input: 1e-6, output: 2e-6, cacheRead: 1e-6, cacheWrite: 1e-6 };
    expect(catalogue.find('stepped')?.price).toEqual({
      ...base,
      cacheRead: 1e-7,
      tiers: [
        { above: 128_000, input: 3e-6, output: 4e-6, cacheRead: 3e-7, cacheWrite: 3e-6 },
        { above: 256_000, input: 5e-6, output: 4e-6, cacheRead: 5e-6, cacheWrite: 5e-6 },
      ],
    });
    expect(catalogue.find('thinker')?.price).toMatchObject({ ...base, thinking: 8e-6 });
    expect(catalogue.find('plain')?.price).toEqual(base);
    expect(() =>
      loadCatalogue(mapOf({ odd: { ...priced, output_cost_per_token_above_9k_tokens: 4 } })).find('odd'),
    ).toThrow(matchError('invalid_prices', /output_cost_per_token_above_9k_tokens is 4 for odd/));
  });

  it('allows a temperature for models of other providers, unless it denies it', () => {
    const priced = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    const catalogue = loadCatalogue(
      mapOf({
        'gpt-own': { ...priced, litellm_provider: 'openai', max_tokens: 4_096 },
        o9: { ...priced, litellm_provider: 'openai', supports_sampling_params: false },
        'gpt-thinking': { ...priced, litellm_provider: 'openai', supports_reasoning: true },
        'claude-new': { ...priced, litellm_provider: 'anthropic' },
        'ollama/llama': { litellm_provider: 'ollama', max_input_tokens: 'LEGACY' },
        sample_spec: 'text',
      }),
    );
    expect(catalogue.find('openai/gpt-own')).toEqual({
      provider: 'openai',
      price: { input: 1e-6, output: 2e-6, cacheRead: 1e-6, cacheWrite: 1e-6 },
      contextTokens: null,
      maxOutputTokens: 4_096,
      files: [],
      takesTemperature: true,
      defaultTemperature: null,
      tools: null,
      needsResponsesApi: false,
      parallelTools: null,
      asksForOneCall: false,
      thinking: null,
      structuredOutput: null,
      region: null,
      dataClasses: null,
    });
    expect(catalogue.find('o9')).toMatchObject({ takesTemperature: false, structuredOutput: null });
    expect(catalogue.find('gpt-thinking')?.takesTemperature).toBe(false);
    expect(catalogue.find('claude-new')?.takesTemperature).toBe(false);
    expect(catalogue.find('ollama/llama')).toMatchObject({ price: null, contextTokens: null, takesTemperature: true });
    expect(catalogue.find('sample_spec')).toBeNull();
  });

  it('states by `supports_vision` and `supports_pdf_input` which files a model reads', () => {
    const catalogue = loadCatalogue(
      mapOf({ llava: { supports_vision: true }, 'claude-sonnet-5-5': { supports_pdf_input: false } }),
    );
    expect(catalogue.find('llava')?.files).toEqual(['image']);
    expect(catalogue.find('claude-sonnet-5-5')?.files).toEqual(['image']);
  });

  it.each([
    ['{"half', /is not JSON/],
    [[1, 2], /expected an object of models/],
    [{}, /expected an object of models/],
  ])('is rejected when it contains %j', (content, message) => {
    expect(() => loadCatalogue(mapOf(content))).toThrow(matchError('invalid_prices', message));
  });

  it('is rejected with its path when it is missing', () => {
    expect(() => loadCatalogue(join(folder, 'none.json'))).toThrow(
      matchError('invalid_prices', /^Cannot read .*none\.json/),
    );
  });
});
