/** Known secrets are masked in every form, and nothing else is. */

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretMasker, noSecretMasker, secretMark } from '../../../src/core/redact/known-secrets.js';
import { budget } from '../../support/budget.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Writers that programs use, instead of Longhand's. */
const writers: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in a header': (secret) => `Authorization: Bearer ${secret}`,
  base64: (secret) => bytes(secret).toString('base64'),
  'base64 after one more byte': (secret) => bytes(`:${secret}`).toString('base64'),
  'base64 between others': (secret) => `Basic ${bytes(`me:${secret}@host`).toString('base64')}`,
  'base64 for addresses': (secret) => bytes(`user:${secret}`).toString('base64url'),
  hexadecimal: (secret) => bytes(secret).toString('hex'),
  'part of an address': encodeURIComponent,
  'an address': encodeURI,
  'a form': (secret) => new URLSearchParams({ key: secret }).toString(),
  'a form in lower case': (secret) =>
    new URLSearchParams({ key: secret }).toString().replace(/%../g, (hex) => hex.toLowerCase()),
  JSON: (secret) => JSON.stringify({ key: secret }),
  'JSON in JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ key: JSON.stringify(secret) })),
};

/** A text before a form may end with the form's first characters; the form must still be found. */
const secretOf = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((text) => {
  const known = text.trim();
  return known === text && known.length >= 8 && !secretMark.includes(known) && !/[\r\n\ud800-\udfff]/.test(known);
});
const around = fc.string({ maxLength: 20 });

describe('a secret', () => {
  it.each(Object.entries(writers))('is masked: %s', (_name, write) => {
    fc.assert(
      fc.property(secretOf, around, around, (secret, before, after) => {
        const written = write(secret);
        const { text } = createSecretMasker([secret]);
        const hidden = text(before + written + after);
        expect(hidden).toContain(secretMark);
        expect(hidden).not.toContain(secret);
        expect(text(hidden)).toBe(hidden);
      }),
      { numRuns: budget(50, 200) },
    );
  });

  it('is masked as the password of a URL', () => {
    const url = new URL('https://db.example.com');
    url.password = 'p@ss w/rd:#?[7]';
    expect(createSecretMasker(['p@ss w/rd:#?[7]']).text(`fetch ${url.href} failed`)).not.toContain('p%40ss');
  });

  it('is masked where a program displays values', () => {
    const secret = 'it\'s\na "key" of C:\\x';
    expect(createSecretMasker([secret]).text(inspect({ secret }))).not.toContain('key');
  });

  it('is masked completely where two overlap', () => {
    expect(createSecretMasker(['abcdefgh', 'fghijklm']).text('<abcdefghijklm>')).toBe(`<${secretMark}>`);
    expect(createSecretMasker(['abcdef', 'abcdefghij']).text('abcdefghij abcdef')).toBe(`${secretMark} ${secretMark}`);
  });

  it('is masked in names, numbers and lists, and the value keeps its shape', () => {
    const { value } = createSecretMasker(['12345678', 'hunter2-hunter2']);
    expect(value({ 'hunter2-hunter2': [12345678, 7, true, null], deep: { in: [['x hunter2-hunter2']] } })).toEqual({
      [secretMark]: [secretMark, 7, true, null],
      deep: { in: [[`x ${secretMark}`]] },
    });
  });

  it('is ignored if it is too short or part of the mark', () => {
    expect(createSecretMasker(['12345', ''])).toBe(noSecretMasker);
    expect(createSecretMasker(['secret']).text(`A secret: ${secretMark}`)).toBe(`A secret: ${secretMark}`);
  });
});

describe('the parts of a secret', () => {
  const rest = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';

  it('are masked: each line of a key', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${rest}\n-----END PRIVATE KEY-----\n`;
    const { text } = createSecretMasker([key]);
    expect(text(key)).toBe(`${secretMark}\n`);
    expect(text(`its second line is ${rest}.`)).toBe(`its second line is ${secretMark}.`);
  });

  it('are masked: the password of a URL', () => {
    const { text } = createSecretMasker(['postgres://ann:p%40ssword7@db/app']);
    expect(text('password "p@ssword7" of ann, p%40ssword7 in the address')).toBe(
      `password "${secretMark}" of ann, ${secretMark} in the address`,
    );
  });

  it('are masked: the texts of a document', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${rest}\n-----END PRIVATE KEY-----\n`;
    const { text } = createSecretMasker([JSON.stringify({ type: 'account', keys: [{ private_key: key }] })]);
    expect(text(`An account with ${key}and ${rest}`)).toBe(`An account with ${secretMark}and ${secretMark}`);
  });
});

it('a masker of secrets masks nothing else', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'grapheme-ascii', minLength: 30 }),
      (content, secret) => {
        expect(createSecretMasker([secret]).text(content)).toBe(content);
      },
    ),
  );
});
