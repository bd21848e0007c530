import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import {
  applyDefinition,
  loadModelDefinitions,
  type ModelDefinitions,
} from '../../../src/models/catalogue/model-definitions.js';
import { matchError } from '../../support/match-error.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

function writeModels(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe('definitions of models', () => {
  it('are an object, or a JSON or YAML file, in which a text is short for the id', () => {
    const expected = new Map([
      ['fast', { id: 'claude-haiku-5-5' }],
      ['local', { provider: 'model-server', id: 'qwen3:8b', dataClasses: ['internal'] }],
    ]);
    const given = {
      fast: 'claude-haiku-5-5',
      local: { provider: 'model-server', id: 'qwen3:8b', dataClasses: ['internal'] },
    };
    expect(loadModelDefinitions(given)).toEqual(expected);
    expect(loadModelDefinitions(writeModels('m.json', JSON.stringify(given)))).toEqual(expected);
    const yaml =
      'fast: claude-haiku-5-5\nlocal:\n  provider: model-server\n  id: qwen3:8b\n  dataClasses: [internal]\n';
    expect(loadModelDefinitions(writeModels('m.yaml', yaml))).toEqual(expected);
  });

  it.each([
    [{ fast: { provider: 'openai' } }, /at fast\.id/],
    [{ fast: { id: 'x', prices: 1 } }, /at fast.*prices/],
    [{ fast: { id: 'x', dataClasses: ['health'] } }, /at fast: region and dataClasses are those of a provider/],
    [{ fast: { id: 'x', region: 'eu' } }, /at fast: region and dataClasses are those of a provider/],
    [
      { fast: { id: 'x', price: { input: 2e-6, output: 1 } } },
      /at fast\.price\.input: expected US dollars per million/,
    ],
    [{ fast: { id: 'x', price: [{ input: 1, output: 1, from: 'May' }] } }, /at fast\.price\.0\.from/],
    [{ fast: { id: 'x', contextTokens: -1 } }, /at fast\.contextTokens/],
    [[], /expected record/],
  ])('%j is rejected with the place of the mistake', (given, message) => {
    expect(() => loadModelDefinitions(given as unknown as ModelDefinitions)).toThrow(
      matchError('invalid_models', message),
    );
  });

  it('that cannot be read are an error with the path', () => {
    expect(() => loadModelDefinitions(join(folder, 'none.yaml'))).toThrow(
      matchError('invalid_models', /Cannot read the models in .*none\.yaml/),
    );
  });
});

describe('an entry', () => {
  const known = loadCatalogue().find('claude-sonnet-5-5');
  const now = Date.parse('2026-11-23T12:00:00Z');

  it('replaces what the price map has, and keeps the rest', () => {
    const own = {
      id: 'claude-sonnet-5-5',
      images: false,
      maxOutputTokens: 9,
      region: 'eu',
      price: { input: 3, output: 15 },
    };
    expect(applyDefinition(known, own, now)).toMatchObject({
      price: { input: 3e-6, output: 15e-6, cacheRead: 3e-6, cacheWrite: 3e-6 },
      files: ['pdf'],
      maxOutputTokens: 9,
      contextTokens: 1_000_000,
      region: 'eu',
      tools: true,
    });
  });

  it('has the price of the day, and none before the first', () => {
    const price = [
      { from: '2026-12-01', input: 4, output: 4 },
      { from: '2026-11-01', input: 2, output: 2 },
    ];
    const priceAt = (day: string) => applyDefinition(known, { id: 'x', price }, Date.parse(day)).price?.input ?? null;
    expect(priceAt('2026-11-23')).toBe(2e-6);
    expect(priceAt('2026-12-01T00:00:00Z')).toBe(4e-6);
    expect(priceAt('2026-10-31T23:59:59Z')).toBeNull();
  });

  it('with `temperature: true` or `thinking: false` gives agents that set no temperature 0', () => {
    const find = (own: object) => applyDefinition(null, { id: 'qwen', ...own }, now).defaultTemperature;
    expect([find({}), find({ temperature: true }), find({ thinking: false })]).toEqual([null, 0, null]);
    const known = applyDefinition(null, { id: 'qwen', temperature: true }, now);
    expect(applyDefinition(known, { id: 'qwen', thinking: true }, now).defaultTemperature).toBeNull();
    expect(applyDefinition(known, { id: 'qwen', temperature: false }, now).defaultTemperature).toBeNull();
    expect(applyDefinition(known, { id: 'qwen', contextTokens: 10 }, now).defaultTemperature).toBe(0);
  });

  it('of an unknown model has only what is stated', () => {
    expect(applyDefinition(null, { id: 'qwen', tools: false }, now)).toMatchObject({
      price: null,
      contextTokens: null,
      files: [],
      tools: false,
      takesTemperature: false,
    });
  });
});
