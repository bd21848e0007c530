/** `longhand audit verify`: checks that an export, or the log in its store, is unaltered, and who signed it. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Anchor,
  type AuditFinding,
  contentsFile,
  entriesFile,
  formatFinding,
  isHeadInExport,
  type LogVerification,
  manifestFile,
  type PromptsVerification,
  parseAnchors,
  parseHead,
  promptsFile,
  recipeFile,
  type SignedHead,
  signatureFile,
  toLogKey,
  verifyExport,
} from '../../core/audit/index.js';
import { formatCount, formatPlural, toOneLine } from '../../core/lib/index.js';
import { createSignatureCheck, recordVerification, sha256, toKeyId, verifyStore } from '../../store/index.js';
import { getNamespace, getSystemUser, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';

export interface AuditVerifyFlags {
  readonly key: readonly string[];
  readonly anchor: readonly string[];
  readonly requireSignature?: boolean;
  readonly unsigned?: boolean;
  readonly json?: boolean;
}

export async function verifyAudit(
  terminal: Terminal,
  folder: string | undefined,
  flags: AuditVerifyFlags,
): Promise<number> {
  if (flags.requireSignature && flags.unsigned) {
    throw new UsageError('--require-signature and --unsigned cannot be combined.');
  }
  const anchors = flags.anchor.flatMap(readAnchorFile);
  const keys = Object.assign({}, ...anchors.map((anchor) => anchor.keys)) as Readonly<Record<string, string>>;
  const keyIds = flags.key.map(resolveKeyId);
  // An anchor reached its owner by a channel other than the log, so its keys are trusted.
  const trusted = keyIds.length > 0 ? keyIds : anchors.length > 0 ? Object.keys(keys) : null;
  const anchored = anchors.flatMap(({ heads }) => heads);
  if (folder === undefined) return verifyInStore(terminal, flags, { trusted, anchored, keys });
  const verified = verifyExport(
    readExportFiles(folder),
    (manifest) => createSignatureCheck({ ...keys, ...manifest.keys }, trusted),
    sha256,
    { anchored, vouchedErasures: trusted !== null },
  );
  const { manifest, prompts } = verified;
  const compared = manifest === null ? [] : anchored.filter((head) => isHeadInExport(manifest, head));
  return reportVerification(terminal, verified, {
    flags,
    key: manifest?.key ?? null,
    hasTrustedKeys: trusted !== null,
    comparedHeads: compared.length,
    prompts,
  });
}

interface Trust {
  readonly trusted: readonly string[] | null;
  readonly anchored: readonly SignedHead[];
  readonly keys: Readonly<Record<string, string>>;
}

/** Verifies the log in the store, and records the verification in the log. */
async function verifyInStore(
  terminal: Terminal,
  flags: AuditVerifyFlags,
  { trusted, anchored, keys }: Trust,
): Promise<number> {
  const namespace = getNamespace();
  return withStore(async (store) => {
    const own = anchored.filter((head) => (parseHead(head)?.namespace ?? namespace) === namespace);
    const verified = await verifyStore(store, namespace, trusted, {
      anchored: own,
      keys,
      requireSignature: flags.requireSignature,
    });
    const { faults } = splitFindings(verified, flags, trusted !== null);
    await recordVerification(
      store,
      namespace,
      { ...verified, findings: faults },
      { by: getSystemUser(), at: Date.now() },
    );
    const key = verified.heads.at(-1)?.key ?? null;
    return reportVerification(terminal, verified, {
      flags,
      key,
      hasTrustedKeys: trusted !== null,
      comparedHeads: own.length,
      prompts: null,
    });
  });
}

/** @throws UsageError for a file without anchors */
function readAnchorFile(path: string): readonly Anchor[] {
  if (!existsSync(path) || !statSync(path).isFile()) throw new UsageError(`--anchor ${path}: file not found.`);
  const read = parseAnchors(readFileSync(path, 'utf8'));
  if (read.ok) return read.anchors;
  throw new UsageError(`--anchor ${path} cannot be read: ${read.problem}. Make one with \`longhand audit anchor\`.`);
}

/** @throws UsageError for a value that is neither a key's id nor a file with a key */
function resolveKeyId(value: string): string {
  if (/^[0-9a-f]{64}$/.test(value)) return value;
  const id = existsSync(value) && statSync(value).isFile() ? toKeyId(readFileSync(value, 'utf8')) : null;
  if (id !== null) return id;
  throw new UsageError(`Invalid --key ${value}. Give the id of a key (64 hexadecimal digits) or a PEM file.`);
}

/** Returns the texts of the files that belong to an export. @throws UsageError when the folder does not exist */
function readExportFiles(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`No export found at ${folder}. Name the folder that \`longhand audit export\` wrote.`);
  }
  const names = [manifestFile, signatureFile, entriesFile, contentsFile, promptsFile, recipeFile];
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
  /** Whether the person named the keys to trust. */
  readonly hasTrustedKeys: boolean;
  /** Number of anchored heads that were compared. */
  readonly comparedHeads: number;
  /** Null if no prompts were exported. */
  readonly prompts: PromptsVerification | null;
}

interface SplitFindings {
  readonly faults: readonly AuditFinding[];
  /** Missing signatures that are not required. */
  readonly notes: readonly AuditFinding[];
}

/**
 * Separates faults from missing signatures that are not required. With trusted keys signatures are, and `--unsigned` allows
 * only the entries behind a log's newest good head: allowing a log without a head, or an unsigned manifest, would make the
 * keys worthless.
 */
function splitFindings(
  { findings, heads }: LogVerification,
  { requireSignature = false, unsigned = false }: AuditVerifyFlags,
  pinned: boolean,
): SplitFindings {
  const signed = new Set(heads.map(toLogKey));
  const isNote = (finding: AuditFinding) => {
    if (finding.kind !== 'unsigned' && finding.kind !== 'manifest_unsigned') return false;
    if (!pinned) return !requireSignature;
    return unsigned && finding.kind === 'unsigned' && signed.has(toLogKey(finding));
  };
  return { faults: findings.filter((finding) => !isNote(finding)), notes: findings.filter(isNote) };
}

function reportVerification(
  terminal: Terminal,
  verified: LogVerification,
  { flags, key, hasTrustedKeys, comparedHeads, prompts }: VerificationContext,
): number {
  const { entries, leftOut, contents, erased, heads } = verified;
  const { faults: findings, notes } = splitFindings(verified, flags, hasTrustedKeys);
  if (flags.json) {
    const toJson = (finding: AuditFinding) => ({ ...finding, text: formatFinding(finding) });
    const problems = findings.map(toJson);
    const { proven = 0, unproven = 0, absent = 0 } = prompts ?? {};
    const facts = { entries, leftOut, contents, erased, heads, key, anchored: comparedHeads };
    const counts = prompts === null ? null : { proven, unproven, absent };
    const result = { ok: findings.length === 0, problems, notes: notes.map(toJson), ...facts, prompts: counts };
    terminal.write(formatJson(result));
    return findings.length === 0 ? 0 : 1;
  }
  const c = getColors(terminal);
  if (findings.length > 0) {
    const lines = findings
      .slice(0, maxFindings)
      .flatMap((finding) => wrapText(`${formatFinding(finding)}.`, terminal.width - 2));
    const more = findings.length > maxFindings ? [`and ${formatCount(findings.length - maxFindings)} more`] : [];
    const problem = findings.every(isUnsigned) ? 'not completely signed' : 'altered or incomplete';
    const head = `${c.red('✗')} ${problem}: ${formatPlural(findings.length, 'fault')}`;
    const remedy = findings.some(isUnsigned) ? wrapText(unsignedRemedy, terminal.width - 2) : [];
    const body = [...lines, ...more, ...remedy].map((line) => `  ${toOneLine(line)}`);
    terminal.write(`${[head, ...body].join('\n')}\n`);
    return 1;
  }
  const left = leftOut === 0 ? '' : `, ${formatCount(leftOut)} left out`;
  const gone = erased === 0 ? '' : `, ${formatCount(erased)} contents erased`;
  const summary = [
    `${c.green('✓')} ${formatCount(entries)} entries${left}, ${formatCount(contents)} contents${gone}: all unaltered`,
  ];
  if (prompts !== null) summary.push(`  ${formatPromptCounts(prompts)}`);
  if (key === null) {
    const note = 'Not signed: nothing proves who wrote them. To require a signature: --require-signature';
    summary.push(...wrapText(note, terminal.width - 2).map((line) => `  ${line}`));
  } else {
    summary.push(`  Signed with key ${key}`);
    const lines = notes.flatMap((note) => wrapText(`${formatFinding(note)}.`, terminal.width - 2));
    summary.push(...lines.map((line) => `  ${toOneLine(line)}`));
  }
  if (key !== null && !hasTrustedKeys) {
    summary.push(
      c.dim('  Compare this id with the one that you received by another channel, or give that one with --key.'),
    );
  }
  if (flags.anchor.length > 0) {
    summary.push(
      comparedHeads === 0
        ? '  It contains no anchored head: the anchor proves nothing about it.'
        : `  Extends ${formatPlural(comparedHeads, 'anchored head')}`,
    );
  }
  terminal.write(`${summary.join('\n')}\n`);
  return 0;
}

function formatPromptCounts({ proven, unproven, absent }: PromptsVerification): string {
  const others = [
    ...(unproven === 0 ? [] : [`${formatCount(unproven)} unproven (the call has no reply)`]),
    ...(absent === 0 ? [] : [`${formatCount(absent)} not in the export`]),
  ];
  return `Prompts: ${[`${formatCount(proven)} as they were sent`, ...others].join(', ')}`;
}

const unsignedRemedy =
  'With a key, or with --require-signature, unsigned entries are a fault. `longhand audit anchor` signs a log; an export is signed where LONGHAND_AUDIT_KEY is set. With a key, --unsigned allows the entries after the newest signed head.';

function isUnsigned({ kind }: AuditFinding): boolean {
  return kind === 'unsigned' || kind === 'manifest_unsigned' || kind === 'nothing_signed';
}

/** Findings that are printed. */
const maxFindings = 20;
