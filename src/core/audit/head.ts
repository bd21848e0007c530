/**
 * Signed heads: the holder of a key signed a log up to an entry. Entries after the last head are chained, but not signed yet.
 */

import { check, parseJson, toCanonicalJson } from '../lib/index.js';

/** Identifies a log. Each tenant has one hash chain; all Longhand chains without a tenant share one. */
export interface LogName {
  readonly namespace: string;
  readonly tenant: string | null;
}

export interface LogHead extends LogName {
  readonly seq: number;
  readonly hash: string;
  /** Milliseconds since 1970, by the signer's clock. */
  readonly at: number;
  /** Id of the key: SHA-256 of the public key, in hexadecimal. */
  readonly key: string;
}

/** A head with the exact text that was signed, so that verification need not format it again. */
export interface SignedHead {
  readonly signed: string;
  /** Ed25519, in base64. */
  readonly signature: string;
}

/** Checks of the members of a `LogName`. */
export const logNameChecks = { namespace: check.text, tenant: check.nullable(check.text) };

const isHead = check.shape<LogHead>({
  ...logNameChecks,
  ...{ seq: check.number, hash: check.text, at: check.number, key: check.text },
}).is;

export const checkSignedHeads = check.list(check.shape<SignedHead>({ signed: check.text, signature: check.text }));

export function formatHead({ namespace, tenant, seq, hash, at, key }: LogHead): string {
  return toCanonicalJson({ namespace, tenant, seq, hash, at, key });
}

/** Parses a head; null if the text is not a head in canonical form. */
export function parseHead({ signed }: SignedHead): LogHead | null {
  const value = parseJson(signed);
  return isHead(value) && formatHead(value) === signed ? value : null;
}

/** Returns a map key for a log, unambiguous for all names. */
export function toLogKey({ namespace, tenant }: LogName): string {
  return JSON.stringify([namespace, tenant]);
}

/** Reverses `toLogKey`. */
export function parseLogKey(key: string): LogName {
  const [namespace, tenant] = JSON.parse(key) as readonly [string, string | null];
  return { namespace, tenant };
}

export function formatLogName({ namespace, tenant }: LogName): string {
  return `${tenant === null ? 'no tenant' : `tenant ${tenant}`} in namespace ${namespace}`;
}
