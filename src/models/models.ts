/** The models that a worker can call: its providers, and its catalogue of aliases, prices and capabilities. */

import { LonghandError } from '../core/lib/index.js';
import type { Catalogue, ModelEntry } from './catalogue/catalogue.js';
import { applyDefinition, type ModelDefinition } from './catalogue/model-definitions.js';
import { resolveModelName } from './catalogue/resolve-name.js';
import { checkResults } from './wire/checked-provider.js';
import type { ModelProvider } from './wire/provider.js';

/** A model by the name that was chosen, with the provider to call. */
export interface ResolvedModel {
  /** As chosen: an alias, or an id. */
  readonly name: string;
  readonly provider: ModelProvider;
  /** The model's id in requests to the provider. */
  readonly id: string;
  /** Prices and capabilities; null if the catalogue does not have the model. */
  readonly entry: ModelEntry | null;
}

export interface Models {
  readonly providers: readonly ModelProvider[];
  /** The aliases of the catalogue. */
  readonly aliases: readonly string[];
  /** Returns the provider of this name; null if the worker lacks it. */
  readonly findProvider: (name: string) => ModelProvider | null;
  /**
   * Finds a model by its alias, its id, or `provider/id`.
   *
   * @param at milliseconds since 1970, which decide among prices by date; default now
   * @throws {ProviderMissingError} when the catalogue names a provider that this worker lacks
   * @throws {LonghandError} `model_unclear` when several providers could be meant; `invalid_prices`
   */
  readonly resolve: (name: string, at?: number) => ResolvedModel;
}

export interface ModelsOptions {
  readonly providers: readonly ModelProvider[];
  readonly catalogue: Catalogue;
  /** By alias. */
  readonly definitions?: ReadonlyMap<string, ModelDefinition>;
}

/** Another worker may have the provider: an operation with this error goes back to the task queue. */
export class ProviderMissingError extends LonghandError {
  override readonly name = 'ProviderMissingError';

  constructor(
    readonly provider: string,
    has: readonly ModelProvider[],
  ) {
    super('provider_missing', `This worker has no model provider named ${provider}. ${listProviders(has)}`);
  }
}

/** @throws {LonghandError} `invalid_options` when two providers have one name, a name is invalid, or `call` is missing */
export function createModels({ providers: rawProviders, catalogue, definitions = new Map() }: ModelsOptions): Models {
  checkProviders(rawProviders);
  const providers = rawProviders.map((provider) => replaceEndpoints(provider, checkResults));
  const findProvider = (name: string) => providers.find((provider) => provider.name === name) ?? null;
  return {
    providers,
    aliases: [...definitions.keys()],
    findProvider,
    resolve: (name, at = Date.now()) => {
      const modelName = resolveModelName(name, {
        findAlias: (alias) => definitions.get(alias) ?? null,
        providers,
        findMapProvider: (id) => findMapProvider(id, providers, catalogue),
      });
      if (modelName.kind === 'unclear') throw createUnclearError(name, providers);
      const provider = findProvider(modelName.provider);
      if (provider === null) throw new ProviderMissingError(modelName.provider, providers);
      const { id } = modelName;
      const known = catalogue.find(`${provider.name}/${id}`) ?? catalogue.find(id);
      const own = definitions.get(name);
      return { name, provider, id, entry: own === undefined ? known : applyDefinition(known, own, at) };
    },
  };
}

/** Replaces each endpoint that is called; names and catalogue stay. */
export function mapEndpoints(models: Models, replace: (endpoint: ModelProvider) => ModelProvider): Models {
  // Endpoints may have been replaced before.
  const replaced = models.providers.map((each) => replaceEndpoints(models.findProvider(each.name) ?? each, replace));
  const wrapped = new Map(replaced.map((provider) => [provider.name, provider]));
  return { ...models, findProvider: (name) => wrapped.get(name) ?? null };
}

/** Returns the names of all endpoints that are called. */
export function listEndpointNames(models: Models): readonly string[] {
  const names: string[] = [];
  mapEndpoints(models, (endpoint) => {
    names.push(endpoint.name);
    return endpoint;
  });
  return names;
}

/** Replaces a provider, or the endpoints over which it balances. */
function replaceEndpoints(provider: ModelProvider, replace: (endpoint: ModelProvider) => ModelProvider): ModelProvider {
  return provider.mapEndpoints?.(replace) ?? replace(provider);
}

/** Some entries of the map have the provider in their names: `gemini/gemini-2.5-pro`. */
function findMapProvider(id: string, providers: readonly ModelProvider[], catalogue: Catalogue): string | null {
  const stated = catalogue.find(id)?.provider ?? null;
  if (stated !== null) return stated;
  const owners = providers.filter(({ name }) => catalogue.find(`${name}/${id}`)?.provider === name);
  return owners.length === 1 ? (owners[0]?.name ?? null) : null;
}

function createUnclearError(name: string, providers: readonly ModelProvider[]): LonghandError {
  const [first] = providers;
  return new LonghandError(
    'model_unclear',
    `It is unclear which provider has the model "${name}". ${listProviders(providers)} Write "${first?.name ?? 'openai'}/${name}", or add an alias with its \`provider\` to \`models\`.`,
  );
}

function listProviders(providers: readonly ModelProvider[]): string {
  return `It has: ${providers.map(({ name }) => name).join(', ')}.`;
}

function checkProviders(providers: readonly ModelProvider[]): void {
  const names = new Set<string>();
  for (const provider of providers) {
    if (typeof provider !== 'object' || provider === null)
      throw new LonghandError('invalid_options', `Invalid provider ${String(provider)}. Use anthropicProvider().`);
    const { name } = provider;
    if (typeof name !== 'string' || !/^[\w.:[\]-]{1,100}$/.test(name)) {
      throw new LonghandError(
        'invalid_options',
        `Invalid provider name ${JSON.stringify(name)}. Use letters, digits, ".", ":", "-" and "_", at most 100 characters.`,
      );
    }
    if (names.has(name)) {
      throw new LonghandError(
        'invalid_options',
        `Two providers are named ${name}. Give one its own name: openaiProvider({ name: 'other', … }).`,
      );
    }
    names.add(name);
    if (typeof provider.call !== 'function')
      throw new LonghandError('invalid_options', `The provider ${name} has no function \`call\`. See ModelProvider.`);
  }
}
