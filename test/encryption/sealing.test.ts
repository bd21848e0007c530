/** Sealed bytes open only with the key, and only unaltered. */

import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EncryptionError } from '../../src/encryption/errors.js';
import { createFixedKeySource, type KeySource } from '../../src/encryption/master-keys.js';
import { createSealer, DataKeys } from '../../src/encryption/sealer.js';
import type { MasterKeys } from '../../src/entries/client.js';
import { matchError } from '../support/match-error.js';

const key = () => ({ key: randomBytes(32).toString('base64') });
const one: MasterKeys = { current: 'one', keys: { one: key() } };
const tenants = fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: null });

function problemOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof EncryptionError) return error.problem;
    throw error;
  }
}

describe('a sealer', () => {
  it('opens sealed bytes with their tenant, by the master keys alone', () => {
    const sealer = createSealer(createFixedKeySource(one));
    const another = createSealer(createFixedKeySource(one));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), tenants, (bytes, tenant) => {
        const opened = another.open(sealer.seal(bytes, tenant));
        expect(Buffer.from(opened.bytes).equals(bytes)).toBe(true);
        expect(opened.tenant).toBe(tenant === null ? null : Buffer.from(tenant).toString());
      }),
    );
  });

  it('rejects bytes altered in any bit, or cut', () => {
    const sealer = createSealer(createFixedKeySource(one));
    const sealed = Buffer.from(sealer.seal(Buffer.from('the answer is 42'), 'acme'));
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(
        problemOf(() => sealer.open(altered)),
        `bit ${bit}`,
      ).toMatch(/altered|no_key/);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(
        problemOf(() => sealer.open(sealed.subarray(0, length))),
        `cut at ${length}`,
      ).toMatch(/altered|no_key/);
    }
  });

  it('reveals neither content nor tenant', () => {
    const sealed = Buffer.from(createSealer(createFixedKeySource(one)).seal(Buffer.from('CONTENT'), 'TENANT'));
    expect(sealed.includes('CONTENT')).toBe(false);
    expect(sealed.includes('TENANT')).toBe(false);
  });

  it('rejects a part of another envelope', () => {
    const sealer = createSealer(createFixedKeySource(one));
    const ours = Buffer.from(sealer.seal(Buffer.from('aaaa'), 'acme'));
    const theirs = Buffer.from(sealer.seal(Buffer.from('bbbb'), 'evil'));
    const body = 12 + 4 + 16;
    const mixed = Buffer.concat([ours.subarray(0, ours.length - body), theirs.subarray(theirs.length - body)]);
    expect(problemOf(() => sealer.open(mixed))).toBe('altered');
  });

  it('names a missing key and the fix', () => {
    const sealed = createSealer(createFixedKeySource(one)).seal(Buffer.from('x'), null);
    const other = createSealer(createFixedKeySource({ current: 'two', keys: { two: key() } }));
    expect(() => other.open(sealed)).toThrow(
      matchError('encryption_no_key', /master key one, .* are two\. Add that key .*LONGHAND_ENCRYPTION_KEYS/),
    );
    const wrong = createSealer(createFixedKeySource({ current: 'one', keys: { one: key() } }));
    expect(() => wrong.open(sealed)).toThrow(matchError('encryption_altered', /named one, .* does not open it/));
  });

  it('opens with old keys after a rotation, and seals with the new key', () => {
    const sealed = createSealer(createFixedKeySource(one)).seal(Buffer.from('old'), 'acme');
    const rotated = { current: 'two', keys: { ...one.keys, two: key() } };
    const after = createSealer(createFixedKeySource(rotated));
    expect(Buffer.from(after.open(sealed).bytes).toString()).toBe('old');
    const newer = createSealer(createFixedKeySource({ current: 'two', keys: { two: rotated.keys.two } }));
    expect(Buffer.from(newer.open(after.seal(Buffer.from('new'), null)).bytes).toString()).toBe('new');
  });
});

describe('data keys', () => {
  function source(): KeySource & { made: number } {
    const master = createSecretKey(randomBytes(32));
    const counted = {
      made: 0,
      current: () => ({ id: `k${++counted.made}`, key: master }),
      find: () => master,
      ids: () => [],
    };
    return counted;
  }

  it('exist for each tenant, and one without a tenant', () => {
    const from = source();
    const keys = new DataKeys(from);
    for (const tenant of ['a', 'b', null, 'a', 'b', null]) keys.getSealingKey(tenant);
    expect(from.made).toBe(3);
    const headers = ['a', 'b', null].map((tenant) => keys.getSealingKey(tenant).header.toString('hex'));
    expect(new Set(headers).size).toBe(3);
  });

  it('are renewed after their lifetime, under the current master key', () => {
    const from = source();
    let now = 0;
    const keys = new DataKeys(from, () => now);
    const [first] = [keys.getSealingKey('a').header];
    now = 9 * 60_000;
    expect(keys.getSealingKey('a').header).toBe(first);
    now = 10 * 60_000;
    expect(keys.getSealingKey('a').header.toString()).toContain('k2');
  });

  it('are renewed after their number of contents', () => {
    const from = source();
    const keys = new DataKeys(from, () => 0);
    for (let sealed = 0; sealed < 2 ** 20; sealed++) keys.getSealingKey('a');
    expect(from.made).toBe(1);
    keys.getSealingKey('a');
    expect(from.made).toBe(2);
  });
});
