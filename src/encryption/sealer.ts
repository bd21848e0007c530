/**
 * Seals bytes and opens them, with the keys of a `KeySource`: what payloads are made of, and what a store keeps.
 *
 * 1. What was sealed for one use does not open for another: `use` is bound to it, as are the key's id and the tenant.
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

/** What sealed bytes are for. A store's can be pasted into no history, and a history's into no store. */
export type SealedFor = 'payload' | 'store';

/**
 * @example
 * const sealer = createSealer(fixedKeys({ current: 'k1', keys: { k1: { key } } }), 'store');
 * const sealed = sealer.seal(Buffer.from('text'), 'acme');
 */
export function createSealer(source: KeySource, use: SealedFor, now?: () => number): Sealer {
  const keys = new DataKeys(source, now);
  const bound = (header: Buffer) => Buffer.concat([Buffer.from(`longhand ${use}\0`), header]);
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
