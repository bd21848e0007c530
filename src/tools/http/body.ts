/**
 * The body of a response, decompressed as it arrives. Both sizes are limited: a few kilobytes may expand to gigabytes. What was
 * over the limit is not kept, and the server is disconnected.
 */

import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { formatBytes } from '../../core/lib/index.js';
import { HttpFailure } from './failure.js';

const decoders: { readonly [encoding: string]: () => Transform } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The encodings that a request offers. */
export const acceptedEncodings = 'gzip, deflate, br';

/**
 * Yields the decompressed bytes.
 *
 * @param encoding the header `Content-Encoding`, or an empty text
 * @throws {HttpFailure} `too_large`, `encoding_unknown`
 */
export async function* readBody(raw: Readable, encoding: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of decompress(raw, encoding, maxBytes)) {
    size += piece.byteLength;
    if (size > maxBytes) throw createTooLarge(maxBytes);
    yield piece;
  }
}

function decompress(raw: Readable, encoding: string, maxBytes: number): AsyncIterable<Uint8Array> {
  const name = encoding.trim().toLowerCase();
  const counted = limitSize(raw, maxBytes);
  if (name === '' || name === 'identity') return counted;
  // Several encodings, one around the other, serve no client: only bombs have them.
  const createDecoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (createDecoder === undefined) {
    raw.destroy();
    throw new HttpFailure('encoding_unknown', `The response has the unknown encoding ${JSON.stringify(name)}.`, true);
  }
  const decoder = createDecoder();
  // Errors of both arrive at the reader of the decoder.
  pipeline(Readable.from(counted), decoder, () => {});
  return decoder;
}

async function* limitSize(raw: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of raw as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > maxBytes) throw createTooLarge(maxBytes);
    yield piece;
  }
}

function createTooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure('too_large', `The response is larger than ${formatBytes(maxBytes)}, the limit.`, true);
}
