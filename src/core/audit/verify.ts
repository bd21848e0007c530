/**
 * Verifies an audit log or a part of one, and its signed heads. Pure: the caller has the keys and checks signatures.
 *
 * 1. Each change of a line is found: by its number, its hash, the entry after it, or a signed head.
 * 2. Findings are in the order of the log. A consequence of a fault is not reported as another fault.
 * 3. Clocks are ignored: the numbers determine the order.
 */

import { computeDigest, type Sha256 } from '../lib/index.js';
import type { AuditEntry, ContentDigest } from './entry.js';
import type { AuditFinding } from './finding.js';
import { type LogHead, type LogName, parseHead, type SignedHead, toLogKey } from './head.js';
import { type ContentLine, parseContentLine, parseExportLine } from './line.js';
import { computeContentDigest, computeEntryHash } from './seal.js';
import { type NumberedLine, verifyOrder } from './verify-order.js';

/** Checks a signature. `unknown`: the key is not accepted. */
export type SignatureCheck = (key: string, text: string, signature: string) => 'good' | 'bad' | 'unknown';

export interface LogProof {
  /** The lines of the entries, in the order of the file. */
  readonly entries: readonly string[];
  readonly contents: readonly string[];
  readonly heads: readonly SignedHead[];
  /** The first expected number of each log, by `toLogKey`. Default: 1. */
  readonly firsts?: ReadonlyMap<string, number>;
  /** Heads from an outside witness, checked like `heads`. */
  readonly anchored?: readonly SignedHead[];
  /** Accepts an erasure only if a good head covers its entry. Otherwise any writer of the log could excuse missing contents. */
  readonly vouchedErasures?: boolean;
}

export interface LogVerification {
  readonly findings: readonly AuditFinding[];
  readonly entries: number;
  readonly leftOut: number;
  readonly contents: number;
  /** Number of missing contents whose erasure the log records. */
  readonly erased: number;
  /** The newest good head of each log. */
  readonly heads: readonly LogHead[];
}

export function verifyLogs(proof: LogProof, check: SignatureCheck, sha256: Sha256 = computeDigest): LogVerification {
  const findings: AuditFinding[] = [];
  const logs = new Map<string, { readonly log: LogName; readonly lines: NumberedLine[] }>();
  for (const [index, text] of proof.entries.entries()) {
    const line = parseExportLine(text, sha256);
    if (line === null) {
      findings.push({ kind: 'unreadable', file: 'entries', line: index + 1 });
      continue;
    }
    const { namespace, tenant } = line.entry;
    const key = toLogKey({ namespace, tenant });
    const known = logs.get(key) ?? { log: { namespace, tenant }, lines: [] };
    known.lines.push({ lineNumber: index + 1, line });
    logs.set(key, known);
  }
  const heads = verifyHeads([...proof.heads, ...(proof.anchored ?? [])], check);
  findings.push(...heads.findings);
  for (const { log } of heads.good) {
    if (!logs.has(toLogKey(log))) logs.set(toLogKey(log), { log, lines: [] });
  }
  const entries: AuditEntry[] = [];
  let leftOut = 0;
  for (const [key, { log, lines }] of logs) {
    const good = heads.good.flatMap(({ log: headLog, head }) => (toLogKey(headLog) === key ? [head] : []));
    findings.push(...verifyLog(lines, log, { heads: good, first: proof.firsts?.get(key) ?? 1, sha256 }));
    for (const { line } of lines) {
      if (line.kind === 'entry') entries.push(line.entry);
      else leftOut += 1;
    }
  }
  const all = selectNewestHeads(heads.good.map(({ head }) => head));
  const vouched = new Map(all.map((head) => [toLogKey(head), head.seq]));
  const counts = (entry: AuditEntry) => !proof.vouchedErasures || entry.seq <= (vouched.get(toLogKey(entry)) ?? 0);
  const contents = verifyContents(entries, proof.contents, createErasureCheck(entries.filter(counts)));
  return {
    findings: [...findings, ...contents.findings],
    entries: entries.length,
    leftOut,
    contents: contents.there,
    erased: contents.erased,
    heads: all,
  };
}

interface LogExpectation {
  readonly heads: readonly LogHead[];
  readonly first: number;
  readonly sha256: Sha256;
}

function verifyLog(
  lines: readonly NumberedLine[],
  log: LogName,
  { heads, first, sha256 }: LogExpectation,
): readonly AuditFinding[] {
  const { findings: order, entries } = verifyOrder(lines, log, first);
  const altered: AuditFinding[] = [];
  let before: NumberedLine | null = null;
  for (const placed of entries) {
    const alteredLine = findAltered(placed, before, sha256);
    const last = altered.at(-1);
    if (alteredLine !== null && !(last?.kind === 'altered' && last.seq >= alteredLine.line.entry.seq)) {
      altered.push({ kind: 'altered', seq: alteredLine.line.entry.seq, line: alteredLine.lineNumber, ...log });
    }
    before = placed;
  }
  const findings = [...order, ...altered].toSorted((a, b) => getPosition(a) - getPosition(b));
  return [...findings, ...compareWithHeads(entries, log, heads, findings.length === 0)];
}

/** Finds the altered one of two neighbours: the entry itself, or the entry before it, whose hash differs from `previous`. */
function findAltered(placed: NumberedLine, before: NumberedLine | null, sha256: Sha256): NumberedLine | null {
  const { line } = placed;
  const behind = before !== null && before.line.entry.seq === line.entry.seq - 1 ? before : null;
  if (line.kind === 'entry') {
    if (computeEntryHash(line.entry.previous, line.digest, sha256) !== line.entry.hash) return placed;
    if (line.entry.seq === 1 && line.entry.previous !== '') return placed;
    return behind !== null && behind.line.entry.hash !== line.entry.previous ? behind : null;
  }
  // For an omitted entry, only its digest and its hash together can be checked.
  const from = line.entry.seq === 1 ? '' : (behind?.line.entry.hash ?? null);
  return from !== null && computeEntryHash(from, line.digest, sha256) !== line.entry.hash ? placed : null;
}

/** Compares a log with its signed heads. In a log with faults, only a missing end and unsigned entries are reported. */
function compareWithHeads(
  entries: readonly NumberedLine[],
  log: LogName,
  heads: readonly LogHead[],
  whole: boolean,
): readonly AuditFinding[] {
  const bySeq = new Map(entries.map(({ line }) => [line.entry.seq, line.entry.hash]));
  const last = entries.at(-1)?.line.entry.seq ?? 0;
  const auditFindings: AuditFinding[] = [];
  let agreed = entries[0]?.line.entry.seq ?? 1;
  for (const head of heads.toSorted((a, b) => a.seq - b.seq)) {
    const there = bySeq.get(head.seq);
    if (head.seq > last) {
      auditFindings.push({ kind: 'truncated', from: last + 1, to: head.seq, ...log });
      break;
    }
    if (there === head.hash) agreed = head.seq;
    else if (there !== undefined && whole) {
      auditFindings.push({ kind: 'rewritten', from: agreed, to: head.seq, ...log });
      break;
    }
  }
  const vouched = Math.max(0, ...heads.map(({ seq }) => seq));
  if (auditFindings.length > 0 || vouched >= last) return auditFindings;
  const from = Math.max(vouched + 1, entries[0]?.line.entry.seq ?? 1);
  return [{ kind: 'unsigned', from, to: last, ...log }];
}

function verifyHeads(signed: readonly SignedHead[], check: SignatureCheck) {
  const findings: AuditFinding[] = [];
  const good: { readonly log: LogName; readonly head: LogHead }[] = [];
  for (const [index, each] of signed.entries()) {
    const head = parseHead(each);
    if (head === null) {
      findings.push({ kind: 'unreadable_head', head: index + 1 });
      continue;
    }
    const { namespace, tenant, seq, key } = head;
    const log = { namespace, tenant };
    const result = check(key, each.signed, each.signature);
    if (result === 'good') good.push({ log, head });
    else findings.push({ kind: result === 'bad' ? 'bad_signature' : 'unknown_key', seq, key, ...log });
  }
  return { findings, good };
}

function selectNewestHeads(heads: readonly LogHead[]): readonly LogHead[] {
  const last = new Map<string, LogHead>();
  for (const head of heads) {
    const known = last.get(toLogKey(head));
    if (known === undefined || known.seq < head.seq) last.set(toLogKey(head), head);
  }
  return [...last.values()];
}

function verifyContents(
  entries: readonly AuditEntry[],
  texts: readonly string[],
  isErased: (entry: AuditEntry) => boolean,
) {
  const findings: AuditFinding[] = [];
  const contentsByKey = new Map<string, ContentLine>();
  for (const [index, text] of texts.entries()) {
    const content = parseContentLine(text);
    if (content === null || contentsByKey.has(toContentKey(content, content.part))) {
      findings.push({ kind: 'unreadable', file: 'contents', line: index + 1 });
    } else contentsByKey.set(toContentKey(content, content.part), content);
  }
  let there = 0;
  let erased = 0;
  for (const entry of entries) {
    for (const { part, stored: digest } of entry.contents) {
      if (digest === undefined) continue;
      const content = contentsByKey.get(toContentKey(entry, part));
      contentsByKey.delete(toContentKey(entry, part));
      const { namespace, tenant, seq } = entry;
      if (content !== undefined && computeContentDigest(content) === digest) there += 1;
      else if (content !== undefined) findings.push({ kind: 'content_altered', seq, part, namespace, tenant });
      else if (isErased(entry)) erased += 1;
      else findings.push({ kind: 'content_missing', seq, part, namespace, tenant });
    }
  }
  for (const { seq, part, namespace, tenant } of contentsByKey.values()) {
    findings.push({ kind: 'content_inserted', seq, part, namespace, tenant });
  }
  return { findings, there, erased };
}

/** Creates a check for recorded erasures. An erasure covers only the entries before its own. */
export function createErasureCheck(entries: readonly AuditEntry[]): (entry: AuditEntry) => boolean {
  const erasedUntil = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type !== 'erased') continue;
    for (const chainId of entry.what.chains) {
      const key = `${toLogKey(entry)}${chainId}`;
      erasedUntil.set(key, Math.max(entry.seq, erasedUntil.get(key) ?? 0));
    }
  }
  return (entry) => entry.chainId !== null && entry.seq < (erasedUntil.get(`${toLogKey(entry)}${entry.chainId}`) ?? 0);
}

function toContentKey(entry: LogName & { readonly seq: number }, part: ContentDigest['part']): string {
  return `${toLogKey(entry)}${entry.seq} ${part}`;
}

/** Returns a finding's number in the log, for sorting. */
function getPosition(finding: AuditFinding): number {
  if ('seq' in finding) return finding.seq;
  return 'from' in finding ? finding.from : 0;
}
