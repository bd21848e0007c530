/**
 * What is known of models before they are called: price, context, and whether they take a temperature.
 * The source is a price map in LiteLLM's format, because users already have one; Claude's entries are
 * shipped, and a user's whole map can be laid over them.
 */

import { readFileSync } from 'node:fs';
import { findOwn, isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { Price } from '../core/model/agent.js';
import { resolvePackageFile } from './package-file.js';

export interface ModelEntry {
  /** Null where the map does not say what a token costs. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Whether a request may carry `temperature`. */
  readonly takesTemperature: boolean;
}

export interface Catalogue {
  /**
   * The entry of a model, by its plain, provider-prefixed or dated name; null for one that is not in the map.
   *
   * @throws Error when a price of it is no amount per token
   */
  readonly find: (model: string) => ModelEntry | null;
}

/**
 * Reads the shipped map and, laid over it, the one in `file`: an entry of both keeps the members that
 * only the shipped one has.
 *
 * @param file path of a map in LiteLLM's format (`model_prices_and_context_window.json`)
 * @throws Error when the file cannot be read or is no map
 */
export function loadCatalogue(file?: string): Catalogue {
  const shipped = readPriceMap(resolvePackageFile('prices/claude.json'));
  const models = file === undefined ? shipped : mergeMaps(shipped, readPriceMap(file));
  return {
    find: (model) => {
      for (const name of listNames(model)) {
        const entry = findOwn(models, name);
        if (isObject(entry)) return toEntry(name, entry);
      }
      return null;
    },
  };
}

/** `anthropic/claude-haiku-4-5-20251001` is looked for as it is, then without its date, then without its provider. */
function listNames(model: string): readonly string[] {
  const names: string[] = [];
  for (let name = model; ; name = name.slice(name.indexOf('/') + 1)) {
    names.push(name, name.replace(/[-@](\d{8}|latest)$/, ''));
    if (!name.includes('/')) return names;
  }
}

function toEntry(model: string, entry: JsonObject): ModelEntry {
  return {
    price: toPrice(model, entry),
    contextTokens: toAmount(entry.max_input_tokens),
    maxOutputTokens: toAmount(entry.max_output_tokens) ?? toAmount(entry.max_tokens),
    takesTemperature: takesTemperature(entry),
  };
}

/** L6: a wrong price must not read as none, since a model without a price has no cost limit. */
function toPrice(model: string, entry: JsonObject): Price | null {
  const of = (name: string): number | null => {
    const value = entry[name] ?? null;
    if (value === null || (typeof value === 'number' && value >= 0 && value <= maxTokenPrice)) return value;
    const found = typeof value === 'number' ? String(value) : JSON.stringify(value);
    throw new Error(
      `The price map's ${name} is ${found} for ${model}. Expected US dollars per token, not per million: a number from 0 to ${maxTokenPrice}.`,
    );
  };
  const input = of('input_cost_per_token');
  const output = of('output_cost_per_token');
  const cacheRead = of('cache_read_input_token_cost');
  const cacheWrite = of('cache_creation_input_token_cost');
  if (input === null || output === null) return null;
  // A provider without prices of its own for cached tokens charges them as any other.
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}

/** US dollars; the dearest known is below a thousandth. */
const maxTokenPrice = 0.1;

/** Newer Claude models refuse it; the servers of other models take it unless the map says otherwise. */
function takesTemperature(entry: JsonObject): boolean {
  for (const said of [entry.supports_sampling_parameters, entry.supports_sampling_params]) {
    if (typeof said === 'boolean') return said;
  }
  return entry.litellm_provider !== 'anthropic';
}

function toAmount(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

function mergeMaps(shipped: JsonObject, users: JsonObject): JsonObject {
  const models: { [name: string]: Json } = { ...shipped };
  for (const [name, entry] of Object.entries(users)) {
    const known = findOwn(shipped, name);
    models[name] = isObject(entry) && isObject(known) ? { ...known, ...entry } : entry;
  }
  return models;
}

function readPriceMap(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`The price map ${file} cannot be read (${getMessage(error)}). Give the path of a JSON file.`);
  }
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch (error) {
    throw new Error(`The price map ${file} is not JSON (${getMessage(error)}).`);
  }
  if (!isObject(map) || !Object.values(map).some(isObject)) {
    throw new Error(
      `The price map ${file} must be an object of models, as LiteLLM's model_prices_and_context_window.json is: ` +
        '{ "some-model": { "input_cost_per_token": 0.000001, "output_cost_per_token": 0.000005 } }.',
    );
  }
  return map;
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
