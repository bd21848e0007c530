/**
 * Providers of secrets for tools and model clients. Built in: a folder of files, and the environment.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '../core/lib/index.js';

export interface SecretScope {
  /** The tenant of the chain; null for a chain without one, and for the worker's own secrets, such as a model's key. */
  readonly tenant: string | null;
}

export interface SecretProvider {
  /**
   * Returns the secret of this name, or null. Called for each call, so a changed secret is used from the next call on.
   *
   * Contract: never logs its secrets. The message of its rejection is not shown, since it may contain one.
   */
  readonly get: (name: string, scope: SecretScope) => Promise<string | null | undefined> | string | null | undefined;
}

/** Returns whether a name is valid both for a variable and for a file. */
export const isSecretName = check.pattern(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'must be the name of a secret').is;

export const checkSecretProvider = check.define(
  check.shape({ get: check.callable }).is,
  'must be an object with `get(name, { tenant })`, which returns a text, or null if there is no such secret',
);

type SecretResult =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'missing' }
  /** Only the kind of the error: a provider's message may contain its own keys. */
  | { readonly kind: 'unreadable'; readonly errorKind: string };

/** Reads one secret from a provider. Never rejects. */
export async function readSecret(provider: SecretProvider, name: string, scope: SecretScope): Promise<SecretResult> {
  try {
    const value: unknown = await provider.get(name, scope);
    return typeof value === 'string' && value.trim() !== '' ? { kind: 'found', value } : { kind: 'missing' };
  } catch (error) {
    return { kind: 'unreadable', errorKind: getErrorKind(error) };
  }
}

/** Returns the kind of an error, without its message. */
export function getErrorKind(error: unknown): string {
  const { code, name } = Object(error) as Record<string, unknown>;
  const isKind = (value: unknown): value is string => /^(?:E[A-Z_]{2,20}|[A-Za-z]{0,30}Error)$/.test(String(value));
  return [code, name].find(isKind) ?? 'an error';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the secrets of the folder `LONGHAND_SECRETS`, then of the environment.
 *
 * The folder has one file per secret, as Docker and Kubernetes mount it (`/run/secrets`). Without the variable, only the
 * environment is read.
 */
export function createDefaultSecrets(env: Environment): SecretProvider {
  const environment = createEnvironmentSecrets(env);
  const folder = env.LONGHAND_SECRETS?.trim();
  if (!folder) return environment;
  const files = createFolderSecrets(folder);
  return { get: async (name, scope) => (await files.get(name, scope)) ?? environment.get(name, scope) };
}

/** Returns the environment's variables, the same for all tenants. An empty variable counts as missing. */
export function createEnvironmentSecrets(env: Environment): SecretProvider {
  return { get: (name) => env[name]?.trim() || null };
}

/**
 * Returns the secrets of a folder, one file each, the same for all tenants. A file is read at each request.
 *
 * @example
 * await runWorker({ agents: [clerk], secrets: createFolderSecrets('/run/secrets') });
 */
export function createFolderSecrets(folder: string): SecretProvider {
  return {
    get: async (name) => {
      // A name that contains a path would lead out of the folder.
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

export function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
