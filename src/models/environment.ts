/**
 * Which model a worker talks to when nobody wrote it down in code: read from the environment, in one
 * place, so that the worker, the command line and the demo agree.
 */

import { createDefaultSecrets, readSecret, type SecretProvider } from '../secrets/secret-provider.js';
import { anthropicProvider } from './anthropic.js';
import { parseBaseUrl } from './connection.js';
import type { ModelProvider } from './provider.js';

export interface EnvironmentModel {
  readonly provider: ModelProvider;
  /** `LONGHAND_MODEL`: the model to use instead of the agents' own; null where it is not set. */
  readonly model: string | null;
  /** Where calls go, for people; never holds a key. */
  readonly description: string;
}

/**
 * - `LONGHAND_MODEL_URL`: address of any server of the Messages API; a key is optional then.
 * - `ANTHROPIC_API_KEY`, else `ANTHROPIC_AUTH_TOKEN`: the key, of that server where there is one; a secret, so it is
 *   looked for where `secrets` keeps them.
 * - `ANTHROPIC_BASE_URL`: the address that Anthropic's own tools use; `LONGHAND_MODEL_URL` goes first.
 *
 * Null when there is neither a server nor a key.
 *
 * @throws Error when an address is none, or the key cannot be read
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
    model: findVariable(env.LONGHAND_MODEL) ?? null,
    description:
      baseURL === undefined ? 'Claude at api.anthropic.com' : `Messages API at ${parseBaseUrl(baseURL).address}`,
  };
}

async function readKey(name: string, secrets: SecretProvider): Promise<string | undefined> {
  const key = await readSecret(secrets, name, { tenant: null });
  if (key.kind === 'unreadable') throw new Error(`The secret ${name} could not be read (${key.errorKind}).`);
  return key.kind === 'found' ? key.value.trim() : undefined;
}

/** An empty variable is one that is not set, as in a shell's `NAME= command`. */
function findVariable(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
