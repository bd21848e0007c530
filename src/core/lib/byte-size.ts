/**
 * Sizes of values in UTF-8, as plain text or as JSON. Results of tools may be huge or deep: nothing here builds the text or
 * recurses, and `atMost` stops the count early.
 */

import type { Json } from './json.js';

/** `json`: inside a JSON string, where some characters are escaped. */
export type TextFormat = 'plain' | 'json';

const nonAsciiPattern = /[\u0080-\uffff]/;
const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

export function countCharBytes(code: number, writing: TextFormat): number {
  if (writing === 'json') {
    if (code === 0x22 || code === 0x5c) return 2;
    // \b \t \n \f \r have short escapes; other control characters and lone surrogates are written \u00xx.
    if (code < 0x20) return code >= 8 && code <= 13 && code !== 11 ? 2 : 6;
    if (isSurrogate(code)) return 6;
  }
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

/** Counts the bytes of a text, without quotes. Stops above `atMost`. */
export function countTextBytes(text: string, writing: TextFormat, atMost = Number.POSITIVE_INFINITY): number {
  // No character has less than a byte.
  if (text.length > atMost) return text.length;
  // A result may have 100 MB, and the loop waits.
  if (writing === 'plain' && !nonAsciiPattern.test(text)) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length && bytes <= atMost; ) {
    const code = text.codePointAt(i)!;
    bytes += countCharBytes(code, writing);
    i += code > 0xffff ? 2 : 1;
  }
  return bytes;
}

export interface JsonSize {
  /** Bytes of `JSON.stringify(value)`. */
  readonly bytes: number;
  /** Arrays and objects inside one another: 0 for a number, 1 for `[]`. */
  readonly depth: number;
}

/** Measures a value level by level. Stops above `atMost` bytes. */
export function measureJson(value: Json, atMost = Number.POSITIVE_INFINITY): JsonSize {
  let bytes = 0;
  let depth = 0;
  let below: Json[] = [];
  const count = (part: Json) => {
    if (typeof part === 'string') bytes += 2 + countTextBytes(part, 'json', atMost - bytes);
    else if (typeof part !== 'object' || part === null) bytes += String(part).length;
    else below.push(part);
  };
  count(value);
  while (below.length > 0 && bytes <= atMost) {
    const level = below;
    below = [];
    depth += 1;
    for (const part of level) {
      const [parts, keys] = Array.isArray(part)
        ? [part, []]
        : [Object.values(part as object), Object.keys(part as object)];
      bytes += 2 + Math.max(0, parts.length - 1);
      if (bytes > atMost) break;
      for (const key of keys) bytes += 3 + countTextBytes(key, 'json', atMost - bytes);
      for (const child of parts) count(child);
    }
  }
  return { bytes, depth };
}

export const countJsonBytes = (value: Json, atMost?: number): number => measureJson(value, atMost).bytes;

function countTokenQuarters(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  // Dashes, quotation marks, arrows, lines: as many as their bytes.
  if (code >= 0x2000 && code < 0x2e80) return 3;
  return code > 0xffff ? 8 : 4;
}

/**
 * Estimates the tokens of a text by its scripts: for Latin letters without accents, digits and signs four characters a token; for
 * other letters of two bytes, such as Cyrillic, Greek, Arabic and Hebrew, two; for those of three bytes, such as Chinese, Japanese,
 * Korean, Hindi and Thai, one; for emoji a half. Never below a token for four bytes. Bounds of budgets count bytes instead.
 */
export function estimateTextTokens(text: string): number {
  if (!nonAsciiPattern.test(text)) return Math.ceil(text.length / 4);
  let quarters = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i)!;
    quarters += countTokenQuarters(code);
    i += code > 0xffff ? 2 : 1;
  }
  return Math.ceil(quarters / 4);
}
