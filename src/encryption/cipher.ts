/**
 * AES-256-GCM over bytes: nonce, ciphertext and tag in one.
 *
 * 1. A nonce is random and used once; a data key seals far fewer contents than random nonces allow (see data-keys.ts).
 * 2. The tag is always whole: a shorter one, which Node would take, is easier to forge.
 */

import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { nonceBytes, tagBytes } from './envelope.js';

const algorithm = 'aes-256-gcm';
const options = { authTagLength: tagBytes };

/** @param bound what must be the same when it is opened */
export function encrypt(key: KeyObject, plain: Uint8Array, bound: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, options).setAAD(bound);
  const parts = [nonce, cipher.update(plain), cipher.final()];
  return Buffer.concat([...parts, cipher.getAuthTag()]);
}

/** @returns null where the key is another, or anything was altered */
export function decrypt(key: KeyObject, sealed: Buffer, bound: Uint8Array): Buffer | null {
  const end = sealed.length - tagBytes;
  if (end < nonceBytes) return null;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), options).setAAD(bound);
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(nonceBytes, end));
  try {
    const rest = decipher.final();
    return rest.length === 0 ? plain : Buffer.concat([plain, rest]);
  } catch {
    return null;
  }
}
