/** The model and the prices of a command, validated before a worker or chain starts. */

import { anyKeyVariable } from '../../core/model/index.js';
import { createProvidersFromEnvironment, type EnvironmentProvider, loadCatalogue } from '../../models/index.js';
import type { SecretProvider } from '../../secrets/index.js';
import { UsageError } from '../flags/usage-error.js';

export const noModelText = `No model is configured. Set ${anyKeyVariable}; for a server such as LiteLLM, Ollama or vLLM LONGHAND_MODEL_URL (Messages API) or OPENAI_BASE_URL (Chat Completions API), and LONGHAND_MODEL.`;

/**
 * Returns the providers that the environment configures, at least one.
 *
 * @param secrets the secret provider for their keys, if the command's module exports one
 * @throws {UsageError} if none is configured
 */
export async function getConfiguredProviders(secrets?: SecretProvider): Promise<readonly EnvironmentProvider[]> {
  const providers = await createProvidersFromEnvironment(process.env, secrets);
  if (providers.length > 0) return providers;
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
