/** Opens the models that the environment configures, as a worker would. */

import { anyKeyVariable } from '../../core/model/index.js';
import {
  createModels,
  createProvidersFromEnvironment,
  loadCatalogue,
  loadModelDefinitions,
  type ModelDefinition,
  type Models,
  readModelsFile,
  readPricesFile,
} from '../../models/index.js';
import { UsageError } from '../flags/usage-error.js';

export interface ModelsFlags {
  readonly models?: string;
  readonly prices?: string;
  readonly json?: boolean;
}

interface OpenedModels {
  readonly models: Models;
  /** By alias. */
  readonly definitions: ReadonlyMap<string, ModelDefinition>;
  /** The names of the price map. */
  readonly names: readonly string[];
}

/** @throws {UsageError} without a provider; {LonghandError} `invalid_models`, `invalid_prices` */
export async function openModels({ models, prices }: ModelsFlags): Promise<OpenedModels> {
  const configured = await createProvidersFromEnvironment(process.env);
  if (configured.length === 0) {
    throw new UsageError(`No provider is configured. Set ${anyKeyVariable}, or LONGHAND_MODEL_URL or OPENAI_BASE_URL.`);
  }
  const file = models ?? readModelsFile(process.env);
  const catalogue = loadCatalogue(prices ?? readPricesFile(process.env));
  const definitions = file === null ? new Map() : loadModelDefinitions(file);
  const providers = configured.map(({ provider }) => provider);
  return { models: createModels({ providers, catalogue, definitions }), definitions, names: catalogue.names };
}
