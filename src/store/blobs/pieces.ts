/** Splits contents into pieces of one size; counts, hashes and verifies them as they pass (B3, blobs.ts). */

import { createHash } from 'node:crypto';
import { StoreError } from '../db/errors.js';
import type { BlobContent } from './blob-backend.js';

/** Bytes of a piece: the memory that one content needs at a time. */
export const pieceBytes = 256 * 1024;

/** `sha256:` and 64 hexadecimal digits. */
export function computeDigest(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export interface PieceStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Valid after the last piece. The digest is `sha256:…`. */
  readonly getSum: () => { readonly digest: string; readonly bytes: number };
}

/** @throws {StoreError} `tooLarge` from the stream, as soon as it exceeds `most` bytes */
export function toPieces(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, max: number): PieceStream {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* cut(): AsyncIterable<Uint8Array> {
    let parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of content) {
      bytes += part.byteLength;
      if (bytes > max) throw createTooLargeError(max);
      hash.update(part);
      for (let from = 0; from < part.byteLength; ) {
        const taken = part.subarray(from, from + pieceBytes - size);
        parts.push(taken);
        size += taken.byteLength;
        from += taken.byteLength;
        if (size < pieceBytes) continue;
        yield Buffer.concat(parts);
        parts = [];
        size = 0;
      }
    }
    if (size > 0) yield Buffer.concat(parts);
  }
  let digest: string | null = null;
  const sum = () => {
    digest ??= `sha256:${hash.digest('hex')}`;
    return { digest, bytes };
  };
  return { pieces: cut(), getSum: sum };
}

/** Passes the content through. @throws {StoreError} `corrupt` after the last piece when the digest differs */
export async function* verifyContent(content: BlobContent, digest: string): BlobContent {
  const hash = createHash('sha256');
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
  if (`sha256:${hash.digest('hex')}` === digest) return;
  throw new StoreError('corrupt', `The content ${digest} is damaged. Restore a copy of it.`);
}

function createTooLargeError(max: number): StoreError {
  return new StoreError(
    'tooLarge',
    `The content exceeds the limit of ${max} bytes. Store less of it, or raise LONGHAND_BLOB_BYTES.`,
  );
}
