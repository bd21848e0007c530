/** Reads audit entries with their contents: page by page for viewers, log by log for verification. */

import type { Kysely, Selectable } from 'kysely';
import {
  type AuditContent,
  type AuditEntry,
  type ContentPart,
  type EntryWithContents,
  type LogName,
  parseLogKey,
  toLogKey,
} from '../../core/audit/index.js';
import { type Json, LonghandError } from '../../core/lib/index.js';
import type { AuditTables } from '../db/migrations/0001-tables/audit.js';
import type { Tables } from '../db/store.js';
import { type AuditFilter, applyFilter } from './filter.js';

export interface AuditPage {
  /** The newest first, by the clocks of their writers. */
  readonly entries: readonly EntryWithContents[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

/** Returns a page of matching entries. @throws LonghandError `invalid_cursor` */
export async function queryAudit(
  db: Kysely<Tables>,
  filter: AuditFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AuditPage> {
  let query = applyFilter(db.selectFrom('audit_entries').selectAll('audit_entries'), filter);
  if (cursor !== undefined) {
    const [at, log, seq] = parseCursor(cursor);
    query = query.where(({ or, and, eb }) =>
      or([
        eb('audit_entries.at', '<', at),
        and([eb('audit_entries.at', '=', at), eb('audit_entries.log', '<', log)]),
        and([eb('audit_entries.at', '=', at), eb('audit_entries.log', '=', log), eb('audit_entries.seq', '<', seq)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('audit_entries.at', 'desc')
    .orderBy('audit_entries.log', 'desc')
    .orderBy('audit_entries.seq', 'desc')
    .limit(limit + 1)
    .execute();
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    entries: await attachContents(db, pageRows),
    cursor: more ? Buffer.from(JSON.stringify([last.at, last.log, last.seq])).toString('base64url') : null,
  };
}

function parseCursor(cursor: string): readonly [at: number, log: string, seq: number] {
  try {
    const [at, log, seq] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof at === 'number' && typeof log === 'string' && typeof seq === 'number') return [at, log, seq];
  } catch {
    // Reported below.
  }
  throw new LonghandError('invalid_cursor', `Invalid cursor "${cursor}". Use the cursor of an earlier page.`);
}

/** Rows of one read. */
const batchSize = 500;

/** Reads a span of a log, in its order. */
export async function* readLog(
  db: Kysely<Tables>,
  log: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly EntryWithContents[]> {
  let next = from;
  while (next <= to) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('log', '=', log)
      .where('seq', '>=', next)
      .where('seq', '<=', to)
      .orderBy('seq')
      .limit(batchSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await attachContents(db, rows);
    next = last.seq + 1;
  }
}

type EntryRow = Selectable<AuditTables['audit_entries']>;

async function attachContents(db: Kysely<Tables>, rows: readonly EntryRow[]): Promise<readonly EntryWithContents[]> {
  const contentsByEntry = new Map<string, AuditContent[]>();
  for (const log of new Set(rows.map((row) => row.log))) {
    const seqs = rows.filter((row) => row.log === log).map(({ seq }) => seq);
    for (let from = 0; from < seqs.length; from += batchSize) {
      const contents = await db
        .selectFrom('audit_contents')
        .select(['seq', 'part', 'salt', 'content'])
        .where('log', '=', log)
        .where('seq', 'in', seqs.slice(from, from + batchSize))
        .where('content', 'is not', null)
        .execute();
      for (const { seq, part, salt, content } of contents) {
        const auditContent = {
          seq,
          part: part as ContentPart,
          salt: salt ?? '',
          content: JSON.parse(content ?? 'null') as Json,
        };
        const key = `${log} ${seq}`;
        contentsByEntry.set(key, [...(contentsByEntry.get(key) ?? []), auditContent]);
      }
    }
  }
  return rows.map(({ log, seq, entry }) => ({
    entry: JSON.parse(entry) as AuditEntry,
    contents: contentsByEntry.get(`${log} ${seq}`) ?? [],
  }));
}

/**
 * Returns the log of a key in the database; null when the text is not the key of a log. The columns next to the key repeat
 * its names, but the owner of the database can alter them.
 */
export function findLogName(key: string): LogName | null {
  try {
    const { namespace, tenant } = parseLogKey(key);
    const isName = typeof namespace === 'string' && (tenant === null || typeof tenant === 'string');
    return isName && toLogKey({ namespace, tenant }) === key ? { namespace, tenant } : null;
  } catch {
    return null;
  }
}
