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
export function computeCallKey(tool: string, input: Json, computeSha256: Sha256 = computeDigest): string {
  return flatten(computeSha256(toCanonicalJson([tool, input])).slice(0, 32));
}

/** Copies a slice: engines compare sliced strings slowly, and each key is compared with many. */
function flatten(slice: string): string {
  return [slice.slice(0, 16), slice.slice(16)].join('');
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

// Read once: inside a workflow each access to a global passes the sandbox, and these are in loops.
const { floor, imul } = Math;

// As 32-bit integers: with the unsigned numbers, engines hash with floating point, and take three times as long.
const startA = 0x9e3779b9 | 0;
const startB = 0x85ebca6b | 0;
const factorA = 0x27d4eb2f;
const factorB = 0x165667b1;
const lineFeed = 10;
const space = 32;

/**
 * Returns a short hash of a text, to recognize texts seen before. Not cryptographic, but a hundred times faster than a
 * digest: every observation of a chain is compared. 53 bits, from two interleaved 32-bit multiplicative hashes.
 */
export function computeFingerprint(text: string): string {
  let a = startA;
  let b = startB;
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
  let a = startA;
  let b = startB;
  let sumA = 0;
  let sumB = 0;
  let lineA = startA;
  let lineB = startB;
  let isEmpty = true;
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    a = imul(a ^ unit, factorA);
    b = imul(b ^ unit, factorB);
    if (unit > space) {
      const folded = unit >= 65 && unit <= 90 ? unit + 32 : unit;
      lineA = imul(lineA ^ folded, factorA);
      lineB = imul(lineB ^ folded, factorB);
      isEmpty = false;
    } else if (unit === lineFeed && !isEmpty) {
      sumA = (sumA + mixLineA(lineA)) | 0;
      sumB = (sumB + mixLineB(lineB)) | 0;
      lineA = startA;
      lineB = startB;
      isEmpty = true;
    }
  }
  if (!isEmpty) {
    sumA = (sumA + mixLineA(lineA)) | 0;
    sumB = (sumB + mixLineB(lineB)) | 0;
  }
  return { whole: mix(a, b), lines: toText(sumA, sumB) };
}

function mixLineA(hash: number): number {
  return imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}

function mixLineB(hash: number): number {
  return imul(hash ^ (hash >>> 13), 0x297a2d39);
}

function mix(a: number, b: number): string {
  const mixedA = imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ imul(b ^ (b >>> 13), 0x297a2d39);
  return toText(mixedA, imul(b ^ (b >>> 15), 0x2c1b3c6d) ^ imul(mixedA ^ (mixedA >>> 13), 0x297a2d39));
}

/** Writes 53 bits in base 36, by two small numbers: engines write large ones ten times as slowly. */
function toText(a: number, b: number): string {
  const bits = (b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0);
  const high = floor(bits / lowLimit);
  const low = bits - high * lowLimit;
  return high === 0 ? low.toString(36) : high.toString(36) + low.toString(36).padStart(5, '0');
}

/** The number of texts of five digits. */
const lowLimit = 36 ** 5;
