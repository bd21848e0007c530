/**
 * How sealed bytes lie, so that whoever has the master keys can open them and needs nothing besides:
 *
 *     version 1 · length of the key's id 1 · key id · length of the wrapped key 2 · wrapped data key
 *     nonce 12 · ciphertext · tag 16
 *
 * The first line is the header. It is bound to the ciphertext as additional data, and opens any number of contents.
 */

import { EncryptionError } from './errors.js';

export const nonceBytes = 12;
export const tagBytes = 16;

const version = 1;

export interface Envelope {
  readonly keyId: string;
  readonly wrapped: Buffer;
  readonly header: Buffer;
  /** Nonce, ciphertext and tag. */
  readonly body: Buffer;
}

export function headerOf(keyId: string, wrapped: Uint8Array): Buffer {
  const id = Buffer.from(keyId);
  const header = Buffer.alloc(4 + id.length + wrapped.length);
  header[0] = version;
  header[1] = id.length;
  header.set(id, 2);
  header.writeUInt16BE(wrapped.length, 2 + id.length);
  header.set(wrapped, 4 + id.length);
  return header;
}

/** @throws {EncryptionError} for bytes that are no envelope, or one of a later version */
export function envelopeIn(bytes: Uint8Array): Envelope {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [given = 0, idLength = 0] = all;
  if (given > version) {
    throw new EncryptionError('altered', `This was encrypted by a later version of Longhand: update this one.`);
  }
  const wrappedAt = 4 + idLength;
  const end = all.length < wrappedAt ? all.length : wrappedAt + all.readUInt16BE(2 + idLength);
  if (given < version || all.length < end + nonceBytes + tagBytes) {
    throw new EncryptionError('altered', 'This is marked as encrypted, and was cut or altered: it is not read.');
  }
  return {
    keyId: all.toString('utf8', 2, 2 + idLength),
    wrapped: all.subarray(wrappedAt, end),
    header: all.subarray(0, end),
    body: all.subarray(end),
  };
}
