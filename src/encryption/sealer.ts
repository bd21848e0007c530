/**
 * Seals and opens bytes with data keys: one for each tenant and process, created here, wrapped by a master key of a
 * `KeySource`, and included in each envelope.
 *
 * 1. The key's id, the tenant and the purpose are bound to the sealed bytes: nothing else encrypted with these keys
 *    opens here. Opening needs only the master keys.
 * 2. A data key seals at most `maxSeals` contents and lives at most `keyLifetimeMs`; then a new one is created under
 *    the current master key.
 * 3. The tenant is inside the wrapped key: it cannot be read or changed without the master key.
 * 4. The caches are bounded, for any number of tenants and keys.
 */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { buildHeader, decrypt, type Envelope, encrypt, parseEnvelope } from './envelope.js';
import { createAlteredContentError, createAlteredKeyError, createMissingKeyError } from './errors.js';
import { type KeySource, keyBytes } from './master-keys.js';

interface OpeningKey {
  readonly key: KeyObject;
  readonly tenant: string | null;
}

interface SealingKey {
  readonly key: KeyObject;
  readonly header: Buffer;
}

/**
 * 2^20 random nonces under one key collide with a probability of 2^-57. A rotation is complete when the last data key
 * has expired.
 */
const maxSeals = 2 ** 20;
const keyLifetimeMs = 10 * 60_000;

interface DataKey extends SealingKey {
  readonly expiresAt: number;
  sealsLeft: number;
}

/** Cache key for content without a tenant. */
const noTenant = Symbol('no tenant');

export class DataKeys {
  private readonly made = new LRUCache<string | typeof noTenant, DataKey>({ max: 1_000 });
  private readonly opened = new LRUCache<string, OpeningKey>({ max: 4_000 });

  constructor(
    private readonly source: KeySource,
    private readonly now: () => number = Date.now,
  ) {}

  getSealingKey(tenant: string | null): SealingKey {
    const known = this.made.get(tenant ?? noTenant);
    if (known !== undefined && known.sealsLeft > 0 && this.now() < known.expiresAt) {
      known.sealsLeft -= 1;
      return known;
    }
    const made = this.make(tenant);
    this.made.set(tenant ?? noTenant, made);
    return made;
  }

  /** @throws {EncryptionError} */
  getOpeningKey({ keyId, wrapped, header }: Envelope): OpeningKey {
    const name = header.toString('latin1');
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const master = this.source.find(keyId);
    if (master === null) throw createMissingKeyError(keyId, this.source.ids());
    const plain = decrypt(master, wrapped, toBoundData(keyId));
    if (plain === null || plain.length < keyBytes) throw createAlteredKeyError(keyId);
    const tenant = plain.length === keyBytes ? null : plain.toString('utf8', keyBytes);
    const open = { key: createSecretKey(plain.subarray(0, keyBytes)), tenant };
    this.opened.set(name, open);
    return open;
  }

  private make(tenant: string | null): DataKey {
    const { id, key: master } = this.source.current();
    const secret = randomBytes(keyBytes);
    const wrapped = encrypt(master, Buffer.concat([secret, Buffer.from(tenant ?? '')]), toBoundData(id));
    const key = createSecretKey(secret);
    secret.fill(0);
    return { key, header: buildHeader(id, wrapped), expiresAt: this.now() + keyLifetimeMs, sealsLeft: maxSeals - 1 };
  }
}

function toBoundData(keyId: string): Buffer {
  return Buffer.from(`longhand data key\0${keyId}`);
}

export interface Sealer {
  /** Seals bytes. @param tenant owner; each tenant has its own keys. Null for content without a tenant */
  readonly seal: (bytes: Uint8Array, tenant: string | null) => Uint8Array;
  /** Opens sealed bytes. @throws {EncryptionError} when the key is missing or the bytes were altered */
  readonly open: (bytes: Uint8Array) => OpenResult;
}

interface OpenResult {
  readonly bytes: Uint8Array;
  /** Tenant for whom the bytes were sealed. */
  readonly tenant: string | null;
}

/** Content of one purpose cannot be opened as that of another. */
export type SealPurpose = 'payload' | 'tokens' | 'plans' | 'results' | 'webhooks';

/**
 * Creates a sealer.
 *
 * @example
 * const sealer = createSealer(createFixedKeySource({ current: 'k1', keys: { k1: { key } } }));
 * const sealed = sealer.seal(Buffer.from('text'), 'acme');
 */
export function createSealer(source: KeySource, now?: () => number, purpose: SealPurpose = 'payload'): Sealer {
  const keys = new DataKeys(source, now);
  const bound = (header: Buffer) => Buffer.concat([Buffer.from(`longhand ${purpose}\0`), header]);
  return {
    seal: (bytes, tenant) => {
      const { key, header } = keys.getSealingKey(tenant);
      return Buffer.concat([header, encrypt(key, bytes, bound(header))]);
    },
    open: (bytes) => {
      const envelope = parseEnvelope(bytes);
      const { key, tenant } = keys.getOpeningKey(envelope);
      const plain = decrypt(key, envelope.body, bound(envelope.header));
      if (plain === null) throw createAlteredContentError(envelope.keyId);
      return { bytes: plain, tenant };
    },
  };
}
