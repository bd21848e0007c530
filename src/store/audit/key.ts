/**
 * The cryptography of the audit log: its key, signatures and hashes.
 *
 * Heads and exports are signed with Ed25519. The key is a PEM file (PKCS #8) that the environment names. It is kept apart
 * from the database, so that a writer of the database cannot sign.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { SignatureCheck } from '../../core/audit/index.js';
import { findOwn, LonghandError } from '../../core/lib/index.js';

export interface AuditKey {
  /** SHA-256 of the public key's DER form (SPKI), in hexadecimal. */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  /** Returns base64. */
  readonly sign: (text: string) => string;
  /** The folder with the record of signed heads (head-record.ts). */
  readonly headsFolder: string;
}

export const auditKeyVariable = 'LONGHAND_AUDIT_KEY';
/** Names the folder with the record of signed heads. Default: next to the key. */
export const auditHeadsVariable = 'LONGHAND_AUDIT_HEADS';

/** A key or its record of heads cannot be used. The message contains the fix. */
export class AuditKeyError extends LonghandError {
  override readonly name = 'AuditKeyError';

  constructor(message: string, options?: ErrorOptions) {
    super('audit_key_invalid', message, options);
  }
}

/** Reads the configured key; null when none is configured. @throws {AuditKeyError} */
export function findAuditKey(env: NodeJS.ProcessEnv): AuditKey | null {
  const path = env[auditKeyVariable];
  return path === undefined || path === '' ? null : readAuditKey(path, env[auditHeadsVariable] || undefined);
}

/** @param heads default: a folder next to the key. @throws {AuditKeyError} */
export function readAuditKey(path: string, heads = `${path}.heads`): AuditKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new AuditKeyError(
      `Cannot read the audit key ${path} (${describeFileError(error)}). Set LONGHAND_AUDIT_KEY to a key file; \`longhand audit key --out <file>\` creates one.`,
      { cause: error },
    );
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new AuditKeyError(
      `The audit key ${path} has type ${key.asymmetricKeyType}; expected Ed25519. Create one with \`longhand audit key\`.`,
    );
  }
  const publicKey = createPublicKey(key);
  return {
    id: computeKeyId(publicKey),
    publicKey: toPem(publicKey),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
    headsFolder: heads,
  };
}

/** Creates a key in a new file that only its owner can read. @throws {AuditKeyError} also when the file exists */
export function createAuditKey(path: string): AuditKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = there ? 'the file exists and may be a key in use' : describeFileError(error);
    throw new AuditKeyError(`No key was written to ${path}: ${why}. Choose another file.`, { cause: error });
  }
  return readAuditKey(path);
}

/** Returns the id of a public key; null for any text that is not an Ed25519 public key. */
export function toKeyId(publicPem: string): string | null {
  try {
    const key = createPublicKey(publicPem);
    return key.asymmetricKeyType === 'ed25519' ? computeKeyId(key) : null;
  } catch {
    return null;
  }
}

/** Whether the key made the signature; false for an invalid key. */
export function isSignedWith(publicPem: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Node ignores invalid base64: one signature could be written in many ways.
  if (bytes.toString('base64') !== signature) return false;
  try {
    return verify(null, Buffer.from(text), createPublicKey(publicPem), bytes);
  } catch {
    return false;
  }
}

function computeKeyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'file or folder not found';
  if (code === 'EACCES') return 'permission denied';
  return 'not a PEM file with a private key';
}

/**
 * Creates a check of signatures that accepts trusted keys only.
 *
 * @param keys public keys in PEM, by the ids that they claim
 * @param trusted ids of the trusted keys; null: all of `keys`
 */
export function createSignatureCheck(
  keys: { readonly [key: string]: string },
  trusted: readonly string[] | null,
): SignatureCheck {
  return (key, text, signature) => {
    const publicKey = findOwn(keys, key);
    // A key under another key's id is a forgery.
    if (publicKey === undefined || toKeyId(publicKey) !== key) return 'unknown';
    if (trusted !== null && !trusted.includes(key)) return 'unknown';
    return isSignedWith(publicKey, text, signature) ? 'good' : 'bad';
  };
}

/** Node's SHA-256, which is many times faster than the one in `core`. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** 128 bits. */
export function createSalt(): string {
  return randomBytes(16).toString('hex');
}
