/**
 * Errors of encryption: sealed content cannot be read, or keys cannot be used. Messages contain the fix, never a key.
 */

import { LonghandError } from '../core/lib/index.js';

/**
 * `no_key`: the key that sealed the content is missing. `altered`: the key exists, but the content does not match it.
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
  const available = known.length === 0 ? 'no key is configured' : `the configured keys are ${known.join(', ')}`;
  return new EncryptionError(
    'no_key',
    `The content is encrypted with the master key ${id}, but ${available}. Add that key to the key file of LONGHAND_ENCRYPTION_KEYS; \`longhand keys list\` shows its keys.`,
  );
}

export function createAlteredKeyError(id: string): EncryptionError {
  return new EncryptionError(
    'altered',
    `The content is encrypted with a master key named ${id}, but the configured key of that name does not open it: the keys differ, or the content was altered. Compare \`longhand keys list\` on both machines.`,
  );
}

export function createAlteredContentError(id: string): EncryptionError {
  return new EncryptionError(
    'altered',
    `The content encrypted with the master key ${id} was altered, cut or moved, and cannot be read.`,
  );
}
