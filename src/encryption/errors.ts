/** What keeps sealed content from being read, or keys from being used. The message says what to do; it holds no key. */

import { LonghandError } from '../core/lib/errors.js';

/**
 * `no_key`: the key that it was sealed with is not here. `altered`: the key is, and the content does not fit it.
 * `key_file`: the keys themselves cannot be used.
 */
export type EncryptionProblem = 'no_key' | 'altered' | 'key_file';

export class EncryptionError extends LonghandError {
  override readonly name = 'EncryptionError';

  constructor(
    readonly problem: EncryptionProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`encryption_${problem}`, message, options);
  }
}

export function createMissingKeyError(id: string, known: readonly string[]): EncryptionError {
  const here = known.length === 0 ? 'no key is configured here' : `here are ${known.join(', ')}`;
  return new EncryptionError(
    'no_key',
    `This is encrypted with the master key ${id}, and ${here}. Add that key to the key file that LONGHAND_ENCRYPTION_KEYS names; \`longhand keys list\` shows which it holds.`,
  );
}

export function createAlteredKeyError(id: string): EncryptionError {
  return new EncryptionError(
    'altered',
    `This is encrypted with a master key named ${id}, which does not open it: either the key of that name is another one here than where it was encrypted, or the content was altered. Compare \`longhand keys list\` in both places.`,
  );
}

export function createAlteredContentError(id: string): EncryptionError {
  return new EncryptionError(
    'altered',
    `The content that was encrypted with the master key ${id} was altered or cut since, or belongs elsewhere: it is not read.`,
  );
}
