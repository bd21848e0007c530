/** Whether the audit log in its store is as it was written: entries, contents, heads, and the columns that it is found by. */

import type { Finding } from '../../core/audit/finding.js';
import { lineText } from '../../core/audit/line.js';
import { type LogVerified, verifyLogs } from '../../core/audit/verify.js';
import { canonical } from '../../core/json.js';
import type { Store } from '../store.js';
import { entryRow } from './append.js';
import { signatureCheck } from './check-signature.js';
import { readLog } from './read.js';
import { sha256 } from './sha256.js';
import { headsOf, keysIn } from './sign-heads.js';

/**
 * One log after the other. What is behind the last head is no fault of a log that is still being written.
 *
 * @param trusted ids of the keys that count; null: all that were ever used
 */
export async function verifyStore(
  store: Store,
  namespace: string,
  trusted: readonly string[] | null,
): Promise<LogVerified> {
  const { db } = store;
  const check = signatureCheck(await keysIn(db), trusted);
  const logs = await db
    .selectFrom('audit_logs')
    .selectAll()
    .where('namespace', '=', namespace)
    .orderBy('log')
    .execute();
  let all: LogVerified = { findings: [], entries: 0, leftOut: 0, contents: 0, erased: 0, heads: [] };
  for (const { log, tenant, seq } of logs) {
    const entries: string[] = [];
    const contents: string[] = [];
    const misplaced: Finding[] = [];
    const { last } = await db
      .selectFrom('audit_entries')
      .select(({ fn }) => fn.max('seq').as('last'))
      .where('log', '=', log)
      .executeTakeFirstOrThrow();
    for await (const page of readLog(db, log, { from: 0, to: Math.max(seq, last ?? 0) })) {
      for (const { entry, contents: held } of page) {
        entries.push(canonical(entry));
        for (const { part, salt, content } of held) {
          contents.push(lineText({ namespace, tenant, seq: entry.seq, part, salt, content }).trimEnd());
        }
      }
    }
    misplaced.push(...(await wrongColumns(store, log, { namespace, tenant })));
    const verified = verifyLogs({ entries, contents, heads: await headsOf(db, log) }, check, sha256);
    const findings = verified.findings.filter(({ kind }) => kind !== 'unsigned');
    const cut = (last ?? 0) < seq && !findings.some(({ kind }) => kind === 'truncated');
    const end: Finding[] = cut ? [{ kind: 'truncated', from: (last ?? 0) + 1, to: seq, namespace, tenant }] : [];
    all = {
      findings: [...all.findings, ...findings, ...end, ...misplaced],
      entries: all.entries + verified.entries,
      leftOut: 0,
      contents: all.contents + verified.contents,
      erased: all.erased + verified.erased,
      heads: [...all.heads, ...verified.heads],
    };
  }
  return all;
}

/** An entry that is not found by what it says is hidden as well as one that is gone. */
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
      if (canonical(expected) !== canonical(row)) found.push({ kind: 'altered', seq: row.seq, line: row.seq, ...name });
    }
    from = rows.at(-1)?.seq ?? 0;
    if (rows.length < 500) return found;
  }
}
