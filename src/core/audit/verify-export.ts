/**
 * Whether an export is as it was written: its entries first, so that a change is named by its place; then what lies beside
 * them. Offline: it needs the export alone, and for certainty the id of the key that one knows.
 */

import { digest, type Sha256 } from '../lib/digest.js';
import { own } from '../lib/json.js';
import type { Finding } from './finding.js';
import { headIn, logKey, type SignedHead } from './head.js';
import {
  contentsFile,
  entriesFile,
  type Manifest,
  manifestFile,
  readManifest,
  recipeFile,
  signatureFile,
} from './manifest.js';
import { type CheckSignature, type LogVerified, verifyLogs } from './verify.js';

export interface ExportVerified extends LogVerified {
  /** Null for one that cannot be read. */
  readonly manifest: Manifest | null;
}

/** The texts of an export's files, by their names; of those that are there. */
export type ExportFiles = ReadonlyMap<string, string>;

const nothing: LogVerified = { findings: [], entries: 0, leftOut: 0, contents: 0, erased: 0, heads: [] };

/** What an export is held against, besides itself. */
export interface Witnesses {
  /** Heads that an outside witness holds. Of those only the ones count that lie in the export. */
  readonly anchored?: readonly SignedHead[];
  /** As `LogProof` has it. */
  readonly vouchedErasures?: boolean;
}

/** @param check with the public keys of the manifest at hand */
export function verifyExport(
  files: ExportFiles,
  check: (manifest: Manifest) => CheckSignature,
  sha256: Sha256 = digest,
  { anchored = [], vouchedErasures = false }: Witnesses = {},
): ExportVerified {
  const text = files.get(manifestFile);
  if (text === undefined) {
    return { ...nothing, manifest: null, findings: [{ kind: 'file_missing', file: manifestFile }] };
  }
  const read = readManifest(text);
  if (!read.ok) {
    return { ...nothing, manifest: null, findings: [{ kind: 'manifest_unreadable', problem: read.problem }] };
  }
  const { manifest } = read;
  const verified = verifyLogs(
    {
      entries: linesOf(files.get(entriesFile)),
      contents: linesOf(files.get(contentsFile)),
      heads: manifest.heads,
      firsts: new Map(manifest.logs.map((log) => [logKey(log), log.first.seq])),
      anchored: anchored.filter((head) => liesIn(manifest, head)),
      vouchedErasures,
    },
    check(manifest),
    sha256,
  );
  const beside = signature(text, manifest, files.get(signatureFile), check(manifest));
  const altered = ofFiles(manifest, files, sha256);
  // Whatever is found in the entries alters their file: that is told once.
  const named = verified.findings.length > 0;
  const more = altered.filter((finding) => !named || ('file' in finding && finding.file === recipeFile));
  return { ...verified, manifest, findings: [...verified.findings, ...beside, ...more] };
}

/** An export holds a part of the logs, and says which. */
export function liesIn({ logs }: Manifest, signed: SignedHead): boolean {
  const head = headIn(signed);
  if (head === null) return true;
  const span = logs.find((log) => logKey(log) === logKey(head));
  return span !== undefined && head.seq >= span.first.seq && head.seq <= span.last.seq;
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  return text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
}

function signature(
  text: string,
  { key }: Manifest,
  written: string | undefined,
  check: CheckSignature,
): readonly Finding[] {
  if (key === null) return [{ kind: 'manifest_unsigned' }];
  if (written === undefined) return [{ kind: 'file_missing', file: signatureFile }];
  const said = check(key, text, written.trim());
  if (said === 'good') return [];
  return [{ kind: said === 'bad' ? 'manifest_signature' : 'manifest_key', key }];
}

function ofFiles({ files: said }: Manifest, files: ExportFiles, sha256: Sha256): readonly Finding[] {
  return [entriesFile, contentsFile, recipeFile].flatMap((file): Finding[] => {
    const there = files.get(file);
    const expected = own(said, file)?.sha256;
    if (there === undefined) return expected === undefined ? [] : [{ kind: 'file_missing', file }];
    return sha256(there) === expected ? [] : [{ kind: 'file_altered', file }];
  });
}
