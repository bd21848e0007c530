/**
 * Signed heads: the holder of a key signed a log up to an entry. Entries after the last head are chained, but not signed yet.
 */

import { isObject, toCanonicalJson } from '../lib/json.js';

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

export function formatHead({ namespace, tenant, seq, hash, at, key }: LogHead): string {
  return toCanonicalJson({ namespace, tenant, seq, hash, at, key });
}

/** Parses a head; null if the text is not a head in canonical form. */
export function parseHead({ signed }: SignedHead): LogHead | null {
  let value: unknown;
  try {
    value = JSON.parse(signed);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { namespace, tenant, seq, hash, at, key } = value;
  if (typeof namespace !== 'string' || (tenant !== null && typeof tenant !== 'string')) return null;
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof at !== 'number' || typeof key !== 'string') {
    return null;
  }
  const head = { namespace, tenant, seq, hash, at, key };
  return formatHead(head) === signed ? head : null;
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
