/** The model and the prices of a command, validated before a worker or chain starts. */

import { loadCatalogue } from '../../models/catalogue/catalogue.js';
import { createModelFromEnvironment, type EnvironmentModel } from '../../models/environment.js';
import type { SecretProvider } from '../../secrets/secret-provider.js';
import { UsageError } from '../flags/usage-error.js';

export const noModelText =
  'No model is configured. Set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL (a server of the Messages API: LiteLLM, Ollama, vLLM) and LONGHAND_MODEL.';

/**
 * Returns the model that the environment names.
 *
 * @param secrets the secret provider for its key, if the command's module exports one
 * @throws {UsageError} if no model is configured
 */
export async function getConfiguredModel(secrets?: SecretProvider): Promise<EnvironmentModel> {
  const model = await createModelFromEnvironment(process.env, secrets);
  if (model !== null) return model;
  throw new UsageError(noModelText);
}

/** Validates the file of `--prices`. @throws {UsageError} if it cannot be read or is not a price map */
export function validatePrices(file: string | undefined): void {
  if (file === undefined) return;
  try {
    loadCatalogue(file);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
