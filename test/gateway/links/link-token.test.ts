/** Tokens of links: only what these keys signed is valid, in exactly one text. */

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLinkKey, createLinkSigner, type Link, readLinkKeys } from '../../../src/gateway/links/link-token.js';
import { matchError } from '../../support/match-error.js';

const link: Omit<Link, 'id'> = {
  chainId: 'deploy-7/3.1',
  call: '3.1',
  digest: '0f'.repeat(16),
  askedAt: 1_800_000_000_000,
  tenant: 'acme',
  by: 'Ána "the boss" <b>',
  roles: ['release', 'ops'],
  view: 'end_user',
  key: '7f3a9c',
  expiresAt: 1_800_000_360_000,
};
const key = createLinkKey();
const open = (keys: string) => {
  const [first, ...others] = readLinkKeys({ LONGHAND_LINK_KEYS: keys });
  if (first === undefined) throw new Error('no key');
  return createLinkSigner([first, ...others]);
};
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/%';

describe('a token', () => {
  it('returns what was signed, with an id of its own', () => {
    const signer = open(key);
    const [one, two] = [signer.sign(link), signer.sign(link)];
    expect(signer.verify(one)).toEqual({ ...link, id: expect.stringMatching(/^[\w-]{22}$/) });
    expect(signer.verify(one)?.id).not.toBe(signer.verify(two)?.id);
    expect(one).toMatch(/^[\w.-]+$/);
    expect(signer.verify(signer.sign({ ...link, tenant: null, roles: [] }))).toMatchObject({ tenant: null, roles: [] });
  });

  it('is invalid with any other character in any place, also where the bytes stay the same', () => {
    const signer = open(key);
    const token = signer.sign(link);
    for (let at = 0; at < token.length; at++)
      for (const character of alphabet) {
        if (token[at] === character) continue;
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(signer.verify(changed), `${character} at ${at}`).toBeNull();
      }
  });

  it('is invalid when it is cut, extended, empty or random', () => {
    const signer = open(key);
    const token = signer.sign(link);
    for (let length = 0; length < token.length; length++) expect(signer.verify(token.slice(0, length))).toBeNull();
    for (const more of ['=', 'A', '.', ' ', '\n', '\0']) {
      expect(signer.verify(token + more)).toBeNull();
      expect(signer.verify(more + token)).toBeNull();
    }
    const [id, payload, mac] = token.split('.');
    for (const odd of [
      `${id}..${mac}`,
      `.${payload}.${mac}`,
      `${id}.${payload}.`,
      `${id}.${mac}.${payload}`,
      '__proto__.a.b',
    ])
      expect(signer.verify(odd)).toBeNull();
    for (let run = 0; run < 500; run++)
      expect(
        signer.verify(`${id}.${randomBytes(40).toString('base64url')}.${randomBytes(32).toString('base64url')}`),
      ).toBeNull();
    expect(signer.verify(`${id}.${'A'.repeat(1_000_000)}.${mac}`)).toBeNull();
  });

  it('is valid as long as its key is among the keys, and new ones are signed by the first', () => {
    const other = createLinkKey();
    const before = open(key).sign(link);
    const rotated = open(`${other},${key}`);
    expect(rotated.verify(before)).not.toBeNull();
    expect(open(other).verify(rotated.sign(link))).not.toBeNull();
    expect(open(key).verify(rotated.sign(link))).toBeNull();
    expect(open(other).verify(before)).toBeNull();
    const named = open(`july:${key}`).sign(link);
    expect(named).toMatch(/^july\./);
    expect(open(`july:${key}`).verify(named)).not.toBeNull();
    // The same id with another key.
    expect(open(`july:${other}`).verify(named)).toBeNull();
  });
});

describe('keys of links', () => {
  it('are 32 bytes as base64, with commas between them', () => {
    expect(readLinkKeys({})).toEqual([]);
    expect(readLinkKeys({ LONGHAND_LINK_KEYS: ' , ' })).toEqual([]);
    expect(readLinkKeys({ LONGHAND_LINK_KEYS: `a:${key}, ${createLinkKey()}` })).toHaveLength(2);
  });

  it('are rejected without being repeated', () => {
    const short = randomBytes(31).toString('base64');
    for (const keys of [
      short,
      `a:${short}`,
      'secret-password',
      `${key},${short}`,
      `a:${key},a:${createLinkKey()}`,
      `${key}:x`,
    ]) {
      const read = () => readLinkKeys({ LONGHAND_LINK_KEYS: keys });
      expect(read).toThrow(matchError('invalid_environment'));
      expect(read).not.toThrow(new RegExp(`${short.slice(0, 10).replace(/[+/]/g, '.')}|secret|password`));
    }
  });
});
