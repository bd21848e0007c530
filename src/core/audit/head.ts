/**
 * A signed head of a log: who had the key vouched, at that time, for the log up to this entry. Entries behind the last head
 * are chained, and vouched for by nobody yet.
 */

import { isObject, toCanonicalJson } from '../lib/json.js';

/** Whose log it is. Each has a chain of hashes of its own, and the chains of no tenant have one together. */
export interface LogName {
  readonly namespace: string;
  readonly tenant: string | null;
}

export interface LogHead extends LogName {
  readonly seq: number;
  readonly hash: string;
  /** Milliseconds since 1970, by the clock of who signed it. */
  readonly at: number;
  /** Id of the key: SHA-256 of the public key, in hexadecimal. */
  readonly key: string;
}

/** With the very text that was signed, so that nobody has to write it anew to look. */
export interface SignedHead {
  readonly signed: string;
  /** Ed25519, in base64. */
  readonly signature: string;
}

export function formatHead({ namespace, tenant, seq, hash, at, key }: LogHead): string {
  return toCanonicalJson({ namespace, tenant, seq, hash, at, key });
}

/** Null for what is no head. */
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

/** For maps: one text for one log, whatever is in its names. */
export function toLogKey({ namespace, tenant }: LogName): string {
  return JSON.stringify([namespace, tenant]);
}

/** From the key of a log. */
export function parseLogKey(key: string): LogName {
  const [namespace, tenant] = JSON.parse(key) as readonly [string, string | null];
  return { namespace, tenant };
}

export function formatLogName({ namespace, tenant }: LogName): string {
  return `${tenant === null ? 'no tenant' : `tenant ${tenant}`} in namespace ${namespace}`;
}
