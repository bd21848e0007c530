/** Lists and searches archived chains: the newest first, page by page. */

import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { LonghandError } from '../../core/lib/index.js';
import type { ChainInput } from '../../core/model/index.js';
import type { ArchivedChainSummary, ArchivePage, ArchiveQuery } from '../db/queries.js';
import type { Store, Tables } from '../db/store.js';
import { selectRunsWithWord, toSearchTerms } from './search-words.js';

/** Returns a page of matching chains. @throws LonghandError `invalid_cursor` */
export async function queryArchive({ db, kind }: Store, filter: ArchiveQuery): Promise<ArchivePage> {
  const { namespace, limit = 50, cursor } = filter;
  const after = cursor === undefined ? null : parseCursor(cursor);
  let query = db
    .selectFrom('archive_chains as chain')
    .leftJoin('archive_runs as run', 'run.id', 'chain.last_run')
    .where('chain.namespace', '=', namespace)
    .orderBy('chain.started_at', 'desc')
    .orderBy('chain.id', 'desc')
    .limit(limit + 1)
    .selectAll('chain')
    .select('run.run_id');
  const { agent, agentVersion, tenant, user, outcome, status, since, until, costOver, text, tree } = filter;
  const { thread, idPrefix, chainId, server } = filter;
  if (server !== undefined)
    query = query.where((row) => row.or([row('chain.server', '=', server), row('chain.server', 'is', null)]));
  if (chainId !== undefined) query = query.where('chain.chain_id', '=', chainId);
  if (agent !== undefined) query = query.where('chain.agent', '=', agent);
  if (agentVersion !== undefined) query = query.where('chain.agent_version', '=', agentVersion);
  if (tenant !== undefined) query = query.where('chain.tenant', '=', tenant);
  if (user !== undefined) query = query.where('chain.person', '=', user);
  if (outcome !== undefined) query = query.where('chain.outcome', '=', outcome);
  if (status !== undefined) query = query.where('chain.status', '=', status);
  if (since !== undefined) query = query.where('chain.started_at', '>=', since);
  if (until !== undefined) query = query.where('chain.started_at', '<', until);
  if (costOver !== undefined) query = query.where('chain.cost_usd', '>=', costOver);
  if (tree === 'roots') query = query.where('chain.parent', 'is', null);
  if (typeof tree === 'object') query = query.where('chain.root', '=', tree.root);
  if (thread !== undefined) query = query.where('chain.thread', '=', thread);
  if (idPrefix !== undefined) query = query.where(matchPrefix('chain.chain_id', idPrefix));
  if (text !== undefined) query = query.where(matchText(kind, text));
  if (after !== null) {
    query = query.where(sql<SqlBool>`(chain.started_at, chain.id) < (${after.startedAt}, ${after.id})`);
  }
  const rows = await query.execute();
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  return {
    chains: pageRows.map(toChainSummary),
    cursor: last === undefined || rows.length <= limit ? null : formatCursor(last.started_at, last.id),
  };
}

/** A text without indexed words, such as punctuation, is searched for in ids only. */
function matchText(kind: Store['kind'], text: string): Expression<SqlBool> {
  const words = toSearchTerms(text);
  const place = kind === 'postgres' ? sql.raw('strpos') : sql.raw('instr');
  const inId = sql<SqlBool>`${place}(lower(chain.chain_id), ${text.toLowerCase()}) > 0`;
  if (words.length === 0) return inId;
  // One condition for each word: a chain of several runs may have each word in a different run.
  const inRuns = words.map(
    (word) => sql`chain.id in (select chain from archive_runs where id in (${selectRunsWithWord(kind, word)}))`,
  );
  return sql<SqlBool>`(${inId} or (${sql.join(inRuns, sql` and `)}))`;
}

/** Compares characters; a pattern would need escaping. */
function matchPrefix(column: string, beginning: string): Expression<SqlBool> {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, ${sql.lit([...beginning].length)}) = ${beginning}`;
}

type ArchiveListRow = Selectable<Tables['archive_chains']> & { readonly run_id: string | null };

function toChainSummary(row: ArchiveListRow): ArchivedChainSummary {
  return {
    chainId: row.chain_id,
    runId: row.run_id,
    agent: row.agent,
    agentVersion: row.agent_version,
    strategy: row.strategy,
    planTemplate: row.plan_template,
    prompt: row.prompt,
    model: row.model,
    tenant: row.tenant,
    user: row.person,
    root: row.root,
    parent: row.parent,
    thread: row.thread,
    status: row.status,
    outcome: row.outcome,
    input: row.input === null ? null : (JSON.parse(row.input) as ChainInput),
    startedAt: row.started_at,
    closedAt: row.closed_at,
    steps: row.steps,
    originSteps: row.origin_steps,
    tokens: row.tokens,
    reservedTokens: row.reserved_tokens,
    costUsd: row.cost_usd,
    unpricedTokens: row.unpriced_tokens,
    facts: row.facts,
    head: row.head,
    erased: row.erased_at === null ? null : { at: row.erased_at, by: row.erased_by },
  };
}

function formatCursor(startedAt: number, id: number): string {
  return `${startedAt}.${id}`;
}

function parseCursor(cursor: string): { readonly startedAt: number; readonly id: number } {
  const [, startedAt, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (startedAt === undefined || id === undefined) {
    throw new LonghandError('invalid_cursor', `Invalid cursor "${cursor}". Use the cursor of an earlier page.`);
  }
  return { startedAt: Number(startedAt), id: Number(id) };
}
