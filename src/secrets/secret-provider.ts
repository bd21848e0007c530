/**
 * Where secrets come from: the seam between their readers (a tool, the client of a model) and the places that keep them,
 * and the places that Longhand knows by itself, which are a folder of files and the environment.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValueCheck } from '../core/lib/check-value.js';
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

export const checkSecretProvider: ValueCheck = (value, at) =>
  isObject(value) && 'get' in value && typeof value.get === 'function'
    ? null
    : `${at} must be an object with \`get(name, { tenant })\`, which gives back a text, or null where there is none`;

type SecretResult =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'missing' }
  /** `why` is a kind of error: what a provider says of it may hold its own keys. */
  | { readonly kind: 'unreadable'; readonly errorKind: string };

/** Reads one secret from any provider. Never rejects. */
export async function readSecret(provider: SecretProvider, name: string, scope: SecretScope): Promise<SecretResult> {
  try {
    const value: unknown = await provider.get(name, scope);
    return typeof value === 'string' && value.trim() !== '' ? { kind: 'found', value } : { kind: 'missing' };
  } catch (error) {
    return { kind: 'unreadable', errorKind: getErrorKind(error) };
  }
}

function getErrorKind(error: unknown): string {
  const { code, name } = Object(error) as Record<string, unknown>;
  const isKind = (word: unknown): word is string => /^(?:E[A-Z_]{2,20}|[A-Za-z]{0,30}Error)$/.test(String(word));
  return [code, name].find(isKind) ?? 'an error';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder that `LONGHAND_SECRETS` names, as Docker and Kubernetes mount them (`/run/secrets`): a file named like the
 * secret. What has no file there, or without a folder all, is looked for in the environment.
 */
export function createDefaultSecrets(env: Environment): SecretProvider {
  const environment = createEnvironmentSecrets(env);
  const folder = env.LONGHAND_SECRETS?.trim();
  if (!folder) return environment;
  const files = createFolderSecrets(folder);
  return { get: async (name, scope) => (await files.get(name, scope)) ?? environment.get(name, scope) };
}

/** One set for all tenants. An empty variable is one that is not set. */
export function createEnvironmentSecrets(env: Environment): SecretProvider {
  return { get: (name) => env[name]?.trim() || null };
}

/**
 * One file a secret, read when it is asked for. One set for all tenants.
 *
 * @example
 * await runWorker({ agents: [clerk], secrets: folderSecrets('/run/secrets') });
 */
export function createFolderSecrets(folder: string): SecretProvider {
  return {
    get: async (name) => {
      // A name with a path in it would lead out of the folder.
      if (!isSecretName(name)) return null;
      try {
        return (await readFile(join(folder, name), 'utf8')).trim() || null;
      } catch (error) {
        if (isMissingFileError(error)) return null;
        throw error;
      }
    },
  };
}

function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
