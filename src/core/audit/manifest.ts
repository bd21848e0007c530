/**
 * The manifest of an export (`manifest.json`). Its exact text is signed, so that filters, exporter and file digests cannot be
 * altered either.
 */

import { isObject, type Json } from '../lib/json.js';
import type { LogName, SignedHead } from './head.js';

export const auditFormat = 'longhand.audit';
export const auditVersion = 1;

export const entriesFile = 'entries.jsonl';
export const contentsFile = 'contents.jsonl';
/** Only in an export with prompts: that of each model call, with the number of the call's entry. */
export const promptsFile = 'prompts.jsonl';
export const recipeFile = 'VERIFY.md';
export const manifestFile = 'manifest.json';
/** Ed25519 over the text of the manifest, in base64. */
export const signatureFile = 'manifest.sig';

export interface FileDigest {
  readonly sha256: string;
  readonly bytes: number;
  readonly lines: number;
}

/** The part of a log that an export contains. */
export interface LogSpan extends LogName {
  readonly first: { readonly seq: number; readonly hash: string };
  readonly last: { readonly seq: number; readonly hash: string };
  readonly entries: number;
  readonly leftOut: number;
}

export interface Manifest {
  readonly format: typeof auditFormat;
  readonly version: typeof auditVersion;
  /** Longhand's version. */
  readonly longhand: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  readonly exportedBy: string | null;
  readonly filters: { readonly [filter: string]: Json };
  readonly logs: readonly LogSpan[];
  readonly files: { readonly [file: string]: FileDigest };
  readonly heads: readonly SignedHead[];
  /** Public keys in PEM, by their ids. */
  readonly keys: { readonly [key: string]: string };
  /** Id of the key that the manifest is signed with; null for an export that is not signed. */
  readonly key: string | null;
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  /** The end of a sentence. */
  | { readonly ok: false; readonly problem: string };

export function parseManifest(text: string): ManifestResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'it is not JSON' };
  }
  if (!isObject(value) || value.format !== auditFormat)
    return { ok: false, problem: `its format is not ${auditFormat}` };
  if (value.version !== auditVersion) {
    return { ok: false, problem: `its version is ${value.version}; expected ${auditVersion}` };
  }
  const { logs, files, heads, keys, key } = value;
  const lists = Array.isArray(logs) && logs.every(isLogSpan) && Array.isArray(heads) && heads.every(isSignedHead);
  if (!lists || !isObject(files) || !Object.values(files).every(isFileDigest) || !isObject(keys)) {
    return { ok: false, problem: 'it is incomplete' };
  }
  if (key !== null && typeof key !== 'string') return { ok: false, problem: 'its member key is missing' };
  return { ok: true, manifest: value as unknown as Manifest };
}

function isLogSpan(span: unknown): boolean {
  if (!isObject(span) || typeof span.namespace !== 'string') return false;
  if (span.tenant !== null && typeof span.tenant !== 'string') return false;
  return [span.first, span.last].every(
    (end) => isObject(end) && Number.isSafeInteger(end.seq) && typeof end.hash === 'string',
  );
}

export function isSignedHead(head: unknown): boolean {
  return isObject(head) && typeof head.signed === 'string' && typeof head.signature === 'string';
}

function isFileDigest(file: Json): boolean {
  return isObject(file) && typeof file.sha256 === 'string';
}
