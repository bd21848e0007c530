/** Encryption against known answers of other code, and against a stored envelope, which every later version opens. */

import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { resolveEncryption } from '../../src/encryption/encryption.js';
import { buildHeader, decrypt, parseEnvelope } from '../../src/encryption/envelope.js';
import type { MasterKeys } from '../../src/entries/client.js';

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 14 and 16. */
it.each([
  {
    name: 'without additional data',
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    bound: '',
    plain: '00'.repeat(16),
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    name: 'with additional data',
    key: 'feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308',
    nonce: 'cafebabefacedbaddecaf888',
    bound: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    plain:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    sealed:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
])('AES-256-GCM opens the published vector $name, and no altered one', ({ key, nonce, bound, plain, sealed, tag }) => {
  const secret = createSecretKey(hex(key));
  const body = Buffer.concat([hex(nonce), hex(sealed), hex(tag)]);
  expect(decrypt(secret, body, hex(bound))).toEqual(hex(plain));
  for (const at of [0, nonce.length / 2, body.length - 1]) {
    const altered = Buffer.from(body);
    altered[at]! ^= 1;
    expect(decrypt(secret, altered, hex(bound))).toBeNull();
  }
  expect(decrypt(secret, body, Buffer.concat([hex(bound), Buffer.alloc(1)]))).toBeNull();
});

it('a header has the documented form', () => {
  const header = buildHeader('k1', hex('aabbcc'));
  expect(header).toEqual(hex('01 02 6b31 0003 aabbcc'));
  const body = Buffer.alloc(28, 7);
  expect(parseEnvelope(Buffer.concat([header, body]))).toEqual({
    keyId: 'k1',
    wrapped: hex('aabbcc'),
    header,
    body,
  });
});

interface StoredEnvelope {
  readonly keys: MasterKeys;
  readonly value: unknown;
  readonly payload: { readonly metadata: Readonly<Record<string, string>>; readonly data: string };
}

it('an envelope of version 1 that was stored opens with its key alone', async () => {
  const file = new URL('./envelope-v1.json', import.meta.url);
  const { keys, value, payload } = JSON.parse(readFileSync(file, 'utf8')) as StoredEnvelope;
  const metadata = Object.fromEntries(
    Object.entries(payload.metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]),
  );
  const sealed = { metadata, data: Buffer.from(payload.data, 'base64') };
  const open = (given: MasterKeys) => resolveEncryption(given, {})!.codec.decode([sealed]);
  const [opened] = await open(keys);
  expect(defaultPayloadConverter.fromPayload(opened!)).toEqual(value);
  const other: MasterKeys = { current: 'other', keys: { other: keys.keys.vector! } };
  await expect(open(other)).rejects.toMatchObject({ code: 'encryption_no_key' });
});
