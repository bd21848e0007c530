/** Encryption as a process is configured to have it: from what it was given, else from the environment. */

import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import type { SealingCodec } from '../contract/payloads.js';
import { createFileKeySource, parseMasterKeys } from './key-file.js';
import { createFixedKeySource, type KeySource, type MasterKeys } from './master-keys.js';
import { createPayloadCodec } from './payload-codec.js';
import { createSealer } from './sealer.js';

/** The path of a key file; the keys, wherever they come from; or false for none, whatever the environment says. */
export type EncryptionOption = string | MasterKeys | false;

export interface Encryption {
  readonly codec: SealingCodec;
  readonly keys: KeySource;
  /** Where the keys are from, for people. */
  readonly keyLocation: string;
}

/**
 * @param option default: `LONGHAND_ENCRYPTION_KEYS`, the path of a key file, and `LONGHAND_ENCRYPTION_KEY`, the text of one,
 *   whose current key goes before the file's
 * @returns null where nothing is to be encrypted
 * @throws {EncryptionError} when the keys cannot be used
 */
export function resolveEncryption(option: EncryptionOption | undefined, env: NodeJS.ProcessEnv): Encryption | null {
  if (option === false) return null;
  if (typeof option === 'object') return createEncryption(createFixedKeySource(option), 'the keys that were given');
  const path = option ?? (env.LONGHAND_ENCRYPTION_KEYS || null);
  const text = option === undefined ? env.LONGHAND_ENCRYPTION_KEY || null : null;
  const given = text === null ? null : parseMasterKeys(text, 'LONGHAND_ENCRYPTION_KEY');
  if (path !== null) return createEncryption(createFileKeySource(path, given), path);
  return given === null ? null : createEncryption(createFixedKeySource(given), 'LONGHAND_ENCRYPTION_KEY');
}

const failureConverterPath = fileURLToPath(new URL('./failure-converter.cjs', import.meta.url));

function createEncryption(keys: KeySource, place: string): Encryption {
  return {
    codec: createPayloadCodec(createSealer(keys)),
    keys,
    keyLocation: place,
  };
}

/**
 * The data converter for Temporal's client. Sealing is what happens last before the wire.
 *
 * @throws {TypeError} when the given one converts failures in a way of its own, which might say them in plain
 */
export function toSealingConverter(
  given: DataConverter | undefined,
  encryption: Encryption | null,
): DataConverter | undefined {
  if (encryption === null) return given;
  if (given?.failureConverterPath !== undefined) {
    throw new TypeError(
      'A data converter with a `failureConverterPath` cannot be used with encryption, which brings a converter of its own: without it, failures would be readable in Temporal.',
    );
  }
  return { ...given, payloadCodecs: [...(given?.payloadCodecs ?? []), encryption.codec], failureConverterPath };
}
