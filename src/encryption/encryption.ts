/** Resolves a process's encryption, from its options or its environment. */

import type { DataConverter } from '@temporalio/common';
import type { SealingCodec } from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';
import { isBuilt, resolvePackageFile } from '../package/index.js';
import { readSecretVariable } from '../secrets/index.js';
import { createFileKeySource, parseMasterKeys } from './key-file.js';
import { createFixedKeySource, type KeySource, type MasterKeys } from './master-keys.js';
import { createPayloadCodec } from './payload-codec.js';
import { createSealer, type Sealer, type SealPurpose } from './sealer.js';

/** The path of a key file; the keys; or false for no encryption, overriding the environment. */
export type EncryptionOption = string | MasterKeys | false;

export interface Encryption {
  readonly codec: SealingCodec;
  readonly keys: KeySource;
  /** Origin of the keys, for display. */
  readonly keyLocation: string;
}

/**
 * Resolves the encryption; null without keys.
 *
 * @param option default: `LONGHAND_ENCRYPTION_KEYS`, the path of a key file, and `LONGHAND_ENCRYPTION_KEY`, the text of
 *   one (a variable, or a file of `LONGHAND_SECRETS`), whose current key takes precedence
 * @throws {EncryptionError} when the keys cannot be used
 */
export function resolveEncryption(option: EncryptionOption | undefined, env: NodeJS.ProcessEnv): Encryption | null {
  if (option === false) return null;
  if (typeof option === 'object') return createEncryption(createFixedKeySource(option), 'the option `encryption`');
  const path = option ?? (env.LONGHAND_ENCRYPTION_KEYS || null);
  const text = option === undefined ? (readSecretVariable('LONGHAND_ENCRYPTION_KEY', env) ?? null) : null;
  const keys = text === null ? null : parseMasterKeys(text, 'LONGHAND_ENCRYPTION_KEY');
  if (path !== null) return createEncryption(createFileKeySource(path, keys), path);
  return keys === null ? null : createEncryption(createFixedKeySource(keys), 'LONGHAND_ENCRYPTION_KEY');
}

/** Creates a sealer for one purpose, with the keys of a process; null without encryption. */
export function createPurposeSealer(encryption: Encryption | null, purpose: SealPurpose): Sealer | null {
  return encryption === null ? null : createSealer(encryption.keys, undefined, purpose);
}

const failureConverterPath = resolvePackageFile(`${isBuilt ? 'dist/' : ''}src/encryption/failure-converter.cjs`);

function createEncryption(keys: KeySource, keyLocation: string): Encryption {
  return {
    codec: createPayloadCodec(createSealer(keys)),
    keys,
    keyLocation: keyLocation,
  };
}

/**
 * Returns the data converter for Temporal's client, with encryption as the last step before the wire.
 *
 * @throws {LonghandError} `invalid_options` when the given converter has more than codecs: workflows have their own
 *   payload and failure converters, in the bundle
 */
export function toSealingConverter(
  converter: DataConverter | undefined,
  encryption: Encryption | null,
): DataConverter | undefined {
  for (const path of ['payloadConverterPath', 'failureConverterPath'] as const) {
    if (converter?.[path] === undefined) continue;
    throw new LonghandError(
      'invalid_options',
      `Invalid data converter: \`${path}\` "${converter[path]}" has no effect in workflows. Remove it, and convert payloads with \`payloadCodecs\`.`,
    );
  }
  if (encryption === null) return converter;
  return { ...converter, payloadCodecs: [...(converter?.payloadCodecs ?? []), encryption.codec], failureConverterPath };
}
