/** Packs JSON as compressed text: the state or origin that a chain carries must fit one payload (Temporal: 2 MB). */

import { base64 } from '@scure/base';
import { Gunzip, gzipSync, strFromU8, strToU8 } from 'fflate/browser';
import type { Json } from './json.js';

/** Most bytes of an unpacked value: a workflow has only seconds to read it. */
export const maxUnpackedBytes = 32 * 1024 * 1024;

/** Bytes unpacked at a time; each chunk expands at most a thousandfold. */
const chunkBytes = 4_096;

/** Packs a value. Equal values give equal texts. */
export function pack(value: Json): string {
  return base64.encode(gzipSync(strToU8(JSON.stringify(value)), { level: 9, mtime: 0 }));
}

/** Unpacks a text; undefined where `pack` did not make it, or the value is too large. Never throws: the text is not trusted. */
export function unpack(packed: string): Json | undefined {
  try {
    const data = base64.decode(packed);
    const size = readSize(data);
    return size > maxUnpackedBytes ? undefined : (JSON.parse(strFromU8(inflate(data, size))) as Json);
  } catch {
    return undefined;
  }
}

/** Returns the bytes of a packed value when it is unpacked. */
export function countUnpackedBytes(packed: string): number {
  return readSize(base64.decode(packed));
}

/** Gzip data ends with the size of its content. */
function readSize(data: Uint8Array): number {
  return new DataView(data.buffer, data.byteOffset).getUint32(data.length - 4, true);
}

/** Stops when the content exceeds the stated size. */
function inflate(data: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let filled = 0;
  const stream = new Gunzip((part) => {
    whole.set(part, filled);
    filled += part.length;
  });
  for (let at = 0; at < data.length; at += chunkBytes) {
    stream.push(data.subarray(at, at + chunkBytes), at + chunkBytes >= data.length);
  }
  if (filled !== size) throw new RangeError('The content is shorter than its stated size.');
  return whole;
}
