/**
 * Texts of a corpus. `⟦…⟧` surrounds a secret, `⟦kind~…⟧` one that is not of the group's kind; `{b62:24}` is a run
 * of 24 random letters and digits. So the repository contains no real-looking secret, and each text has many variants.
 */

import { createRedactor } from '../../../src/core/redact/redactor.js';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const upper = lower.toUpperCase();

const alphabets: Readonly<Record<string, string>> = {
  d: digits,
  hex: `${digits}abcdef`,
  HEX: `${digits}ABCDEF`,
  b62: digits + lower + upper,
  b64: `${digits + lower + upper}+/`,
  b64u: `${digits + lower + upper}-_`,
  b36: digits + lower,
  B36: digits + upper,
  b32: `234567${upper}`,
};

export type Random = () => number;

/** Returns a generator of numbers from 0 to 1 that repeats for the same seed. */
export function randomFrom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export function expand(text: string, random: Random): string {
  const run = (of: string, length: number) =>
    Array.from({ length }, () => of[Math.floor(random() * of.length)] ?? '').join('');
  return text
    .replace(/\{uuid\}/g, '{hex:8}-{hex:4}-4{hex:3}-a{hex:3}-{hex:12}')
    .replace(/\{(\w+):(\d+)\}/g, (whole, name: string, length: string) => {
      const of = alphabets[name];
      // Each random run has letters and digits, because finders ignore a run that may be a word.
      return of === undefined ? whole : withDigit(run(of, Number(length)), name);
    });
}

function withDigit(run: string, name: string): string {
  if (name === 'd' || run.length < 8) return run;
  return `${run.slice(0, 2)}7${run.slice(3, 5)}${name === 'B36' || name === 'b32' || name === 'HEX' ? 'C' : 'c'}${run.slice(6)}`;
}

export interface Case {
  readonly text: string;
  readonly masked: string;
  readonly secrets: readonly string[];
}

export function caseOf(kind: string, written: string, seed: number): Case {
  const text = expand(written, randomFrom(seed));
  const secrets: string[] = [];
  const counts = new Map<string, string[]>();
  const masked = text.replace(/⟦(?:([a-z-]+)~)?([^⟧]*)⟧/g, (_, own: string | undefined, secret: string) => {
    secrets.push(secret);
    const of = own ?? kind;
    const seen = counts.get(of) ?? [];
    counts.set(of, seen);
    if (!seen.includes(secret)) seen.push(secret);
    const number = seen.indexOf(secret) + 1;
    return number === 1 ? `[redacted:${of}]` : `[redacted:${of}#${number}]`;
  });
  return { text: text.replace(/⟦(?:[a-z-]+~)?|⟧/g, ''), masked, secrets };
}

export function mask(text: string): string {
  return createRedactor().text(text);
}
