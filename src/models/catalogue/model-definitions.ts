/**
 * The models that a project names: `createWorker({ models })`, or a file of the same shape. An alias represents a provider, a
 * model's id, and what the price map does not know of it.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { LonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { FileRule, Price, Rates } from '../../core/model/index.js';
import { type ModelEntry, toDefaultTemperature } from './catalogue.js';

/** US dollars per million tokens. */
export interface ModelRates {
  readonly input: number;
  readonly output: number;
  /** Default: the price of input. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Default: the price of output. */
  readonly thinking?: number | undefined;
}

/** The rates of all tokens of a request that has more input tokens than `above`. */
export interface ModelPriceTier extends ModelRates {
  readonly above: number;
}

export interface ModelPrice extends ModelRates {
  /** For long requests. Default: none, also where the price map has some. */
  readonly tiers?: readonly ModelPriceTier[] | undefined;
}

export interface DatedModelPrice extends ModelPrice {
  /** First day of the price, in UTC: `2026-12-01`. */
  readonly from: string;
}

/** An entry of the catalogue. Members that are absent come from the price map. */
export interface ModelDefinition {
  /** Name of a provider of the worker. Default: found by the id. Required with `region` or `dataClasses`. */
  readonly provider?: string | undefined;
  /** The model's id in requests to the provider. */
  readonly id: string;
  /** Where the model runs, for routing. */
  readonly region?: string | undefined;
  /** The classes of data that the model may see, for routing. */
  readonly dataClasses?: readonly string[] | undefined;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** One price, or prices by date. The one at the preparation of a chain holds for the whole chain. */
  readonly price?: ModelPrice | readonly DatedModelPrice[] | undefined;
  /** Whether the model calls tools natively. */
  readonly tools?: boolean | undefined;
  /** Whether it calls several tools in one reply. If false, requests ask for one call. */
  readonly parallelTools?: boolean | undefined;
  /** Whether the model thinks. If not, agents with `effort` or `thinking` are rejected. */
  readonly thinking?: boolean | undefined;
  readonly images?: boolean | undefined;
  readonly pdf?: boolean | undefined;
  readonly structuredOutput?: boolean | undefined;
  /** Whether requests may have a temperature. If true, agents that set none have 0. */
  readonly temperature?: boolean | undefined;
}

/** By alias. A text is short for the id. */
export type ModelDefinitions = Readonly<Record<string, ModelDefinition | string>>;

/** US dollars per million tokens. A lower price, other than 0, was meant per token. */
const dollars = z
  .number()
  .max(100_000)
  .refine((value) => value === 0 || value >= 0.0001, 'expected US dollars per million tokens, not per token');
const tokens = z.int().positive();
const rates = {
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  thinking: dollars.optional(),
};
const price = { ...rates, tiers: z.array(z.strictObject({ ...rates, above: tokens })).optional() };
const text = z.string().min(1);

const members = z.strictObject({
  provider: text.optional(),
  id: text,
  region: text.optional(),
  dataClasses: z.array(text).readonly().optional(),
  contextTokens: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  price: z.union([z.strictObject(price), z.array(z.strictObject({ ...price, from: z.iso.date() })).min(1)]).optional(),
  tools: z.boolean().optional(),
  parallelTools: z.boolean().optional(),
  thinking: z.boolean().optional(),
  images: z.boolean().optional(),
  pdf: z.boolean().optional(),
  structuredOutput: z.boolean().optional(),
  temperature: z.boolean().optional(),
});

/** Another provider may be found for the same id when the worker's providers change. */
const definition = members.refine(
  ({ provider, region, dataClasses }) => provider !== undefined || (region ?? dataClasses) === undefined,
  'region and dataClasses are those of a provider: name it',
);

const definitions = z.record(z.string(), z.union([text, definition]));

/**
 * Reads the definitions of an object, or of a JSON or YAML file.
 *
 * @throws {LonghandError} `invalid_models` with the place of the first mistake
 */
export function loadModelDefinitions(input: ModelDefinitions | string): ReadonlyMap<string, ModelDefinition> {
  const [content, source] = typeof input === 'string' ? [readModelFile(input), input] : [input, '`models`'];
  const parsed = definitions.safeParse(content);
  if (!parsed.success) {
    const issue = findDeepest(parsed.error.issues[0]);
    const at = issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw createError(
      `Invalid models in ${source}${at}: ${issue.message}. Write: fast: { provider: openai, id: gpt-5.4-mini }.`,
    );
  }
  const entries = Object.entries(parsed.data).map(
    ([alias, value]) => [alias, typeof value === 'string' ? { id: value } : value] as const,
  );
  return new Map(entries);
}

interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Of the forms of an entry, the mistake in the one that was meant: the deepest. */
function findDeepest(issue: z.core.$ZodIssue | undefined): Issue {
  if (issue === undefined) return { message: 'unknown', path: [] };
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().map((error) => findDeepest(error));
  const [deepest] = inner.toSorted((a, b) => b.path.length - a.path.length || rankIssue(a) - rankIssue(b));
  return deepest === undefined ? issue : { ...deepest, path: [...issue.path, ...deepest.path] };
}

/** A text was rarely meant where an object was written. */
function rankIssue({ message }: Issue): number {
  return /expected (string|array)/.test(message) ? 1 : 0;
}

function readModelFile(file: string): unknown {
  try {
    // JSON is YAML.
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const message = `Cannot read the models in ${file} (${toErrorMessage(error)}). Name a JSON or YAML file of aliases.`;
    throw createError(message, error);
  }
}

function createError(message: string, cause?: unknown): LonghandError {
  return new LonghandError('invalid_models', message, cause === undefined ? {} : { cause });
}

/** Applies a definition to the price map's entry. @param at milliseconds since 1970, which decide the price */
export function applyDefinition(known: ModelEntry | null, own: ModelDefinition, at: number): ModelEntry {
  const base = known ?? unknownEntry;
  const listed = own.price === undefined ? undefined : findPriceAt(own.price, at);
  const takesTemperature = own.temperature ?? base.takesTemperature;
  const thinking = own.thinking ?? base.thinking;
  const hasFile = (kind: FileRule['kind'], stated: boolean | undefined) => stated ?? base.files.includes(kind);
  return {
    provider: base.provider,
    price: listed === undefined ? base.price : listed,
    contextTokens: own.contextTokens ?? base.contextTokens,
    maxOutputTokens: own.maxOutputTokens ?? base.maxOutputTokens,
    files: [
      ...(hasFile('image', own.images) ? (['image'] as const) : []),
      ...(hasFile('pdf', own.pdf) ? (['pdf'] as const) : []),
    ],
    takesTemperature,
    defaultTemperature:
      own.temperature === undefined && own.thinking === undefined
        ? base.defaultTemperature
        : toDefaultTemperature({ takesTemperature, thinking }, own.temperature === true),
    tools: own.tools ?? base.tools,
    parallelTools: own.parallelTools ?? base.parallelTools,
    asksForOneCall: own.parallelTools === false,
    thinking,
    structuredOutput: own.structuredOutput ?? base.structuredOutput,
    needsResponsesApi: base.needsResponsesApi,
    region: own.region ?? null,
    dataClasses: own.dataClasses ?? null,
  };
}

const unknownEntry: ModelEntry = {
  provider: null,
  price: null,
  contextTokens: null,
  maxOutputTokens: null,
  files: [],
  takesTemperature: false,
  defaultTemperature: null,
  tools: null,
  parallelTools: null,
  asksForOneCall: false,
  thinking: null,
  structuredOutput: null,
  needsResponsesApi: false,
  region: null,
  dataClasses: null,
};

/** Null before the first date: the price is unknown then, never zero. */
function findPriceAt(prices: ModelPrice | readonly DatedModelPrice[], at: number): Price | null {
  if (!isDated(prices)) return toTokenPrice(prices);
  const pastPrices = prices.filter(({ from }) => Date.parse(from) <= at);
  const [latest] = pastPrices.toSorted((a, b) => Date.parse(b.from) - Date.parse(a.from));
  return latest === undefined ? null : toTokenPrice(latest);
}

function isDated(prices: ModelPrice | readonly DatedModelPrice[]): prices is readonly DatedModelPrice[] {
  return Array.isArray(prices);
}

const perMillion = 1e6;

function toTokenPrice({ tiers = [], ...rates }: ModelPrice): Price {
  if (tiers.length === 0) return toTokenRates(rates);
  const sorted = tiers.toSorted((a, b) => a.above - b.above);
  return { ...toTokenRates(rates), tiers: sorted.map((tier) => ({ above: tier.above, ...toTokenRates(tier) })) };
}

function toTokenRates({ input, output, cacheRead = input, cacheWrite = input, thinking = output }: ModelRates): Rates {
  return {
    input: input / perMillion,
    output: output / perMillion,
    cacheRead: cacheRead / perMillion,
    cacheWrite: cacheWrite / perMillion,
    ...(thinking === output ? {} : { thinking: thinking / perMillion }),
  };
}
