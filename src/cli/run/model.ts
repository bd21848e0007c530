/** The model and the prices that a command uses, checked before anything is started. */

import { loadCatalogue } from '../../models/catalogue.js';
import { createModelFromEnvironment, type EnvironmentModel } from '../../models/environment.js';
import type { SecretProvider } from '../../secrets/secret-provider.js';
import { UsageError } from '../flags/usage-error.js';

export const noModelText =
  'No model is configured. Set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL to any server of the Messages API (LiteLLM, Ollama, vLLM); LONGHAND_MODEL names the model.';

/**
 * Returns the model that the environment names.
 *
 * @param secrets the provider of its key, where the module of the command exports one
 * @throws {UsageError} when nothing is configured
 */
export async function getConfiguredModel(secrets?: SecretProvider): Promise<EnvironmentModel> {
  const model = await createModelFromEnvironment(process.env, secrets);
  if (model !== null) return model;
  throw new UsageError(noModelText);
}

/** Validates the file of `--prices`. @throws {UsageError} when it cannot be read or is no price map */
export function validatePrices(file: string | undefined): void {
  if (file === undefined) return;
  try {
    loadCatalogue(file);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
