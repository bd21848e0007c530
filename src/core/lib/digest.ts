/** SHA-256, in pure JavaScript so that it runs inside a workflow as well as anywhere else. */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical, type Json } from './json.js';

export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. Where there is a faster one than ours, it is handed in. */
export type Sha256 = (text: string) => string;

/** Names a call by what it asks: equal tool and arguments, equal key. Half a digest is plenty for one chain. */
export function callKey(tool: string, input: Json): string {
  // Of half the bytes, not half of the text: an engine compares parts of texts slowly, and each call is held against many.
  return bytesToHex(sha256(utf8ToBytes(canonical([tool, input]))).subarray(0, 16));
}
