/**
 * The cryptography of the audit log: its key, signatures and hashes.
 *
 * Heads and exports are signed with Ed25519. The key is PEM (PKCS #8), in a file whose path the environment names. It lies
 * apart from the database, so that who can write there cannot sign.
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
import type { SignatureCheck } from '../../core/audit/verify.js';
import { LonghandError } from '../../core/lib/errors.js';
import { findOwn } from '../../core/lib/json.js';

export interface AuditKey {
  /** SHA-256 of the public key's DER form (SPKI), in hexadecimal. */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  /** In base64. */
  readonly sign: (text: string) => string;
  /** The folder with the record of the heads that it has signed (head-record.ts). */
  readonly headsFolder: string;
}

export const auditKeyVariable = 'LONGHAND_AUDIT_KEY';
/** Where the record of signed heads lies, if not beside the key. */
export const auditHeadsVariable = 'LONGHAND_AUDIT_HEADS';

/** What is wrong with a key, as a sentence that says what to do. */
export class AuditKeyError extends LonghandError {
  override readonly name = 'AuditKeyError';

  constructor(message: string, options?: ErrorOptions) {
    super('audit_key_invalid', message, options);
  }
}

/** Null where none is named. @throws {AuditKeyError} */
export function findAuditKey(env: NodeJS.ProcessEnv): AuditKey | null {
  const path = env[auditKeyVariable];
  return path === undefined || path === '' ? null : readAuditKey(path, env[auditHeadsVariable] || undefined);
}

/** @param heads default: a folder beside the key. @throws {AuditKeyError} */
export function readAuditKey(path: string, heads = `${path}.heads`): AuditKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new AuditKeyError(
      `The audit key ${path} cannot be read (${describeFileError(error)}). Make one with \`longhand audit key --out ${path}\`.`,
      { cause: error },
    );
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new AuditKeyError(
      `The audit key ${path} is of type ${key.asymmetricKeyType}, and has to be Ed25519. Make one with \`longhand audit key\`.`,
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

/** A new one. The file is its owner's alone, and must not be there yet. @throws {AuditKeyError} */
export function createAuditKey(path: string): AuditKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = there ? 'there is a file of that name, which may be a key in use' : describeFileError(error);
    throw new AuditKeyError(`No key was written to ${path}: ${why}.`, { cause: error });
  }
  return readAuditKey(path);
}

/** Null for what is no public key of the kind. */
export function toKeyId(publicPem: string): string | null {
  try {
    const key = createPublicKey(publicPem);
    return key.asymmetricKeyType === 'ed25519' ? computeKeyId(key) : null;
  } catch {
    return null;
  }
}

/** Whether a signature is that of a key; false for a key that is none. */
export function isSignedWith(publicPem: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Node reads past what is no base64; then one signature could be written in many ways.
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
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EACCES') return 'you may not read or write it';
  return 'it is no PEM file with a private key';
}

/**
 * Checks signatures with the public keys at hand, of which the trusted ones count.
 *
 * @param keys public keys in PEM, by the ids that they claim
 * @param trusted ids of the keys that count; null: all that are at hand
 */
export function createSignatureCheck(
  keys: { readonly [key: string]: string },
  trusted: readonly string[] | null,
): SignatureCheck {
  return (key, text, signature) => {
    const publicKey = findOwn(keys, key);
    // A key that goes by another's id is that of somebody else.
    if (publicKey === undefined || toKeyId(publicKey) !== key) return 'unknown';
    if (trusted !== null && !trusted.includes(key)) return 'unknown';
    return isSignedWith(publicKey, text, signature) ? 'good' : 'bad';
  };
}

/** By Node's own, which is many times as fast as the core's. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** 128 bits. */
export function createSalt(): string {
  return randomBytes(16).toString('hex');
}
