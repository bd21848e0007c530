/** Creates the model provider from the environment, for the worker, the command line and the demo. */

import { LonghandError } from '../core/lib/errors.js';
import { createDefaultSecrets, readSecret, type SecretProvider } from '../secrets/secret-provider.js';
import { anthropicProvider } from './anthropic/provider.js';
import { parseBaseUrl } from './wire/connection.js';
import type { ModelProvider } from './wire/provider.js';

export interface EnvironmentModel {
  readonly provider: ModelProvider;
  /** Target of the calls, for display; never contains a key. */
  readonly description: string;
}

/**
 * Creates the provider that the environment configures; null with neither a server nor a key.
 *
 * 1. `LONGHAND_MODEL_URL`: address of any server of the Messages API; the key is optional then.
 * 2. `ANTHROPIC_API_KEY`, else `ANTHROPIC_AUTH_TOKEN`: the key; read from `secrets`.
 * 3. `ANTHROPIC_BASE_URL`: the address variable of Anthropic's own tools; `LONGHAND_MODEL_URL` takes precedence.
 *
 * @throws {LonghandError} `model_not_configured` for an invalid address, `secret_unreadable` when the key cannot be
 *   read
 */
export async function createModelFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  secrets: SecretProvider = createDefaultSecrets(env),
): Promise<EnvironmentModel | null> {
  const own = findVariable(env.LONGHAND_MODEL_URL);
  const apiKey = (await readKey('ANTHROPIC_API_KEY', secrets)) ?? (await readKey('ANTHROPIC_AUTH_TOKEN', secrets));
  if (own === undefined && apiKey === undefined) return null;
  const baseURL = own ?? findVariable(env.ANTHROPIC_BASE_URL);
  return {
    provider: anthropicProvider({ baseURL, apiKey }),
    description:
      baseURL === undefined ? 'Claude at api.anthropic.com' : `Messages API at ${parseBaseUrl(baseURL).address}`,
  };
}

/** Returns the model of agents whose definition names none: `LONGHAND_MODEL`; null when unset. */
export function readDefaultModel(env: Readonly<Record<string, string | undefined>>): string | null {
  return findVariable(env.LONGHAND_MODEL) ?? null;
}

async function readKey(name: string, secrets: SecretProvider): Promise<string | undefined> {
  const key = await readSecret(secrets, name, { tenant: null });
  if (key.kind === 'unreadable')
    throw new LonghandError('secret_unreadable', `Cannot read the secret ${name} (${key.errorKind}).`);
  return key.kind === 'found' ? key.value.trim() : undefined;
}

/** Treats an empty variable as unset, as in a shell's `NAME= command`. */
function findVariable(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
