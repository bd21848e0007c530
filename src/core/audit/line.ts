/**
 * Formats and parses the lines of an export. A line is canonical JSON, so that an entry's digest can be computed from the
 * text. An omitted entry has only its digest and its hash: they prove the hash chain and reveal nothing.
 */

import type { Sha256 } from '../lib/digest.js';
import { isObject, type JsonObject, toCanonicalJson } from '../lib/json.js';
import type { AuditContent, AuditEntry } from './entry.js';
import type { LogName } from './head.js';
import { computeBodyDigest } from './seal.js';

export interface OmittedEntry extends LogName {
  readonly seq: number;
  readonly leftOut: true;
  readonly digest: string;
  readonly hash: string;
}

/** A content with the name of its log. */
export interface ContentLine extends LogName, AuditContent {}

/** A parsed line. */
export type ExportLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry; readonly digest: string }
  | { readonly kind: 'left_out'; readonly entry: OmittedEntry; readonly digest: string };

export function omitEntry(entry: AuditEntry, sha256?: Sha256): OmittedEntry {
  const { namespace, tenant, seq, hash } = entry;
  return { namespace, tenant, seq, leftOut: true, digest: computeBodyDigest(entry, sha256), hash };
}

export function formatExportLine(entry: AuditEntry | OmittedEntry | ContentLine): string {
  return `${toCanonicalJson(entry)}\n`;
}

/** Parses a line; null if it is not an entry, or not canonical (JSON.parse would drop a duplicate member). */
export function parseExportLine(text: string, sha256: Sha256): ExportLine | null {
  const value = parseCanonical(text);
  if (value === null || !isEntryLike(value)) return null;
  if (value.leftOut === true) {
    const { namespace, tenant, seq, digest, hash, ...rest } = value;
    if (typeof digest !== 'string' || Object.keys(rest).length > 1) return null;
    return { kind: 'left_out', entry: value as unknown as OmittedEntry, digest };
  }
  if (typeof value.previous !== 'string' || !Array.isArray(value.contents)) return null;
  const entry = value as unknown as AuditEntry;
  return { kind: 'entry', entry, digest: computeBodyDigest(entry, sha256) };
}

export function parseContentLine(text: string): ContentLine | null {
  const value = parseCanonical(text);
  if (value === null) return null;
  const { namespace, tenant, seq, part, salt, content, ...rest } = value;
  if (typeof namespace !== 'string' || (tenant !== null && typeof tenant !== 'string')) return null;
  if (typeof seq !== 'number' || typeof part !== 'string' || typeof salt !== 'string') return null;
  return content === undefined || Object.keys(rest).length > 0 ? null : (value as unknown as ContentLine);
}

function isEntryLike({ namespace, tenant, seq, hash }: JsonObject): boolean {
  if (typeof namespace !== 'string' || (tenant !== null && typeof tenant !== 'string')) return false;
  return Number.isSafeInteger(seq) && typeof hash === 'string';
}

/** Parses a line; null if it is not the canonical JSON of an object. */
export function parseCanonical(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && toCanonicalJson(value) === text ? value : null;
  } catch {
    return null;
  }
}
