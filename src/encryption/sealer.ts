/**
 * Seals bytes and opens them, with the keys of a `KeySource`: what sealed payloads are made of.
 *
 * 1. The key's id and the tenant are bound to what was sealed, and so is what it is for: nothing else that was ever
 *    encrypted with these keys opens here.
 * 2. Opening needs the master keys alone.
 */

import { decrypt, encrypt } from './cipher.js';
import { DataKeys } from './data-keys.js';
import { envelopeIn } from './envelope.js';
import { alteredContent } from './errors.js';
import type { KeySource } from './master-keys.js';

export interface Sealer {
  /** @param tenant whose it is: each tenant has keys of its own. Null for what is nobody's */
  readonly seal: (bytes: Uint8Array, tenant: string | null) => Uint8Array;
  /** @throws {EncryptionError} when the key is not here, or the bytes were altered */
  readonly open: (bytes: Uint8Array) => Opened;
}

export interface Opened {
  readonly bytes: Uint8Array;
  /** Whose it was sealed for. */
  readonly tenant: string | null;
}

/**
 * @example
 * const sealer = createSealer(fixedKeys({ current: 'k1', keys: { k1: { key } } }));
 * const sealed = sealer.seal(Buffer.from('text'), 'acme');
 */
export function createSealer(source: KeySource, now?: () => number): Sealer {
  const keys = new DataKeys(source, now);
  const bound = (header: Buffer) => Buffer.concat([Buffer.from('longhand payload\0'), header]);
  return {
    seal: (bytes, tenant) => {
      const { key, header } = keys.forSealing(tenant);
      return Buffer.concat([header, encrypt(key, bytes, bound(header))]);
    },
    open: (bytes) => {
      const envelope = envelopeIn(bytes);
      const { key, tenant } = keys.forOpening(envelope);
      const plain = decrypt(key, envelope.body, bound(envelope.header));
      if (plain === null) throw alteredContent(envelope.keyId);
      return { bytes: plain, tenant };
    },
  };
}
