/** Settings that are secrets, such as an address with a password: a file of `LONGHAND_SECRETS`, or a variable. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LonghandError } from '../core/lib/index.js';
import { getErrorKind, isMissingFileError } from './secret-provider.js';

/**
 * Reads a setting from the file of its name in the folder `LONGHAND_SECRETS`, else from the environment.
 *
 * So no secret needs to be in the environment of a container, where `docker inspect` and child processes show it. Empty
 * values count as missing.
 *
 * @throws {LonghandError} `invalid_environment` for a file that cannot be read: a value from elsewhere may be another one
 * @example readSecretVariable('LONGHAND_STORE', { LONGHAND_SECRETS: '/run/secrets' })
 */
export function readSecretVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const folder = env.LONGHAND_SECRETS?.trim();
  return (folder ? readSecretFile(join(folder, name)) : undefined) ?? (env[name]?.trim() || undefined);
}

function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (isMissingFileError(error)) return undefined;
    throw new LonghandError(
      'invalid_environment',
      `The secret ${path} cannot be read (${getErrorKind(error)}). Let this user read the file, or remove it.`,
    );
  }
}
