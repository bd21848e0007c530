/**
 * The keys that content is sealed with: one for each tenant and process, made here, wrapped by a master key, and sent
 * along in each envelope.
 *
 * 1. A data key seals no more than `most` contents and lives no longer than `lifeMs`: then the next is made, under the
 *    master key that is current then.
 * 2. The tenant is inside of the wrapping: it can be neither read nor changed without the master key.
 * 3. What is kept in memory is bounded, however many tenants and keys there are.
 */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { decrypt, encrypt } from './cipher.js';
import { type Envelope, headerOf } from './envelope.js';
import { alteredWrapping, missingKey } from './errors.js';
import { type KeySource, keyBytes } from './master-keys.js';

export interface OpenKey {
  readonly key: KeyObject;
  readonly tenant: string | null;
}

export interface SealingKey {
  readonly key: KeyObject;
  readonly header: Buffer;
}

/** 2^20 random nonces under one key meet with a chance of 2^-57. A rotation is over when the last data key has ended. */
const most = 2 ** 20;
const lifeMs = 10 * 60_000;

interface Made extends SealingKey {
  readonly until: number;
  left: number;
}

/** An unset tenant has a key as well, under a name that no tenant has. */
const noTenant = Symbol('no tenant');

export class DataKeys {
  private readonly made = new LRUCache<string | typeof noTenant, Made>({ max: 1_000 });
  private readonly opened = new LRUCache<string, OpenKey>({ max: 4_000 });

  constructor(
    private readonly source: KeySource,
    private readonly now: () => number = Date.now,
  ) {}

  forSealing(tenant: string | null): SealingKey {
    const known = this.made.get(tenant ?? noTenant);
    if (known !== undefined && known.left > 0 && this.now() < known.until) {
      known.left -= 1;
      return known;
    }
    const made = this.make(tenant);
    this.made.set(tenant ?? noTenant, made);
    return made;
  }

  /** @throws {EncryptionError} */
  forOpening({ keyId, wrapped, header }: Envelope): OpenKey {
    const name = header.toString('latin1');
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const master = this.source.find(keyId);
    if (master === null) throw missingKey(keyId, this.source.ids());
    const plain = decrypt(master, wrapped, boundTo(keyId));
    if (plain === null || plain.length < keyBytes) throw alteredWrapping(keyId);
    const tenant = plain.length === keyBytes ? null : plain.toString('utf8', keyBytes);
    const open = { key: createSecretKey(plain.subarray(0, keyBytes)), tenant };
    this.opened.set(name, open);
    return open;
  }

  private make(tenant: string | null): Made {
    const { id, key: master } = this.source.current();
    const secret = randomBytes(keyBytes);
    const wrapped = encrypt(master, Buffer.concat([secret, Buffer.from(tenant ?? '')]), boundTo(id));
    const key = createSecretKey(secret);
    secret.fill(0);
    return { key, header: headerOf(id, wrapped), until: this.now() + lifeMs, left: most - 1 };
  }
}

function boundTo(keyId: string): Buffer {
  return Buffer.from(`longhand data key\0${keyId}`);
}
