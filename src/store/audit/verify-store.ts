/** Verifies the audit log in its store: entries, contents, heads, and the columns used for queries. */

import {
  type AuditFinding,
  emptyHash,
  formatExportLine,
  formatFinding,
  type LogEnd,
  type LogName,
  type LogVerification,
  parseHead,
  type SignatureCheck,
  type SignedHead,
  toLogKey,
  verifyLogs,
} from '../../core/audit/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import type { Store } from '../db/store.js';
import { appendAudit, createOutsideDraft, toEntryRow } from './append.js';
import { createSignatureCheck, sha256 } from './key.js';
import { findLogName, readLog } from './read.js';
import { listHeads, readPublicKeys } from './sign-heads.js';

/** Evidence from outside of the database. */
export interface StoreWitnesses {
  readonly anchored?: readonly SignedHead[];
  /** Public keys in PEM, in addition to those in the store, by their ids. */
  readonly keys?: { readonly [key: string]: string };
  /** Whether entries without a signed head are a fault, as with trusted keys. */
  readonly requireSignature?: boolean | undefined;
}

/**
 * Verifies each log that the store or a witness knows.
 *
 * @param trusted ids of the trusted keys; null: all keys in the store. With trusted keys, entries without a signed head
 *   are a fault
 */
export async function verifyStore(
  store: Store,
  namespace: string,
  trusted: readonly string[] | null,
  { anchored = [], keys = {}, requireSignature = trusted !== null }: StoreWitnesses = {},
): Promise<LogVerification> {
  const { db } = store;
  const check = createSignatureCheck({ ...keys, ...(await readPublicKeys(db)) }, trusted);
  const heads = anchored.filter((head) => (parseHead(head)?.namespace ?? namespace) === namespace);
  let all: LogVerification = { findings: [], entries: 0, leftOut: 0, contents: 0, erased: 0, heads: [] };
  const { logs, misnamed } = await listLogs(db, namespace, heads);
  for (const log of logs) {
    const own = heads.filter((head) => isHeadOf(head, log));
    const { findings, ...verified } = await verifyLog(store, log, { trusted, own, check, requireSignature });
    all = {
      findings: [...all.findings, ...findings],
      entries: all.entries + verified.entries,
      leftOut: 0,
      contents: all.contents + verified.contents,
      erased: all.erased + verified.erased,
      heads: [...all.heads, ...verified.heads],
    };
  }
  const unreadable = verifyLogs(
    { entries: [], contents: [], heads: heads.filter((head) => parseHead(head) === null) },
    check,
  );
  const none: AuditFinding[] =
    requireSignature && all.heads.length === 0 ? [{ kind: 'nothing_signed', namespace }] : [];
  return { ...all, findings: [...all.findings, ...misnamed, ...unreadable.findings, ...none] };
}

interface StoredLog extends LogName {
  readonly log: string;
}

interface StoredLogs {
  readonly logs: readonly StoredLog[];
  /** Rows whose key and names differ, or whose key is invalid. */
  readonly misnamed: readonly AuditFinding[];
}

/** Collects logs from every table: an attacker who removes a log may leave rows in one of them. */
async function listLogs(db: Store['db'], namespace: string, anchored: readonly SignedHead[]): Promise<StoredLogs> {
  const ends = await db.selectFrom('audit_logs').select(['log', 'namespace', 'tenant', 'seq']).execute();
  const entries = await db.selectFrom('audit_entries').select('log').distinct().execute();
  const heads = await db.selectFrom('audit_heads').select('log').distinct().execute();
  const witnessed = anchored.flatMap((signed) => {
    const head = parseHead(signed);
    return head === null ? [] : [toLogKey(head)];
  });
  const keys = new Set([...[...ends, ...entries, ...heads].map(({ log }) => log), ...witnessed]);
  const rows = new Map(ends.map((end) => [end.log, end]));
  const logs: StoredLog[] = [];
  const misnamed: AuditFinding[] = [];
  for (const log of [...keys].toSorted()) {
    const row = rows.get(log);
    const name = findLogName(log);
    if (name?.namespace === namespace) logs.push({ log, ...name });
    const isMisnamed = name === null || (row !== undefined && toLogKey(row) !== log);
    // An invalid key names no namespace: it is a fault of the namespace in its row, or of every namespace.
    const claimed = [name?.namespace, row?.namespace].filter((value) => value !== undefined);
    if (!isMisnamed || (claimed.length > 0 && !claimed.includes(namespace))) continue;
    const seq = row?.seq ?? 0;
    misnamed.push({ kind: 'altered', seq, line: seq, namespace, tenant: (name ?? row)?.tenant ?? null });
  }
  return { logs, misnamed };
}

function isHeadOf(signed: SignedHead, { log }: StoredLog): boolean {
  const head = parseHead(signed);
  return head !== null && toLogKey(head) === log;
}

interface VerifyOptions {
  readonly trusted: readonly string[] | null;
  readonly own: readonly SignedHead[];
  readonly check: SignatureCheck;
  readonly requireSignature: boolean;
}

async function verifyLog(
  store: Store,
  storedLog: StoredLog,
  { trusted, own, check, requireSignature }: VerifyOptions,
): Promise<LogVerification> {
  const { db } = store;
  const { log, namespace, tenant } = storedLog;
  const entries: string[] = [];
  const contents: string[] = [];
  // Before the log's end is read: the log may grow, and be signed, in the meantime.
  const heads = await listHeads(db, log);
  const { end, last } = await readLogEnd(db, log);
  let hash = emptyHash;
  /** The last entry that is not a verification. */
  let lastChange = 0;
  for await (const page of readLog(db, log, { from: 0, to: last })) {
    for (const { entry, contents: entryContents } of page) {
      entries.push(toCanonicalJson(entry));
      hash = entry.hash;
      if (entry.type !== 'verified') lastChange = entry.seq;
      for (const { part, salt, content } of entryContents) {
        contents.push(formatExportLine({ namespace, tenant, seq: entry.seq, part, salt, content }).trimEnd());
      }
    }
  }
  const proof = { entries, contents, heads, anchored: own, vouchedErasures: trusted !== null };
  const verified = verifyLogs(proof, check, sha256);
  // Each verification adds an entry: that it is not signed yet hides nothing.
  const findings = verified.findings.filter((finding) => {
    return finding.kind !== 'unsigned' || (requireSignature && finding.from <= lastChange);
  });
  const cut = end !== null && last < end.seq && !findings.some(({ kind }) => kind === 'truncated');
  if (cut) findings.push({ kind: 'truncated', from: last + 1, to: end.seq, namespace, tenant });
  // The next entry would extend it.
  const astray = last > 0 && (end === null || end.seq < last || (end.seq === last && end.hash !== hash));
  if (astray && findings.length === 0) findings.push({ kind: 'altered', seq: last, line: last, namespace, tenant });
  return { ...verified, findings: [...findings, ...(await findWrongColumns(store, log, { namespace, tenant }))] };
}

/** Reads the log's end from its row (null when missing) and from its entries, in one statement. */
async function readLogEnd(
  db: Store['db'],
  log: string,
): Promise<{ readonly end: LogEnd | null; readonly last: number }> {
  const { seq, hash, last } = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('audit_logs').select('seq').where('log', '=', log).as('seq'),
      selectFrom('audit_logs').select('hash').where('log', '=', log).as('hash'),
      selectFrom('audit_entries')
        .select(({ fn }) => fn.max('seq').as('last'))
        .where('log', '=', log)
        .as('last'),
    ])
    .executeTakeFirstOrThrow();
  return { end: seq === null || hash === null ? null : { seq, hash }, last: last ?? 0 };
}

/** An entry with wrong columns, or in another log, is not found by queries, as if it were deleted. */
async function findWrongColumns(
  { db }: Store,
  log: string,
  name: { readonly namespace: string; readonly tenant: string | null },
): Promise<readonly AuditFinding[]> {
  const auditFindings: AuditFinding[] = [];
  let from = 0;
  for (;;) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('log', '=', log)
      .where('seq', '>', from)
      .orderBy('seq')
      .limit(500)
      .execute();
    for (const row of rows) {
      const expected = toEntryRow(log, JSON.parse(row.entry));
      if (toLogKey(expected) !== log || toCanonicalJson(expected) !== toCanonicalJson(row))
        auditFindings.push({ kind: 'altered', seq: row.seq, line: row.seq, ...name });
    }
    from = rows.at(-1)?.seq ?? 0;
    if (rows.length < 500) return auditFindings;
  }
}

/** Records in the log that it was verified, with the first finding. */
export async function recordVerification(
  store: Store,
  namespace: string,
  { entries, findings }: Pick<LogVerification, 'entries' | 'findings'>,
  { by, at }: { readonly by: string | null; readonly at: number },
): Promise<void> {
  const [first] = findings;
  const problem = first === undefined ? null : formatFinding(first);
  const place = { namespace, tenant: null, who: { by, roles: [] }, at };
  const draft = createOutsideDraft(place, { type: 'verified', what: { entries, problem } });
  await store.write((tx) => appendAudit(tx, [draft]));
}
