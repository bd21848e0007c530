/**
 * Masks known secrets: those that were read for tools and models. Unlike a redactor, it guesses nothing.
 *
 * 1. No regular expression is built from a secret: its error message would contain the secret.
 * 2. Masking a masked text changes nothing.
 * 3. A secret is found verbatim, in JSON, in URLs, in base64 and hexadecimal, and by its parts that grant access alone. It
 *    is not found after a program has split, reversed or encrypted it.
 */

import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base64, base64url, hex } from '@scure/base';
import { isObject, type Json, mapJson, parseJson } from '../lib/index.js';

/** The mark that a redactor writes too: readers of marks need no distinction. */
export const secretMark = '[redacted:secret]';

export interface SecretMasker {
  readonly text: (text: string) => string;
  /** Masks texts, numbers and the names of members. */
  readonly value: (value: Json) => Json;
}

/** Masks nothing. */
export const noSecretMasker: SecretMasker = { text: (text) => text, value: (value) => value };

/**
 * Creates a masker that finds each secret in all its forms.
 *
 * @param secrets those shorter than `shortestSecret` are ignored: they would match ordinary words
 * @example
 * createSecretMasker([key]).text(`401 for Bearer ${key}`); // '401 for Bearer [redacted:secret]'
 */
export function createSecretMasker(secrets: readonly string[]): SecretMasker {
  const forms = secrets.flatMap(listSecretForms).filter((form) => !secretMark.includes(form));
  if (forms.length === 0) return noSecretMasker;
  const text = (unmasked: string) => maskForms(unmasked, forms);
  const mapped = (value: Json): Json | undefined => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'number') return undefined;
    return text(String(value)) === String(value) ? value : secretMark;
  };
  return {
    text,
    value: (value) =>
      mapJson(value, {
        paths: [],
        mapValue: mapped,
        mapItems: (items) => items,
        mapKey: text,
        visitKeys: () => {},
        getName: (key) => key,
      }),
  };
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Masks overlapping ranges as one, so no part of either remains. */
function maskForms(text: string, forms: readonly string[]): string {
  const places = forms.flatMap((form) => findRanges(form, text)).sort((a, b) => a.start - b.start);
  if (places.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of places) {
    if (start >= at) parts.push(text.slice(at, start), secretMark);
    at = Math.max(at, end);
  }
  return parts.concat(text.slice(at)).join('');
}

function findRanges(form: string, text: string): readonly TextRange[] {
  const textRanges: TextRange[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    textRanges.push({ start: at, end: at + form.length });
  }
  return textRanges;
}

/** Shorter secrets would match within ordinary words and numbers. */
export const shortestSecret = 6;

/** Shorter lines and members of a longer secret grant nothing alone. */
const shortestPart = 12;

/** Returns each form once. */
function listSecretForms(secret: string): readonly string[] {
  const parts = listSecretParts(secret).filter(({ length }) => length >= shortestSecret);
  const forms = parts.flatMap((part) => [
    part,
    ...listEscapedForms(part),
    ...listPercentForms(part),
    ...listEncodedForms(part),
  ]);
  return [...new Set(forms)].filter(({ length }) => length >= shortestSecret);
}

/** Returns the whole secret, a URL's password, each line (values are displayed by lines), and each text in JSON. */
function listSecretParts(secret: string): readonly string[] {
  const whole = secret.trim();
  const lines = whole.split(/[ \t]*\r?\n[ \t]*/);
  const texts = lines.concat(listDocumentTexts(whole).flatMap((text) => [text, ...text.split(/\r?\n/)]));
  return [whole, ...listAddressPasswords(whole), ...texts.filter(({ length }) => length >= shortestPart)];
}

function listAddressPasswords(address: string): readonly string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/:@]*:(.+)@/i.exec(address)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Returns the texts in a JSON document of credentials: a program that reads it has its members. */
function listDocumentTexts(document: string): readonly string[] {
  const texts: string[] = [];
  const ahead: unknown[] = [document.startsWith('{') ? parseJson(document) : null];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (Array.isArray(next) || isObject(next)) ahead.push(...Object.values(next));
  }
  return texts;
}

/** Returns the forms in JSON, in JSON within JSON, and in single quotes as JavaScript writes them. */
function listEscapedForms(part: string): readonly string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const ascii = (text: string) =>
    text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const once = inJson(part);
  const twice = inJson(once);
  const quoted = part.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n');
  return [once, twice, inJson(twice), ascii(once), ascii(twice), once.replaceAll('/', '\\/'), quoted];
}

/** Characters that remain unescaped in a URL's part, a form, a whole URL, its user and password, and a query. */
const unescapedCharacters = [
  /[\w.!~*'()-]/,
  /[\w.*-]/,
  /[\w.!~*'();,/?:@&=+$#-]/,
  /[\w.!~*'()$&+,%-]/,
  /[!$-&(-;=?-~]/,
];

function listPercentForms(part: string): readonly string[] {
  const bytes = [...utf8ToBytes(part)];
  return unescapedCharacters.flatMap((keeps) => {
    const upper = bytes.map((byte) => {
      const character = String.fromCharCode(byte);
      return keeps.test(character) ? character : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    });
    const upperText = upper.join('');
    const lower = upper.map((part) => (part.startsWith('%') ? part.toLowerCase() : part)).join('');
    return [upperText, lower, upperText.replaceAll('%20', '+'), lower.replaceAll('%20', '+')];
  });
}

/**
 * Returns the forms in hexadecimal and base64. In base64, three per alphabet, by the bytes before the secret, such as the
 * user of a `Basic` header; without the characters that its neighbours change.
 */
function listEncodedForms(part: string): readonly string[] {
  const bytes = utf8ToBytes(part);
  const base64s = [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    const first = [0, 2, 3][before];
    const last = Math.floor((shifted.length * 8) / 6);
    return [base64, base64url].map((coder) => coder.encode(shifted).slice(first, last));
  });
  const hexText = hex.encode(bytes);
  return [...base64s, hexText, hexText.toUpperCase()];
}
