/** Changes to the audit log that the owner of the database can make, past its triggers. */

import { sql } from 'kysely';
import type { AuditEntry } from '../../src/core/audit/entry.js';
import { toLogKey } from '../../src/core/audit/head.js';
import { computeBodyDigest, computeEntryHash, emptyHash } from '../../src/core/audit/seal.js';
import type { Store } from '../../src/entries/store.js';
import { toEntryRow } from '../../src/store/audit/append.js';

const tables = ['audit_entries', 'audit_heads', 'audit_contents', 'audit_keys'];

/** Runs statements on the audit log after removing the triggers that reject them. */
export async function runWithoutTriggers(store: Store, ...statements: readonly string[]): Promise<void> {
  await store.write(async (tx) => {
    if (store.kind === 'postgres') {
      for (const table of tables) await sql.raw(`alter table ${table} disable trigger all`).execute(tx);
    } else {
      const found = await sql<{ name: string }>`select name from sqlite_master where type = 'trigger'`.execute(tx);
      for (const { name } of found.rows) {
        if (name.startsWith('audit_')) await sql.raw(`drop trigger ${name}`).execute(tx);
      }
    }
    for (const each of statements) await sql.raw(each).execute(tx);
  });
}

/** Rewrites a log with other entries and consistent hashes. */
export async function rewriteLog(
  store: Store,
  tenant: string | null,
  change: (entry: AuditEntry) => AuditEntry,
): Promise<void> {
  const log = toLogKey({ namespace: 'default', tenant });
  await runWithoutTriggers(store);
  await store.write(async (tx) => {
    const rows = await tx.selectFrom('audit_entries').select('entry').where('log', '=', log).orderBy('seq').execute();
    await tx.deleteFrom('audit_entries').where('log', '=', log).execute();
    let previous = emptyHash;
    let seq = 0;
    for (const row of rows) {
      const { hash: _, previous: __, ...body } = change(JSON.parse(row.entry) as AuditEntry);
      const entry = { ...body, previous, hash: '' } as AuditEntry;
      const hash = computeEntryHash(previous, computeBodyDigest(entry));
      await tx
        .insertInto('audit_entries')
        .values(toEntryRow(log, { ...entry, hash }))
        .execute();
      previous = hash;
      seq = entry.seq;
    }
    await tx.updateTable('audit_logs').set({ seq, hash: previous }).where('log', '=', log).execute();
  });
}

/** Replaces `ana`, who approved, by another person. */
export function asBob(entry: AuditEntry): AuditEntry {
  return entry.who?.by === 'ana' ? { ...entry, who: { ...entry.who, by: 'bob' } } : entry;
}
