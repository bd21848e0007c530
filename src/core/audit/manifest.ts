/**
 * The manifest of an export (`manifest.json`). Its exact text is signed, so that filters, exporter and file digests cannot be
 * altered either.
 */

import { check, isObject, type Json, parseJson } from '../lib/index.js';
import { checkSignedHeads, type LogName, logNameChecks, type SignedHead } from './head.js';

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
  const value = parseJson(text);
  if (value === undefined) return { ok: false, problem: 'it is not JSON' };
  if (!isObject(value) || value.format !== auditFormat)
    return { ok: false, problem: `its format is not ${auditFormat}` };
  if (value.version !== auditVersion) {
    return { ok: false, problem: `its version is ${value.version}; expected ${auditVersion}` };
  }
  const { logs, files, heads, keys, key } = value;
  if (!checkLogs.is(logs) || !checkSignedHeads.is(heads) || !checkFiles.is(files) || !isObject(keys))
    return { ok: false, problem: 'it is incomplete' };
  if (key !== null && typeof key !== 'string') return { ok: false, problem: 'its member key is missing' };
  return { ok: true, manifest: value as unknown as Manifest };
}

const checkLogEnd = check.shape<LogSpan['first']>({ seq: check.integer, hash: check.text });
const checkLogs = check.list(
  check.shape<Pick<LogSpan, keyof LogName | 'first' | 'last'>>({
    ...logNameChecks,
    ...{ first: checkLogEnd, last: checkLogEnd },
  }),
);
const checkFiles = check.record(check.shape<Pick<FileDigest, 'sha256'>>({ sha256: check.text }));
