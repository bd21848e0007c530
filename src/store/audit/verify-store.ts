/** Whether the audit log in its store is as it was written: entries, contents, heads, and the columns that it is found by. */

import { type Finding, findingText } from '../../core/audit/finding.js';
import { headIn, type LogName, logKey, type SignedHead } from '../../core/audit/head.js';
import { lineText } from '../../core/audit/line.js';
import { type LogEnd, noHash } from '../../core/audit/seal.js';
import { type CheckSignature, type LogVerified, verifyLogs } from '../../core/audit/verify.js';
import { canonical } from '../../core/lib/json.js';
import type { Store } from '../db/store.js';
import { appendAudit, entryRow, outsideDraft } from './append.js';
import { sha256, signatureCheck } from './key.js';
import { logInKey, readLog } from './read.js';
import { headsOf, keysIn } from './sign-heads.js';

/** What lies outside of the database. */
export interface StoreWitnesses {
  readonly anchored?: readonly SignedHead[];
  /** Public keys in PEM besides those in the store, by their ids. */
  readonly keys?: { readonly [key: string]: string };
}

/**
 * One log after the other: those that the store has, and those that a witness knows.
 *
 * @param trusted ids of the keys that count; null: all that were ever used. With them, what no head vouches for is a fault
 */
export async function verifyStore(
  store: Store,
  namespace: string,
  trusted: readonly string[] | null,
  { anchored = [], keys = {} }: StoreWitnesses = {},
): Promise<LogVerified> {
  const { db } = store;
  const check = signatureCheck({ ...keys, ...(await keysIn(db)) }, trusted);
  const heads = anchored.filter((head) => (headIn(head)?.namespace ?? namespace) === namespace);
  let all: LogVerified = { findings: [], entries: 0, leftOut: 0, contents: 0, erased: 0, heads: [] };
  const { logs, misnamed } = await logsOf(db, namespace, heads);
  for (const log of logs) {
    const own = heads.filter((head) => isOf(head, log));
    const { findings, ...verified } = await verifyOne(store, log, { trusted, own, check });
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
    { entries: [], contents: [], heads: heads.filter((head) => headIn(head) === null) },
    check,
  );
  const none: Finding[] = trusted !== null && all.heads.length === 0 ? [{ kind: 'nothing_signed', namespace }] : [];
  return { ...all, findings: [...all.findings, ...misnamed, ...unreadable.findings, ...none] };
}

interface KeptLog extends LogName {
  readonly log: string;
}

interface KeptLogs {
  readonly logs: readonly KeptLog[];
  /** Rows whose key and names differ, or whose key is not that of any log. */
  readonly misnamed: readonly Finding[];
}

/** By all that is left of a log: who removes one forgets something. */
async function logsOf(db: Store['db'], namespace: string, anchored: readonly SignedHead[]): Promise<KeptLogs> {
  const ends = await db.selectFrom('audit_logs').select(['log', 'namespace', 'tenant', 'seq']).execute();
  const entries = await db.selectFrom('audit_entries').select('log').distinct().execute();
  const heads = await db.selectFrom('audit_heads').select('log').distinct().execute();
  const witnessed = anchored.flatMap((signed) => {
    const head = headIn(signed);
    return head === null ? [] : [logKey(head)];
  });
  const keys = new Set([...[...ends, ...entries, ...heads].map(({ log }) => log), ...witnessed]);
  const rows = new Map(ends.map((end) => [end.log, end]));
  const logs: KeptLog[] = [];
  const misnamed: Finding[] = [];
  for (const log of [...keys].toSorted()) {
    const row = rows.get(log);
    const name = logInKey(log);
    if (name?.namespace === namespace) logs.push({ log, ...name });
    const isMisnamed = name === null || (row !== undefined && logKey(row) !== log);
    // What a key says that is not one, nobody knows: it is a fault of the namespace that its row names, or of each.
    const claimed = [name?.namespace, row?.namespace].filter((each) => each !== undefined);
    if (!isMisnamed || (claimed.length > 0 && !claimed.includes(namespace))) continue;
    const seq = row?.seq ?? 0;
    misnamed.push({ kind: 'altered', seq, line: seq, namespace, tenant: (name ?? row)?.tenant ?? null });
  }
  return { logs, misnamed };
}

function isOf(signed: SignedHead, { log }: KeptLog): boolean {
  const head = headIn(signed);
  return head !== null && logKey(head) === log;
}

interface Against {
  readonly trusted: readonly string[] | null;
  readonly own: readonly SignedHead[];
  readonly check: CheckSignature;
}

async function verifyOne(store: Store, kept: KeptLog, { trusted, own, check }: Against): Promise<LogVerified> {
  const { db } = store;
  const { log, namespace, tenant } = kept;
  const entries: string[] = [];
  const contents: string[] = [];
  // Before the end: the log may grow, and be signed, while it is read.
  const heads = await headsOf(db, log);
  const { end, last } = await endOf(db, log);
  let hash = noHash;
  /** The end of what is more than somebody's look at the log. */
  let told = 0;
  for await (const page of readLog(db, log, { from: 0, to: last })) {
    for (const { entry, contents: held } of page) {
      entries.push(canonical(entry));
      hash = entry.hash;
      if (entry.type !== 'verified') told = entry.seq;
      for (const { part, salt, content } of held) {
        contents.push(lineText({ namespace, tenant, seq: entry.seq, part, salt, content }).trimEnd());
      }
    }
  }
  const proof = { entries, contents, heads, anchored: own, vouchedErasures: trusted !== null };
  const verified = verifyLogs(proof, check, sha256);
  // Each look at a log adds an entry that says so: that nobody has signed it yet hides nothing.
  const findings = verified.findings.filter((finding) => {
    return finding.kind !== 'unsigned' || (trusted !== null && finding.from <= told);
  });
  const cut = end !== null && last < end.seq && !findings.some(({ kind }) => kind === 'truncated');
  if (cut) findings.push({ kind: 'truncated', from: last + 1, to: end.seq, namespace, tenant });
  // The next entry would be chained to it.
  const astray = last > 0 && (end === null || end.seq < last || (end.seq === last && end.hash !== hash));
  if (astray && findings.length === 0) findings.push({ kind: 'altered', seq: last, line: last, namespace, tenant });
  return { ...verified, findings: [...findings, ...(await wrongColumns(store, log, { namespace, tenant }))] };
}

/** Where the log ends by its row, which is null where it is gone, and by its entries: both at one moment. */
async function endOf(db: Store['db'], log: string): Promise<{ readonly end: LogEnd | null; readonly last: number }> {
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

/** An entry that is not found by what it says, or lies in another log, is hidden as well as one that is gone. */
async function wrongColumns(
  { db }: Store,
  log: string,
  name: { readonly namespace: string; readonly tenant: string | null },
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
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
      const expected = entryRow(log, JSON.parse(row.entry));
      if (logKey(expected) !== log || canonical(expected) !== canonical(row))
        found.push({ kind: 'altered', seq: row.seq, line: row.seq, ...name });
    }
    from = rows.at(-1)?.seq ?? 0;
    if (rows.length < 500) return found;
  }
}

/** Records in the log that it was verified, and the first finding. */
export async function noteVerified(
  store: Store,
  namespace: string,
  { entries, findings }: Pick<LogVerified, 'entries' | 'findings'>,
  { by, at }: { readonly by: string | null; readonly at: number },
): Promise<void> {
  const [first] = findings;
  const problem = first === undefined ? null : findingText(first);
  const place = { namespace, tenant: null, who: { by, roles: [] }, at };
  const draft = outsideDraft(place, { type: 'verified', what: { entries, problem } });
  await store.write((tx) => appendAudit(tx, [draft]));
}
