/** SHA-256 in pure JavaScript, so that it also runs in a workflow, and short fingerprints. */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type Json, toCanonicalJson } from './json.js';

export function computeDigest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Computes the SHA-256 of a text's UTF-8 bytes, in hexadecimal. Hosts with a faster implementation pass it in. */
export type Sha256 = (text: string) => string;

/** Returns the key of a call: equal tool and arguments, equal key. Half a digest is enough within one chain. */
export function computeCallKey(tool: string, input: Json): string {
  // Half of the bytes, not of the text: engines compare sliced strings slowly, and each call is compared with many.
  return bytesToHex(sha256(utf8ToBytes(toCanonicalJson([tool, input]))).subarray(0, 16));
}

/**
 * Returns the key of a call for services that accept one: stable across attempts, resets and continue-as-new. Another request at the
 * same place after a reset, and a second chain with the same id, have other keys.
 * @param firstRunId the chain's first run
 * @param key of `computeCallKey`
 */
export function computeIdempotencyKey(firstRunId: string, call: string, key: string): string {
  return computeDigest(`${firstRunId}/${call}/${key}`).slice(0, 32);
}

// Read once: inside a workflow each access to a global passes the sandbox, and this one is in a loop.
const { imul } = Math;

/**
 * Returns a short hash of a text, to recognize texts seen before. Not cryptographic, but a hundred times faster than a
 * digest: every observation of a chain is compared. 53 bits, from two interleaved 32-bit multiplicative hashes.
 */
export function computeFingerprint(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = imul(a ^ unit, 0x27d4eb2f);
    b = imul(b ^ unit, 0x165667b1);
  }
  a = imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ imul(b ^ (b >>> 13), 0x297a2d39);
  b = imul(b ^ (b >>> 15), 0x2c1b3c6d) ^ imul(a ^ (a >>> 13), 0x297a2d39);
  return ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(36);
}

/**
 * Returns a fingerprint of the lines of a text, in any order, without spaces and the case of Latin letters. One pass, because
 * each read of a chain is compared: the lines' hashes are added.
 */
export function computeLinesFingerprint(text: string): string {
  let a = 0;
  let b = 0;
  for (let i = 0; i < text.length; ) {
    let lineA = 0x9e3779b9;
    let lineB = 0x85ebca6b;
    let isEmpty = true;
    for (; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === lineFeed) break;
      if (unit <= space) continue;
      const folded = unit >= 65 && unit <= 90 ? unit + 32 : unit;
      lineA = imul(lineA ^ folded, 0x27d4eb2f);
      lineB = imul(lineB ^ folded, 0x165667b1);
      isEmpty = false;
    }
    i++;
    if (isEmpty) continue;
    a = (a + imul(lineA ^ (lineA >>> 15), 0x2c1b3c6d)) | 0;
    b = (b + imul(lineB ^ (lineB >>> 13), 0x297a2d39)) | 0;
  }
  return ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(36);
}

const lineFeed = 10;
const space = 32;
