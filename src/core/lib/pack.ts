/** JSON made small, as text: what a chain carries of another lies in one payload, which Temporal limits to 2 MB. */

import { base64 } from '@scure/base';
import { Gunzip, gzipSync, strFromU8, strToU8 } from 'fflate';
import type { Json } from './json.js';

/** Bytes that a packed value may have when it is written out: a workflow has some seconds to read it. */
export const maxUnpackedBytes = 32 * 1024 * 1024;

/** Bytes that are unpacked at a time: at most a thousand times as many come of them. */
const chunkBytes = 4_096;

/** The same value is always packed the same. */
export function pack(value: Json): string {
  return base64.encode(gzipSync(strToU8(JSON.stringify(value)), { level: 9, mtime: 0 }));
}

/** Undefined for what `pack` did not make, and for what is too large. Never throws: anyone may have written it. */
export function unpack(packed: string): Json | undefined {
  try {
    const data = base64.decode(packed);
    const size = readSize(data);
    return size > maxUnpackedBytes ? undefined : (JSON.parse(strFromU8(inflate(data, size))) as Json);
  } catch {
    return undefined;
  }
}

/** Bytes that what `pack` made comes to when it is written out. */
export function countUnpackedBytes(packed: string): number {
  return readSize(base64.decode(packed));
}

/** Gzip ends with the size of what it holds. */
function readSize(data: Uint8Array): number {
  return new DataView(data.buffer, data.byteOffset).getUint32(data.length - 4, true);
}

/** Stops where there is more than was said, however much that would be. */
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
  if (filled !== size) throw new RangeError('It is shorter than it says.');
  return whole;
}
