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

const [seedA, seedB] = [0x9e3779b9, 0x85ebca6b];
const [factorA, factorB] = [0x27d4eb2f, 0x165667b1];
const lineFeed = 10;
const space = 32;

/**
 * Returns a short hash of a text, to recognize texts seen before. Not cryptographic, but a hundred times faster than a
 * digest: every observation of a chain is compared. 53 bits, from two interleaved 32-bit multiplicative hashes.
 */
export function computeFingerprint(text: string): string {
  let a = seedA;
  let b = seedB;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = imul(a ^ unit, factorA);
    b = imul(b ^ unit, factorB);
  }
  return mix(a, b);
}

/** Two fingerprints of a text, in one pass, because every result of a read is compared by both. */
export interface TextFingerprints {
  /** That of `computeFingerprint`. */
  readonly whole: string;
  /** Of the lines in any order, without spaces and the case of Latin letters: their hashes are added. */
  readonly lines: string;
}

export function computeFingerprints(text: string): TextFingerprints {
  let a = seedA;
  let b = seedB;
  let sumA = 0;
  let sumB = 0;
  let lineA = seedA;
  let lineB = seedB;
  let isEmpty = true;
  const { length } = text;
  for (let i = 0; i <= length; i++) {
    const unit = i === length ? lineFeed : text.charCodeAt(i);
    if (i < length) {
      a = imul(a ^ unit, factorA);
      b = imul(b ^ unit, factorB);
    }
    if (unit === lineFeed) {
      if (isEmpty) continue;
      sumA = (sumA + imul(lineA ^ (lineA >>> 15), 0x2c1b3c6d)) | 0;
      sumB = (sumB + imul(lineB ^ (lineB >>> 13), 0x297a2d39)) | 0;
      lineA = seedA;
      lineB = seedB;
      isEmpty = true;
    } else if (unit > space) {
      const folded = unit >= 65 && unit <= 90 ? unit + 32 : unit;
      lineA = imul(lineA ^ folded, factorA);
      lineB = imul(lineB ^ folded, factorB);
      isEmpty = false;
    }
  }
  return { whole: mix(a, b), lines: toText(sumA, sumB) };
}

function mix(a: number, b: number): string {
  const mixedA = imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ imul(b ^ (b >>> 13), 0x297a2d39);
  return toText(mixedA, imul(b ^ (b >>> 15), 0x2c1b3c6d) ^ imul(mixedA ^ (mixedA >>> 13), 0x297a2d39));
}

function toText(a: number, b: number): string {
  return ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(36);
}
