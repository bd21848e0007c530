/** The seam between whoever needs a secret (a tool, the client of a model) and wherever it is kept. */

import type { Check } from '../core/lib/check-value.js';
import { isObject } from '../core/lib/json.js';

export interface SecretScope {
  /** Whose chain asks; null for a chain of no tenant, and for what belongs to the worker, as the key of a model. */
  readonly tenant: string | null;
}

export interface SecretProvider {
  /**
   * The secret of this name, or null where there is none. Asked anew for each call, so that one that was changed is used
   * from the next call on.
   *
   * Contract: says nothing of its own secrets; what it rejects with is not shown, since nobody knows what is in it.
   */
  readonly get: (name: string, scope: SecretScope) => Promise<string | null | undefined> | string | null | undefined;
}

/** What is a name in an environment and that of a file in a folder. */
export function isSecretName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(name);
}

export const secretProviderCheck: Check = (value, at) =>
  isObject(value) && 'get' in value && typeof value.get === 'function'
    ? null
    : `${at} must be an object with \`get(name, { tenant })\`, which gives back a text, or null where there is none`;
