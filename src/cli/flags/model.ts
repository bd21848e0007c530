/** The model that a command uses: as the environment says, or an error that says what to set. */

import { type EnvironmentModel, modelFromEnvironment } from '../../models/environment.js';
import type { SecretProvider } from '../../secrets/secret-provider.js';
import { UsageError } from './usage-error.js';

export const noModel =
  'No model is configured. Set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL to any server of the Messages API (LiteLLM, Ollama, vLLM); LONGHAND_MODEL names the model.';

/**
 * @param secrets where the key is, if the module that the command takes says so
 * @throws {UsageError} when nothing is configured
 */
export async function configuredModel(secrets?: SecretProvider): Promise<EnvironmentModel> {
  const model = await modelFromEnvironment(process.env, secrets);
  if (model !== null) return model;
  throw new UsageError(noModel);
}
