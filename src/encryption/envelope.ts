/**
 * The format of sealed bytes, and the cipher. A reader needs only the master keys to open them:
 *
 *     version 1 · length of the key's id 1 · key id · length of the wrapped key 2 · wrapped data key
 *     nonce 12 · ciphertext · tag 16
 *
 * 1. The first line is the header. It is bound to the ciphertext as additional data, and one header serves many
 *    contents.
 * 2. The cipher is AES-256-GCM. A nonce is random and used once; a data key seals far fewer contents than random nonces
 *    allow (see sealer.ts).
 * 3. The tag always has its full length: Node would accept a shorter one, which is easier to forge.
 */

import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { EncryptionError } from './errors.js';

const nonceBytes = 12;
const tagBytes = 16;

const version = 1;

export interface Envelope {
  readonly keyId: string;
  readonly wrapped: Buffer;
  readonly header: Buffer;
  /** Nonce, ciphertext and tag. */
  readonly body: Buffer;
}

export function buildHeader(keyId: string, wrapped: Uint8Array): Buffer {
  const id = Buffer.from(keyId);
  const header = Buffer.alloc(4 + id.length + wrapped.length);
  header[0] = version;
  header[1] = id.length;
  header.set(id, 2);
  header.writeUInt16BE(wrapped.length, 2 + id.length);
  header.set(wrapped, 4 + id.length);
  return header;
}

/** Parses an envelope. @throws {EncryptionError} for bytes that are no envelope, or one of a later version */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [given = 0, idLength = 0] = all;
  if (given > version) {
    throw new EncryptionError('altered', 'This content was encrypted by a later version of Longhand. Update Longhand.');
  }
  const wrappedAt = 4 + idLength;
  const end = all.length < wrappedAt ? all.length : wrappedAt + all.readUInt16BE(2 + idLength);
  if (given < version || all.length < end + nonceBytes + tagBytes) {
    throw new EncryptionError('altered', 'This encrypted content was cut or altered and cannot be read.');
  }
  return {
    keyId: all.toString('utf8', 2, 2 + idLength),
    wrapped: all.subarray(wrappedAt, end),
    header: all.subarray(0, end),
    body: all.subarray(end),
  };
}

const algorithm = 'aes-256-gcm';
const options = { authTagLength: tagBytes };

/**
 * Encrypts with AES-256-GCM.
 *
 * @param bound additional data; must be equal when decrypted
 */
export function encrypt(key: KeyObject, plain: Uint8Array, bound: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, options).setAAD(bound);
  const parts = [nonce, cipher.update(plain), cipher.final()];
  return Buffer.concat([...parts, cipher.getAuthTag()]);
}

/** Decrypts; null if the key differs or anything was altered. */
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
