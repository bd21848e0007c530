/** JSON made small, as text: what a chain carries of another lies in one payload, which Temporal limits to 2 MB. */

import { base64 } from '@scure/base';
import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import type { Json } from './json.js';

/** Bytes that a packed value may have when it is written out. What says that it has more is not read. */
const mostBytes = 64 * 1024 * 1024;

/** The same value is always packed the same. */
export function pack(value: Json): string {
  return base64.encode(gzipSync(strToU8(JSON.stringify(value)), { level: 9, mtime: 0 }));
}

/** Undefined for what `pack` did not make. Never throws: what it is given, anyone may have written. */
export function unpack(packed: string): Json | undefined {
  try {
    const data = base64.decode(packed);
    // Gzip ends with the size of what it holds; fflate makes room for that and no more.
    if (new DataView(data.buffer, data.byteOffset).getUint32(data.length - 4, true) > mostBytes) return undefined;
    return JSON.parse(strFromU8(gunzipSync(data))) as Json;
  } catch {
    return undefined;
  }
}
