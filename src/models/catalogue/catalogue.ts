/**
 * Prices, context sizes and capabilities of models, from a price map in LiteLLM's format. The current models of the big
 * providers are shipped; a user's map is merged over them.
 */

import { readFileSync } from 'node:fs';
import { findOwn, isObject, type Json, type JsonObject, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { FileRule, Price, PriceTier, Rates } from '../../core/model/index.js';
import { resolvePackageFile } from '../../package/index.js';

export interface ModelEntry {
  /** Name of the provider in the map, whose price it is, such as `anthropic`; null if the map states none. */
  readonly provider: string | null;
  /** Null when the map has no price. */
  readonly price: Price | null;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Kinds of files that it reads. */
  readonly files: readonly FileRule['kind'][];
  /** Whether a request may carry `temperature`. */
  readonly takesTemperature: boolean;
  /**
   * The temperature of agents that set none; null to send none. 0 where the catalogue lists that the model takes one, or that it
   * does not think: a model that thinks by itself may reject one, or repeat itself at 0.
   */
  readonly defaultTemperature: 0 | null;
  /** Null if the map does not state it. */
  readonly tools: boolean | null;
  readonly parallelTools: boolean | null;
  readonly thinking: boolean | null;
  readonly structuredOutput: boolean | null;
  /** Whether its provider has it only behind OpenAI's Responses API. */
  readonly needsResponsesApi: boolean;
  /** Whether requests ask for one call per reply. Only by a project's own definition: some models reject the parameter. */
  readonly asksForOneCall: boolean;
  /** Of the project's own definition; null if it states none. */
  readonly region: string | null;
  readonly dataClasses: readonly string[] | null;
}

export interface Catalogue {
  /**
   * Finds a model by its plain, provider-prefixed or dated name; null when the map does not have it.
   *
   * @throws {LonghandError} `invalid_prices` when a price is not an amount per token
   */
  readonly find: (model: string) => ModelEntry | null;
  /** The names of all models. */
  readonly names: readonly string[];
}

/**
 * Reads the shipped map, merged with the map in `file`: an entry of both keeps members that only the shipped one has.
 *
 * @param file path of a map in LiteLLM's format (`model_prices_and_context_window.json`)
 * @throws {LonghandError} `invalid_prices` when the file cannot be read or is not a price map
 */
export function loadCatalogue(file?: string): Catalogue {
  const shipped = readShippedMap();
  const models = file === undefined ? shipped : mergeMaps(shipped, readPriceMap(file));
  return createCatalogue(models);
}

/** The shipped map states `supports_reasoning` of each model that thinks: the others do not. */
export function readShippedMap(): JsonObject {
  const map = readPriceMap(resolvePackageFile('prices/models.json'));
  const entries = Object.entries(map).filter((pair): pair is [string, JsonObject] => isObject(pair[1]));
  return Object.fromEntries(entries.map(([name, entry]) => [name, { supports_reasoning: false, ...entry }]));
}

/** @param isListed whether the map or a definition states that the model takes a temperature */
export function toDefaultTemperature(
  { takesTemperature, thinking }: Pick<ModelEntry, 'takesTemperature' | 'thinking'>,
  isListed: boolean,
): 0 | null {
  return takesTemperature && (isListed || thinking === false) ? 0 : null;
}

export function createCatalogue(models: JsonObject): Catalogue {
  return {
    names: Object.keys(models).filter((name) => isObject(models[name])),
    find: (model) => {
      for (const name of listNames(model)) {
        const entry = findOwn(models, name);
        if (isObject(entry)) return toEntry(name, entry);
      }
      return null;
    },
  };
}

/**
 * Lists names to look up: `anthropic/claude-haiku-4-5-20251001` as it is, then without its date, then without its
 * provider.
 */
function listNames(model: string): readonly string[] {
  const names: string[] = [];
  for (let name = model; ; name = name.slice(name.indexOf('/') + 1)) {
    names.push(name, name.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, ''));
    if (!name.includes('/')) return names;
  }
}

function toEntry(model: string, entry: JsonObject): ModelEntry {
  const sampling = findSamplingFlag(entry);
  const takesTemperature = sampling ?? guessSampling(entry);
  const thinking = toFlag(entry.supports_reasoning);
  return {
    provider: typeof entry.litellm_provider === 'string' ? entry.litellm_provider : null,
    price: toPrice(model, entry),
    contextTokens: toAmount(entry.max_input_tokens),
    maxOutputTokens: toAmount(entry.max_output_tokens) ?? toAmount(entry.max_tokens),
    files: [
      ...(entry.supports_vision === true ? (['image'] as const) : []),
      ...(entry.supports_pdf_input === true ? (['pdf'] as const) : []),
    ],
    takesTemperature,
    defaultTemperature: toDefaultTemperature({ takesTemperature, thinking }, sampling === true),
    tools: toFlag(entry.supports_function_calling),
    parallelTools: toFlag(entry.supports_parallel_function_calling),
    thinking,
    structuredOutput: toFlag(entry.supports_response_schema),
    needsResponsesApi: entry.mode === 'responses',
    asksForOneCall: false,
    region: null,
    dataClasses: null,
  };
}

function toFlag(value: Json | undefined): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** L6: an invalid price is an error, because a model without a price has no cost limit. */
function toPrice(model: string, entry: JsonObject): Price | null {
  const rate = (name: string): number | null => {
    const value = entry[name] ?? null;
    if (value === null || (typeof value === 'number' && value >= 0 && value <= maxTokenPrice)) return value;
    const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
    throw new LonghandError(
      'invalid_prices',
      `The price map's ${name} is ${text} for ${model}. Expected US dollars per token, not per million: a number from 0 to ${maxTokenPrice}.`,
    );
  };
  const input = rate('input_cost_per_token');
  const output = rate('output_cost_per_token');
  const cacheRead = rate('cache_read_input_token_cost');
  const cacheWrite = rate('cache_creation_input_token_cost');
  const thinking = rate('output_cost_per_reasoning_token');
  if (input === null || output === null) return null;
  const base: Rates = {
    input,
    output,
    // Without a price for cached tokens, the provider charges the input price.
    cacheRead: cacheRead ?? input,
    cacheWrite: cacheWrite ?? input,
    ...(thinking === null || thinking === output ? {} : { thinking }),
  };
  const tiers = toTiers(base, listTierStarts(entry), rate);
  return tiers.length === 0 ? base : { ...base, tiers };
}

/** A rate of all tokens of a request that has more input tokens than this. */
const tierMember =
  /^(input_cost_per_token|output_cost_per_token|output_cost_per_reasoning_token|cache_read_input_token_cost|cache_creation_input_token_cost)_above_(\d+)k_tokens$/;

/** Returns the thousands of tokens above which some rate of the entry is another, the lowest first. */
function listTierStarts(entry: JsonObject): readonly number[] {
  const starts = Object.keys(entry)
    .flatMap((member) => tierMember.exec(member)?.[2] ?? [])
    .map(Number);
  return [...new Set(starts)].toSorted((a, b) => a - b);
}

/** A rate that a tier does not state is that of shorter requests; for cached tokens, it is no lower than the tier's input. */
function toTiers(
  base: Rates,
  starts: readonly number[],
  rate: (member: string) => number | null,
): readonly PriceTier[] {
  const tiers: PriceTier[] = [];
  for (const start of starts) {
    const below = tiers.at(-1) ?? base;
    const find = (name: string) => rate(`${name}_above_${start}k_tokens`);
    const input = find('input_cost_per_token') ?? below.input;
    const output = find('output_cost_per_token') ?? below.output;
    const thinking = find('output_cost_per_reasoning_token') ?? Math.max(output, below.thinking ?? output);
    tiers.push({
      above: 1_000 * start,
      input,
      output,
      cacheRead: find('cache_read_input_token_cost') ?? Math.max(input, below.cacheRead),
      cacheWrite: find('cache_creation_input_token_cost') ?? Math.max(input, below.cacheWrite),
      ...(thinking === output ? {} : { thinking }),
    });
  }
  return tiers;
}

/** US dollars; the highest known price is below 0.001. */
const maxTokenPrice = 0.1;

function findSamplingFlag(entry: JsonObject): boolean | null {
  return toFlag(entry.supports_sampling_parameters) ?? toFlag(entry.supports_sampling_params);
}

/** Newer Claude models and OpenAI's reasoning models reject a temperature; others accept it unless the map denies it. */
function guessSampling({ litellm_provider: provider, supports_reasoning: isReasoning }: JsonObject): boolean {
  return provider !== 'anthropic' && !(provider === 'openai' && isReasoning === true);
}

function toAmount(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

function mergeMaps(shipped: JsonObject, users: JsonObject): JsonObject {
  const models: { [name: string]: Json } = { ...shipped };
  for (const [name, entry] of Object.entries(users)) {
    const known = findOwn(shipped, name);
    models[name] = isObject(entry) && isObject(known) ? { ...scaleRates(known, entry), ...entry } : entry;
  }
  return models;
}

/** A new base rate scales the rates that depend on it: those of cached input, of long requests and of thinking. */
function scaleRates(known: JsonObject, entry: JsonObject): JsonObject {
  const scaled = Object.entries(known).map(([member, rate]): readonly [string, Json] => {
    const [, kind] = /^(input|output|cache)_.*(?:_above_|_token_cost$|_reasoning_token$)/.exec(member) ?? [];
    const base = kind === 'output' ? 'output_cost_per_token' : 'input_cost_per_token';
    const [before, after] = [known[base], entry[base]];
    const isScaled = kind !== undefined && typeof before === 'number' && before > 0 && typeof after === 'number';
    return [member, isScaled && typeof rate === 'number' ? (rate * after) / before : rate];
  });
  return Object.fromEntries(scaled);
}

export function readPriceMap(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `Cannot read the price map ${file} (${toErrorMessage(error)}). Pass the path of a JSON file.`;
    throw new LonghandError('invalid_prices', message, { cause: error });
  }
  return parsePriceMap(text, file);
}

/** @param file where the text is from, for errors. @throws {LonghandError} `invalid_prices` */
export function parsePriceMap(text: string, file: string): JsonObject {
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch (error) {
    const message = `The price map ${file} is not JSON (${toErrorMessage(error)}).`;
    throw new LonghandError('invalid_prices', message, { cause: error });
  }
  if (!isObject(map) || !Object.values(map).some(isObject)) {
    throw new LonghandError(
      'invalid_prices',
      `Invalid price map ${file}: expected an object of models, as in LiteLLM's model_prices_and_context_window.json: ` +
        '{ "some-model": { "input_cost_per_token": 0.000001, "output_cost_per_token": 0.000005 } }.',
    );
  }
  return map;
}
