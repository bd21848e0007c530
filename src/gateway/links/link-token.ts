/**
 * Tokens of links: who may decide which version of which request, until when. Signed, not encrypted: a token is a secret of its
 * owner, and states nothing that its owner may not know.
 *
 * T1 A token has one text. Any other text, also one that decodes to the same bytes, is not valid.
 * T2 The first key signs, all keys verify. Without a key there is no valid token.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { check, LonghandError } from '../../core/lib/index.js';
import { readSecretVariable } from '../../secrets/index.js';

/** What a link permits. Times are milliseconds since 1970. */
export interface Link {
  /** Of the decision: the chain accepts it once. */
  readonly id: string;
  readonly chainId: string;
  readonly call: string;
  /** Of the request that the link is about. A request that changed has another one. */
  readonly digest: string;
  /** A later request with the same digest is another request. */
  readonly askedAt: number;
  readonly tenant: string | null;
  readonly by: string;
  readonly roles: readonly string[];
  /** Role of the viewer that the request is shown to. */
  readonly view: string;
  /** Id of the API key that created it; null where another credential or the command line did. */
  readonly key: string | null;
  readonly expiresAt: number;
}

export interface LinkSigner {
  readonly sign: (link: Omit<Link, 'id'>) => string;
  /** Returns the link, which may have expired; null unless the token is one that these keys signed. */
  readonly verify: (token: string) => Link | null;
}

export interface LinkKey {
  /** In the token, so that one key is tried. */
  readonly id: string;
  readonly key: Buffer;
}

const keyBytes = 32;

/**
 * Reads the keys of `LONGHAND_LINK_KEYS`: each 32 bytes as base64, after its id and a colon where it has one, with commas
 * between them. Empty without the variable.
 *
 * @throws {LonghandError} `invalid_environment`
 */
export function readLinkKeys(env: Readonly<Record<string, string | undefined>>): readonly LinkKey[] {
  const keys = (readSecretVariable('LONGHAND_LINK_KEYS', env) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw invalidKeys('two keys have the same id');
  return keys;
}

/** Opens the keys of the environment; null without any. @throws {LonghandError} `invalid_environment` */
export function openLinkSigner(env: Readonly<Record<string, string | undefined>>): LinkSigner | null {
  const [first, ...others] = readLinkKeys(env);
  return first === undefined ? null : createLinkSigner([first, ...others]);
}

/** Returns a new key as `LONGHAND_LINK_KEYS` takes it. */
export function createLinkKey(): string {
  return randomBytes(keyBytes).toString('base64');
}

function parseKey(entry: string, at: number): LinkKey {
  const [, id, text = ''] = /^(?:([\w-]{1,32}):)?([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
  const key = Buffer.from(text, 'base64');
  // The key is not repeated: it is a secret.
  if (key.length !== keyBytes) throw invalidKeys(`key ${at + 1} is not ${keyBytes} bytes as base64`);
  return { id: id ?? createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}

function invalidKeys(why: string): LonghandError {
  const fix = '`longhand gateway link-key` creates a valid one.';
  return new LonghandError('invalid_environment', `Invalid LONGHAND_LINK_KEYS: ${why}. ${fix}`);
}

/** @param keys the first one signs */
export function createLinkSigner(keys: readonly [LinkKey, ...LinkKey[]]): LinkSigner {
  const [current] = keys;
  return {
    sign: (link) => {
      const payload = Buffer.from(formatLink({ ...link, id: randomBytes(16).toString('base64url') }));
      const signed = `${current.id}.${payload.toString('base64url')}`;
      return `${signed}.${computeMac(current, signed)}`;
    },
    verify: (token) => {
      const [, id, payload = '', mac = ''] = /^([\w-]{1,32})\.([\w-]{1,8000})\.([\w-]{43})$/.exec(token) ?? [];
      const key = keys.find((candidate) => candidate.id === id);
      if (key === undefined) return null;
      // Texts are compared, not bytes (T1).
      const expected = Buffer.from(computeMac(key, `${id}.${payload}`));
      return timingSafeEqual(expected, Buffer.from(mac))
        ? parseLink(Buffer.from(payload, 'base64url').toString())
        : null;
    },
  };
}

/** Nothing else signed with this key is a link. */
const purpose = 'longhand link 1\0';

function computeMac({ key }: LinkKey, signed: string): string {
  return createHmac('sha256', key).update(purpose).update(signed).digest('base64url');
}

/** Short names: the token is part of an address. */
function formatLink({ id, chainId, call, digest, askedAt, tenant, by, roles, view, key, expiresAt }: Link): string {
  return JSON.stringify({
    i: id,
    c: chainId,
    n: call,
    d: digest,
    a: askedAt,
    t: tenant,
    b: by,
    r: roles,
    v: view,
    k: key,
    e: expiresAt,
  });
}

const isWritten = check.shape({
  ...{ i: check.text, c: check.text, n: check.text, d: check.text, b: check.text, v: check.text },
  ...{ a: check.number, e: check.number, r: check.texts },
  ...{ t: check.optional(check.nullable(check.text)), k: check.optional(check.nullable(check.text)) },
}).is;

/** The signature is valid, so another version of Longhand wrote what does not parse. */
function parseLink(text: string): Link | null {
  const value: unknown = JSON.parse(text);
  if (!isWritten(value)) return null;
  const { i: id, c: chainId, n: call, d: digest, a: askedAt, t: tenant = null } = value;
  const { b: by, r: roles, v: view, k: key = null, e: expiresAt } = value;
  return { id, chainId, call, digest, askedAt, tenant, by, roles, view, key, expiresAt };
}
