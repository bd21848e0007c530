/**
 * The text of an API key: `lh_<id>_<secret>`.
 *
 * The id is for people: lists, logs and the audit log have it. The secret has 256 random bits. It is stored as a plain
 * SHA-256: a slow hash protects secrets that can be guessed, and this one cannot; its cost would be paid in every request.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ApiKey {
  readonly id: string;
  readonly secretHash: string;
  /** The only copy: it is printed once and never stored. */
  readonly text: string;
}

/** Start of every key, for secret scanners and for the choice of the authentication. */
export const keyPrefix = 'lh_';

/** Without `i`, `l`, `o` and `u`: an id may be read aloud. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 10;
const keyPattern = new RegExp(`^${keyPrefix}([${alphabet}]{${idLength}})_([A-Za-z0-9_-]{43})$`);

export function createApiKey(): ApiKey {
  const id = [...randomBytes(idLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
  const secret = randomBytes(32).toString('base64url');
  return { id, secretHash: hashSecret(secret), text: `${keyPrefix}${id}_${secret}` };
}

/** Parses a key; null if the text is not a key. The secret is compared as text, so it has one spelling. */
export function parseApiKey(text: string): { readonly id: string; readonly secret: string } | null {
  const [, id, secret] = keyPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** In constant time. */
export function matchesSecret(secret: string, secretHash: string): boolean {
  const [given, stored] = [Buffer.from(hashSecret(secret), 'hex'), Buffer.from(secretHash, 'hex')];
  return given.length === stored.length && timingSafeEqual(given, stored);
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
