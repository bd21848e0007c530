/** The filter of audit entries: each member narrows the selection. */

import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type AuditType, auditTypes } from '../../core/audit/index.js';
import { type Json, omitUndefined } from '../../core/lib/index.js';
import type { Tables } from '../db/store.js';

export interface AuditFilter {
  readonly namespace?: string;
  /** Null: chains without a tenant. */
  readonly tenant?: string | null;
  readonly agent?: string;
  readonly tool?: string;
  /** The person who acted: started, decided, sent a command, read, exported or erased. */
  readonly person?: string;
  /** The outcome of the entry's chain. */
  readonly outcome?: string;
  readonly type?: AuditType;
  readonly chainId?: string;
  /** A chain and all chains below it. */
  readonly root?: string;
  /** Milliseconds since 1970: inclusive, exclusive. */
  readonly since?: number;
  readonly until?: number;
  /** A text in the entry or its contents. */
  readonly text?: string;
}

export function isAuditType(word: string): word is AuditType {
  return (auditTypes as readonly string[]).includes(word);
}

/** Returns the filter as the entry of an export records it. */
export function toFilterJson(filter: AuditFilter): { readonly [filter: string]: Json } {
  return omitUndefined(filter) as { readonly [filter: string]: Json };
}

/** Whether the filter selects complete logs. */
export function isUnrestricted({ namespace: _, tenant: __, ...rest }: AuditFilter): boolean {
  return Object.values(rest).every((value) => value === undefined);
}

type EntryQuery<O> = SelectQueryBuilder<Tables, 'audit_entries', O>;

export function applyFilter<O>(query: EntryQuery<O>, filter: AuditFilter): EntryQuery<O> {
  const { namespace, tenant, agent, tool, person, outcome, type, chainId, root, since, until, text } = filter;
  let some = query;
  if (namespace !== undefined) some = some.where('audit_entries.namespace', '=', namespace);
  if (tenant !== undefined) some = some.where('audit_entries.tenant', tenant === null ? 'is' : '=', tenant);
  if (agent !== undefined) some = some.where('audit_entries.agent', '=', agent);
  if (tool !== undefined) some = some.where('audit_entries.tool', '=', tool);
  if (person !== undefined) some = some.where('audit_entries.person', '=', person);
  if (type !== undefined) some = some.where('audit_entries.type', '=', type);
  if (chainId !== undefined) some = some.where('audit_entries.chain_id', '=', chainId);
  if (root !== undefined) some = some.where(matchTree(root));
  if (since !== undefined) some = some.where('audit_entries.at', '>=', since);
  if (until !== undefined) some = some.where('audit_entries.at', '<', until);
  if (outcome !== undefined) {
    some = some.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('audit_entries as ended')
          .select('ended.seq')
          .whereRef('ended.log', '=', 'audit_entries.log')
          .whereRef('ended.chain_id', '=', 'audit_entries.chain_id')
          .where('ended.type', '=', 'chain_ended')
          .where('ended.outcome', '=', outcome),
      ),
    );
  }
  return text === undefined ? some : filterByText(some, text);
}

/** The id of a sub-chain begins with its parent's id and a slash. Compares characters: a pattern would need escaping. */
function matchTree(root: string): RawBuilder<SqlBool> {
  const below = `${root}/`;
  const start = sql`substr(audit_entries.chain_id, 1, ${sql.lit([...below].length)})`;
  return sql<SqlBool>`(audit_entries.chain_id = ${root} or ${start} = ${below})`;
}

/** Ignores case, as far as the database supports it. */
function filterByText<O>(query: EntryQuery<O>, text: string): EntryQuery<O> {
  // Escaped, because the searched columns contain JSON.
  const jsonText = JSON.stringify(text).slice(1, -1).toLowerCase();
  const like = `%${jsonText.replace(/[!%_]/g, '!$&')}%`;
  return query.where(({ or, exists, selectFrom, fn }) =>
    or([
      matchLike(fn<string>('lower', ['audit_entries.entry']), like),
      exists(
        selectFrom('audit_contents')
          .select('audit_contents.seq')
          .whereRef('audit_contents.log', '=', 'audit_entries.log')
          .whereRef('audit_contents.seq', '=', 'audit_entries.seq')
          .where(({ fn: contentFn }) => matchLike(contentFn<string>('lower', ['audit_contents.content']), like)),
      ),
    ]),
  );
}

function matchLike(column: Expression<string>, like: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${like} escape '!'`;
}
