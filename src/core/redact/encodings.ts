/**
 * Searches texts in base64 and percent-encoding. An encoded text that contains a secret is masked whole, since a part of
 * it is unreadable.
 */

import { base64 } from '@scure/base';
import { blank, type Finding } from './finding.js';

/** Of the runtime; a workflow has it too. It replaces only the bytes that are not UTF-8: a secret beside them is found. */
declare const TextDecoder: new () => { readonly decode: (bytes: Uint8Array) => string };

/** Returns whether a decoded text contains a secret. */
export type SecretCheck = (decoded: string) => boolean;

/** An encoded text may contain another one. */
export const deepestEncoding = 3;

const base64Run = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
/** Mail and files break base64 into lines of at least this length. */
const shortestLine = 60;
const nextLine = /(?:\r?\n|\\n)[ \t]{0,16}([A-Za-z0-9+/_-]+={0,2})(?![A-Za-z0-9])/y;
/** Percent-encoded text; it is decoded only if it has a quote, encoded up to three times. */
const addressRun = /(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})+/g;
const encodedQuote = /%(?:25){0,2}22/;

export function findEncoded(text: string, holdsSecret: SecretCheck): readonly Finding[] {
  return [...findBase64(text, holdsSecret), ...findPercent(text, holdsSecret)].sort((a, b) => a.start - b.start);
}

function findBase64(text: string, holdsSecret: SecretCheck): readonly Finding[] {
  const findings: Finding[] = [];
  // A copy, since the search recurses into decoded texts.
  const runs = new RegExp(base64Run);
  for (let match = runs.exec(text); match !== null; match = runs.exec(text)) {
    const start = match.index;
    let end = start + match[0].length;
    let base64Text = match[0];
    const lines = [base64Text];
    for (let last = base64Text; last.length >= shortestLine && !last.endsWith('='); ) {
      nextLine.lastIndex = end;
      last = nextLine.exec(text)?.[1] ?? '';
      if (last === '') break;
      lines.push(last);
      end = nextLine.lastIndex;
    }
    runs.lastIndex = end;
    base64Text = lines.join('');
    const decoded = decodeBase64(base64Text);
    if (decoded !== null && holdsSecret(decoded)) findings.push({ start, end, kind: 'encoded' });
  }
  return findings;
}

/** Null if the result is not text, as for most runs of letters. */
function decodeBase64(base64Text: string): string | null {
  const plain = base64Text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const whole = plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0));
  const isText = (bytes: Uint8Array) =>
    bytes.every((byte) => (byte >= 0x20 ? byte !== 0x7f : byte === 9 || byte === 10 || byte === 13));
  if (!isText(toBytes(whole.slice(0, 16)))) return null;
  const bytes = toBytes(whole);
  return isText(bytes) ? new TextDecoder().decode(bytes) : null;
}

function toBytes(plain: string): Uint8Array {
  try {
    return base64.decode(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='));
  } catch {
    // The remaining bits are not zero.
    return base64.decode(plain.slice(0, plain.length - (plain.length % 4)));
  }
}

function findPercent(text: string, holdsSecret: SecretCheck): readonly Finding[] {
  if (!encodedQuote.test(text)) return [];
  const findings: Finding[] = [];
  for (const { 0: run, index } of text.matchAll(addressRun)) {
    if (run.includes(blank) || !encodedQuote.test(run)) continue;
    const decoded = decodePercent(run);
    if (decoded !== null && holdsSecret(decoded))
      findings.push({ start: index, end: index + run.length, kind: 'encoded' });
  }
  return findings;
}

function decodePercent(run: string): string | null {
  try {
    return decodeURIComponent(run.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
