/**
 * Which model a worker talks to when nobody wrote it down in code: read from the environment, in one
 * place, so that the worker, the command line and the demo agree.
 */

import { anthropicProvider } from './anthropic.js';
import { baseUrlOf } from './base-url.js';
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
 * - `ANTHROPIC_API_KEY`, else `ANTHROPIC_AUTH_TOKEN`: the key, of that server where there is one.
 * - `ANTHROPIC_BASE_URL`: the address that Anthropic's own tools use; `LONGHAND_MODEL_URL` goes first.
 *
 * Null when there is neither a server nor a key.
 *
 * @throws Error when an address is none
 */
export function modelFromEnvironment(env: Readonly<Record<string, string | undefined>>): EnvironmentModel | null {
  const own = value(env.LONGHAND_MODEL_URL);
  const apiKey = value(env.ANTHROPIC_API_KEY) ?? value(env.ANTHROPIC_AUTH_TOKEN);
  if (own === undefined && apiKey === undefined) return null;
  const baseURL = own ?? value(env.ANTHROPIC_BASE_URL);
  return {
    provider: anthropicProvider({ baseURL, apiKey }),
    model: value(env.LONGHAND_MODEL) ?? null,
    description:
      baseURL === undefined ? 'Claude at api.anthropic.com' : `Messages API at ${baseUrlOf(baseURL).address}`,
  };
}

/** An empty variable is one that is not set, as in a shell's `NAME= command`. */
function value(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
