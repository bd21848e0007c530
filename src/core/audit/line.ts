/**
 * Formats and parses the lines of an export. A line is canonical JSON, so that an entry's digest can be computed from the
 * text. An omitted entry has only its digest and its hash: they prove the hash chain and reveal nothing.
 */

import { check, isObject, type JsonObject, parseJson, type Sha256, toCanonicalJson } from '../lib/index.js';
import type { AuditContent, AuditEntry } from './entry.js';
import { type LogName, logNameChecks } from './head.js';
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

const isEntryLine = check.shape<JsonObject>({ ...logNameChecks, seq: check.integer, hash: check.text }).is;

const isContentLine = check.shape<ContentLine>({
  ...logNameChecks,
  ...{ seq: check.number, part: check.text as check.Check<ContentLine['part']>, salt: check.text },
  content: check.present,
}).is;

/** Parses a line; null if it is not an entry, or not canonical (JSON.parse would drop a duplicate member). */
export function parseExportLine(text: string, sha256: Sha256): ExportLine | null {
  const value = parseCanonical(text);
  if (value === null || !isEntryLine(value)) return null;
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
  return isContentLine(value) && Object.keys(value).length === 6 ? value : null;
}

/** Parses a line; null if it is not the canonical JSON of an object. */
export function parseCanonical(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) && toCanonicalJson(value) === text ? value : null;
}
