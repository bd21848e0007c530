/**
 * Verifies an export offline: first its entries, so that a finding names the place of a change, then its other files. Only
 * the id of a key that the reader received by another way proves who wrote the export.
 */

import { computeDigest, findOwn, type Sha256 } from '../lib/index.js';
import type { AuditFinding } from './finding.js';
import { parseHead, type SignedHead, toLogKey } from './head.js';
import {
  contentsFile,
  entriesFile,
  type Manifest,
  manifestFile,
  parseManifest,
  promptsFile,
  recipeFile,
  signatureFile,
} from './manifest.js';
import { type LogVerification, type SignatureCheck, verifyLogs } from './verify.js';
import { type PromptsVerification, verifyExportedPrompts } from './verify-prompts.js';

export interface ExportVerification extends LogVerification {
  /** Null if the manifest cannot be read. */
  readonly manifest: Manifest | null;
  /** Null for an export without prompts. */
  readonly prompts: PromptsVerification | null;
}

/** The texts of an export's existing files, by name. */
export type ExportFiles = ReadonlyMap<string, string>;

const emptyVerification: LogVerification = { findings: [], entries: 0, leftOut: 0, contents: 0, erased: 0, heads: [] };

/** Evidence from outside of the export. */
export interface Witnesses {
  /** Heads from an outside witness. Heads outside of the export's spans are ignored. */
  readonly anchored?: readonly SignedHead[];
  /** See `LogProof`. */
  readonly vouchedErasures?: boolean;
}

/** Verifies an export. @param check returns a check of signatures, given the manifest with its public keys */
export function verifyExport(
  files: ExportFiles,
  check: (manifest: Manifest) => SignatureCheck,
  sha256: Sha256 = computeDigest,
  { anchored = [], vouchedErasures = false }: Witnesses = {},
): ExportVerification {
  const text = files.get(manifestFile);
  if (text === undefined) {
    return {
      ...emptyVerification,
      manifest: null,
      prompts: null,
      findings: [{ kind: 'file_missing', file: manifestFile }],
    };
  }
  const read = parseManifest(text);
  if (!read.ok) {
    return {
      ...emptyVerification,
      manifest: null,
      prompts: null,
      findings: [{ kind: 'manifest_unreadable', problem: read.problem }],
    };
  }
  const { manifest } = read;
  const verified = verifyLogs(
    {
      entries: splitLines(files.get(entriesFile)),
      contents: splitLines(files.get(contentsFile)),
      heads: manifest.heads,
      firsts: new Map(manifest.logs.map((log) => [toLogKey(log), log.first.seq])),
      anchored: anchored.filter((head) => isHeadInExport(manifest, head)),
      vouchedErasures,
    },
    check(manifest),
    sha256,
  );
  const beside = verifySignature(text, manifest, files.get(signatureFile), check(manifest));
  const lines = files.get(promptsFile);
  const prompts =
    lines === undefined ? null : verifyExportedPrompts(splitLines(lines), splitLines(files.get(entriesFile)), sha256);
  const promptFindings = prompts?.findings ?? [];
  // A change that is named also alters its file: it is reported once.
  const reportedFiles = [
    ...(verified.findings.length > 0 ? [entriesFile, contentsFile] : []),
    ...(promptFindings.length > 0 ? [promptsFile] : []),
  ];
  const more = verifyFiles(manifest, files, sha256).filter(({ file }) => !reportedFiles.includes(file));
  return { ...verified, manifest, prompts, findings: [...verified.findings, ...promptFindings, ...beside, ...more] };
}

/** Whether the export covers the head's entry. True for an unreadable head, so that it is reported. */
export function isHeadInExport({ logs }: Manifest, signed: SignedHead): boolean {
  const head = parseHead(signed);
  if (head === null) return true;
  const span = logs.find((log) => toLogKey(log) === toLogKey(head));
  return span !== undefined && head.seq >= span.first.seq && head.seq <= span.last.seq;
}

function splitLines(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  return text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
}

function verifySignature(
  text: string,
  { key }: Manifest,
  signature: string | undefined,
  check: SignatureCheck,
): readonly AuditFinding[] {
  if (key === null) return [{ kind: 'manifest_unsigned' }];
  if (signature === undefined) return [{ kind: 'file_missing', file: signatureFile }];
  const result = check(key, text, signature.trim());
  if (result === 'good') return [];
  return [{ kind: result === 'bad' ? 'manifest_signature' : 'manifest_key', key }];
}

type FileFinding = Extract<AuditFinding, { kind: 'file_altered' | 'file_missing' }>;

function verifyFiles({ files: digests }: Manifest, files: ExportFiles, sha256: Sha256): readonly FileFinding[] {
  return [entriesFile, contentsFile, promptsFile, recipeFile].flatMap((file): FileFinding[] => {
    const there = files.get(file);
    const expected = findOwn(digests, file)?.sha256;
    if (there === undefined) return expected === undefined ? [] : [{ kind: 'file_missing', file }];
    return sha256(there) === expected ? [] : [{ kind: 'file_altered', file }];
  });
}
