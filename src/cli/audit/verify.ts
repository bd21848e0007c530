/** `longhand audit verify`: whether an export, or the log in its store, is as it was written, and who vouches for it. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Anchor, parseAnchors } from '../../core/audit/anchor.js';
import { type AuditFinding, formatFinding } from '../../core/audit/finding.js';
import { parseHead, type SignedHead, toLogKey } from '../../core/audit/head.js';
import { contentsFile, entriesFile, manifestFile, recipeFile, signatureFile } from '../../core/audit/manifest.js';
import type { LogVerification } from '../../core/audit/verify.js';
import { type ExportVerification, isHeadInExport, verifyExport } from '../../core/audit/verify-export.js';
import { formatCount } from '../../core/lib/display.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { createSignatureCheck, sha256, toKeyId } from '../../store/audit/key.js';
import { recordVerification, verifyStore } from '../../store/audit/verify-store.js';
import { getNamespace, getSystemUser, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';

export interface AuditVerifyFlags {
  readonly key: readonly string[];
  readonly anchor: readonly string[];
  readonly unsigned?: boolean;
  readonly namespace?: string;
  readonly json?: boolean;
}

export async function verifyAudit(
  terminal: Terminal,
  folder: string | undefined,
  flags: AuditVerifyFlags,
): Promise<number> {
  const anchors = flags.anchor.flatMap(readAnchorFile);
  const keys = Object.assign({}, ...anchors.map((anchor) => anchor.keys)) as Readonly<Record<string, string>>;
  const named = flags.key.map(resolveKeyId);
  // Whoever holds an anchor has the keys in it by another way than the log.
  const trusted = named.length > 0 ? named : anchors.length > 0 ? Object.keys(keys) : null;
  const anchored = anchors.flatMap(({ heads }) => heads);
  if (folder === undefined) return verifyInStore(terminal, flags, { trusted, anchored, keys });
  const verified = verifyExport(
    readExportFiles(folder),
    (manifest) => createSignatureCheck({ ...keys, ...manifest.keys }, trusted),
    sha256,
    { anchored, vouchedErasures: trusted !== null },
  );
  const { manifest } = verified;
  const compared = manifest === null ? [] : anchored.filter((head) => isHeadInExport(manifest, head));
  return reportVerification(terminal, verified, {
    flags,
    key: manifest?.key ?? null,
    hasTrustedKeys: trusted !== null,
    comparedHeads: compared.length,
  });
}

interface Trust {
  readonly trusted: readonly string[] | null;
  readonly anchored: readonly SignedHead[];
  readonly keys: Readonly<Record<string, string>>;
}

/** That the log was looked at is a part of it. */
async function verifyInStore(
  terminal: Terminal,
  flags: AuditVerifyFlags,
  { trusted, anchored, keys }: Trust,
): Promise<number> {
  const namespace = getNamespace(flags);
  return withStore(async (store) => {
    const own = anchored.filter((head) => (parseHead(head)?.namespace ?? namespace) === namespace);
    const verified = await verifyStore(store, namespace, trusted, { anchored: own, keys });
    const tolerated = filterFindings(verified, flags, trusted !== null);
    await recordVerification(
      store,
      namespace,
      { ...verified, findings: tolerated },
      { by: getSystemUser(), at: Date.now() },
    );
    const key = verified.heads.at(-1)?.key ?? null;
    return reportVerification(terminal, verified, {
      flags,
      key,
      hasTrustedKeys: trusted !== null,
      comparedHeads: own.length,
    });
  });
}

/** @throws UsageError for a file that holds no anchors */
function readAnchorFile(path: string): readonly Anchor[] {
  if (!existsSync(path) || !statSync(path).isFile()) throw new UsageError(`--anchor ${path}: file not found.`);
  const read = parseAnchors(readFileSync(path, 'utf8'));
  if (read.ok) return read.anchors;
  throw new UsageError(`--anchor ${path} cannot be read: ${read.problem}. Make one with \`longhand audit anchor\`.`);
}

/** @throws UsageError for what is neither the id of a key nor a file with one */
function resolveKeyId(given: string): string {
  if (/^[0-9a-f]{64}$/.test(given)) return given;
  const id = existsSync(given) && statSync(given).isFile() ? toKeyId(readFileSync(given, 'utf8')) : null;
  if (id !== null) return id;
  throw new UsageError(`--key ${given} is neither the id of a key (64 hexadecimal digits) nor a PEM file with one.`);
}

/** Of an export those that belong to it. @throws UsageError */
function readExportFiles(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(
      `There is no folder ${folder}. An export of the audit log is a folder with a ${manifestFile}.`,
    );
  }
  const names = [manifestFile, signatureFile, entriesFile, contentsFile, recipeFile];
  return new Map(
    names.flatMap((name) => {
      const path = join(folder, name);
      return existsSync(path) ? [[name, readFileSync(path, 'utf8')] as const] : [];
    }),
  );
}

interface VerificationContext {
  readonly flags: AuditVerifyFlags;
  readonly key: string | null;
  /** Whether the person said which keys count. */
  readonly hasTrustedKeys: boolean;
  /** Anchored heads that were compared. */
  readonly comparedHeads: number;
}

/**
 * `--unsigned` allows what nobody signed. Where a key counts, that is only what a log has behind its newest good head: a log
 * without a head, or an export without a signature, would make the key worth nothing.
 */
function filterFindings(
  { findings, heads }: LogVerification,
  { unsigned = false }: AuditVerifyFlags,
  pinned: boolean,
): readonly AuditFinding[] {
  if (!unsigned) return findings;
  const signed = new Set(heads.map(toLogKey));
  return findings.filter((finding) => {
    if (finding.kind === 'unsigned') return pinned && !signed.has(toLogKey(finding));
    return finding.kind !== 'manifest_unsigned' || pinned;
  });
}

function reportVerification(
  terminal: Terminal,
  verified: LogVerification | ExportVerification,
  { flags, key, hasTrustedKeys, comparedHeads }: VerificationContext,
): number {
  const { entries, leftOut, contents, erased, heads } = verified;
  const findings = filterFindings(verified, flags, hasTrustedKeys);
  if (flags.json) {
    const problems = findings.map((finding) => ({ ...finding, text: formatFinding(finding) }));
    const facts = { entries, leftOut, contents, erased, heads, key, anchored: comparedHeads };
    terminal.write(formatJson({ ok: findings.length === 0, problems, ...facts }));
    return findings.length === 0 ? 0 : 1;
  }
  const c = getColors(terminal);
  if (findings.length > 0) {
    const lines = findings
      .slice(0, maxFindings)
      .flatMap((finding) => wrapText(`${formatFinding(finding)}.`, terminal.width - 2));
    const more = findings.length > maxFindings ? [`and ${formatCount(findings.length - maxFindings)} more`] : [];
    const wrong = findings.every(({ kind }) => kind === 'unsigned')
      ? 'not all of it is signed'
      : 'not as it was written';
    const head = `${c.red('✗')} ${wrong}: ${formatCount(findings.length)} ${findings.length === 1 ? 'fault' : 'faults'}`;
    const remedy = findings.some(({ kind }) => kind === 'unsigned') ? wrapText(unsignedRemedy, terminal.width - 2) : [];
    const shown = [...lines, ...more, ...remedy].map((line) => `  ${toOneLine(line)}`);
    terminal.write(`${[head, ...shown].join('\n')}\n`);
    return 1;
  }
  const left = leftOut === 0 ? '' : `, ${formatCount(leftOut)} left out`;
  const gone = erased === 0 ? '' : `, ${formatCount(erased)} contents erased`;
  const said = [
    `${c.green('✓')} ${formatCount(entries)} entries${left}, ${formatCount(contents)} contents${gone}: all as they were written`,
  ];
  if (key === null) said.push('  Not signed: nothing proves who wrote them.');
  else said.push(`  Signed with key ${key}`);
  if (key !== null && !hasTrustedKeys) {
    said.push(c.dim('  Compare it with the id that you were given by another way, or give it with --key.'));
  }
  if (flags.anchor.length > 0) {
    said.push(
      comparedHeads === 0
        ? '  No anchored head lies in it: the anchor proves nothing of it.'
        : `  Extends ${formatCount(comparedHeads)} anchored ${comparedHeads === 1 ? 'head' : 'heads'}`,
    );
  }
  terminal.write(`${said.join('\n')}\n`);
  return 0;
}

const unsignedRemedy =
  'With a key, unsigned entries are a fault. `longhand audit anchor` signs them now; --unsigned allows those behind the newest signed head.';

/** Faults that are told. */
const maxFindings = 20;
