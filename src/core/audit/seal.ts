/**
 * How entries are chained.
 *
 * 1. `hash = SHA-256(previous + digest)`, where `digest = SHA-256(canonical JSON of the entry without hash and previous)`. Two
 *    levels, so that an entry can be left out of an export and the chain still be proven through it by its digest alone: with
 *    one, who altered an entry before one that is left out could give that one the hash it had.
 * 2. Randomness comes in as a value (L3).
 */

import { computeDigest, type Sha256 } from '../lib/digest.js';
import { type Json, toCanonicalJson } from '../lib/json.js';
import type { AuditContent, AuditDraft, AuditEntry, ContentDigest, DraftPart, EntryBody } from './entry.js';

/** What comes before the first entry of a log. */
export const emptyHash = '';

/** The place of the next entry: behind this one. */
export interface LogEnd {
  readonly seq: number;
  readonly hash: string;
}

export const emptyLog: LogEnd = { seq: 0, hash: emptyHash };

/** Salts of a content, of which the second never leaves the store. */
export interface ContentRow {
  readonly seq: number;
  readonly part: DraftPart['part'];
  readonly salt: string | null;
  readonly originalSalt: string | null;
  /** Canonical JSON; null where only digests are kept. */
  readonly content: string | null;
}

export interface SealedEntry {
  readonly entry: AuditEntry;
  readonly contents: readonly ContentRow[];
}

/** @param random gives 128 bits as 32 characters, other ones each time */
export function sealEntry(
  { parts, ...said }: AuditDraft,
  { seq: last, hash: previous }: LogEnd,
  { random, sha256 = computeDigest }: { readonly random: () => string; readonly sha256?: Sha256 },
): SealedEntry {
  const seq = last + 1;
  const kept = parts.map((part) => sealPart(part, seq, random, sha256));
  const contents = kept.map(({ digests }) => digests);
  const body: EntryBody = { ...said, seq, contents, nonce: random() };
  return {
    entry: { ...body, previous, hash: computeEntryHash(previous, sha256(toCanonicalJson(body)), sha256) },
    contents: kept.map(({ row }) => row),
  };
}

function sealPart({ part, original, kept }: DraftPart, seq: number, random: () => string, sha256: Sha256) {
  const written = kept === undefined ? null : toCanonicalJson(kept);
  const first = toCanonicalJson(original);
  const salt = written === null ? null : random();
  const originalSalt = written === first ? null : random();
  const digests: ContentDigest = {
    part,
    ...(salt === null ? {} : { kept: sha256(salt + written) }),
    ...(originalSalt === null ? {} : { original: sha256(originalSalt + first) }),
  };
  return { digests, row: { seq, part, salt, originalSalt, content: written } satisfies ContentRow };
}

/** @param body the digest of the entry's body */
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
