/** Where secrets come from when nobody wrote it down in code: files in a folder, and the environment. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretName, type SecretProvider } from './secret-provider.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder that `LONGHAND_SECRETS` names, as Docker and Kubernetes mount them (`/run/secrets`): a file named like the
 * secret. What has no file there, or without a folder all, is looked for in the environment.
 */
export function defaultSecrets(env: Environment): SecretProvider {
  const environment = environmentSecrets(env);
  const folder = env.LONGHAND_SECRETS?.trim();
  if (!folder) return environment;
  const files = folderSecrets(folder);
  return { get: async (name, scope) => (await files.get(name, scope)) ?? environment.get(name, scope) };
}

/** One set for all tenants. An empty variable is one that is not set. */
export function environmentSecrets(env: Environment): SecretProvider {
  return { get: (name) => env[name]?.trim() || null };
}

/**
 * One file a secret, read when it is asked for. One set for all tenants.
 *
 * @example
 * await runWorker({ agents: [clerk], secrets: folderSecrets('/run/secrets') });
 */
export function folderSecrets(folder: string): SecretProvider {
  return {
    get: async (name) => {
      // A name with a path in it would lead out of the folder.
      if (!isSecretName(name)) return null;
      try {
        return (await readFile(join(folder, name), 'utf8')).trim() || null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
