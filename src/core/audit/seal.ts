/**
 * Seals entries: computes their digests and hashes, and chains them.
 *
 * 1. `hash = SHA-256(previous + digest)`, where `digest = SHA-256(canonical JSON of the entry without hash and previous)`. With
 *    two levels, the digest of an omitted entry is enough to prove the hash chain through it. With one level, an attacker
 *    could alter the entry before an omitted one and keep the omitted one's old hash.
 * 2. Randomness is a parameter (L3).
 */

import { computeDigest, type Json, type Sha256, toCanonicalJson } from '../lib/index.js';
import type { AuditContent, AuditDraft, AuditEntry, ContentDigest, DraftPart, EntryBody } from './entry.js';

/** The hash before the first entry of a log. */
export const emptyHash = '';

/** The last entry of a log; the next entry follows it. */
export interface LogEnd {
  readonly seq: number;
  readonly hash: string;
}

export const emptyLog: LogEnd = { seq: 0, hash: emptyHash };

/** A content with its salts. `originalSalt` never leaves the store. */
export interface ContentRow {
  readonly seq: number;
  readonly part: DraftPart['part'];
  readonly salt: string | null;
  readonly originalSalt: string | null;
  /** Canonical JSON; null if only digests are stored. */
  readonly content: string | null;
}

export interface SealedEntry {
  readonly entry: AuditEntry;
  readonly contents: readonly ContentRow[];
}

/** Seals the next entry of a log. @param random returns 128 new random bits as 32 characters */
export function sealEntry(
  { parts, ...members }: AuditDraft,
  { seq: last, hash: previous }: LogEnd,
  { random, sha256 = computeDigest }: { readonly random: () => string; readonly sha256?: Sha256 },
): SealedEntry {
  const seq = last + 1;
  const sealedParts = parts.map((part) => sealPart(part, seq, random, sha256));
  const contents = sealedParts.map(({ digests }) => digests);
  const body: EntryBody = { ...members, seq, contents, nonce: random() };
  return {
    entry: { ...body, previous, hash: computeEntryHash(previous, sha256(toCanonicalJson(body)), sha256) },
    contents: sealedParts.map(({ row }) => row),
  };
}

function sealPart({ part, original, stored }: DraftPart, seq: number, random: () => string, sha256: Sha256) {
  const content = stored === undefined ? null : toCanonicalJson(stored);
  const first = toCanonicalJson(original);
  const salt = content === null ? null : random();
  const originalSalt = content === first ? null : random();
  const digests: ContentDigest = {
    part,
    ...(salt === null ? {} : { stored: sha256(salt + content) }),
    ...(originalSalt === null ? {} : { original: sha256(originalSalt + first) }),
  };
  return { digests, row: { seq, part, salt, originalSalt, content } satisfies ContentRow };
}

/** Computes an entry's hash. @param body the digest of its body */
export function computeEntryHash(previous: string, body: string, sha256: Sha256 = computeDigest): string {
  return sha256(previous + body);
}

export function computeBodyDigest(
  { previous: _, hash: __, ...body }: AuditEntry,
  sha256: Sha256 = computeDigest,
): string {
  return sha256(toCanonicalJson(body));
}

export function computeContentDigest({
  salt,
  content,
}: Pick<AuditContent, 'salt'> & { readonly content: Json }): string {
  return computeDigest(salt + toCanonicalJson(content));
}
