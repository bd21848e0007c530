/** Lists and searches archived chains: the newest first, page by page. */

import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { LonghandError } from '../../core/lib/index.js';
import type { ChainInput } from '../../core/model/index.js';
import type { ChainListItem } from '../../core/record/index.js';
import type { Store, Tables } from '../db/store.js';
import { selectRunsWithWord, toSearchTerms } from './search-words.js';

/** The filters of a query; an omitted filter matches every chain. */
export interface ArchiveQuery {
  readonly namespace: string;
  /** Only the chains of this server, by the namespace's id there, and those whose server is unknown. */
  readonly server?: string | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: 'running' | 'ended' | undefined;
  /** Bounds of the start time, in milliseconds since 1970: inclusive, exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** US dollars. */
  readonly costOver?: number | undefined;
  /** Words or beginnings of words, all of which must occur; or a part of the chain's id. */
  readonly text?: string | undefined;
  /** `roots`: only chains without a parent; `{ root }`: one tree. Default: every chain. */
  readonly tree?: 'roots' | 'all' | { readonly root: string } | undefined;
  /** Only the chains of this thread: the id of its first chain. */
  readonly thread?: string | undefined;
  /** The beginning of the id, or the full id. */
  readonly idPrefix?: string | undefined;
  readonly chainId?: string | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
  /** From an earlier page: continues after it. */
  readonly cursor?: string | undefined;
}

/** `input` is null after an erasure. */
export interface ArchivedChainSummary extends ChainListItem {
  readonly chainId: string;
  /** Null when only the erasure of the chain is recorded. */
  readonly runId: string | null;
  /** `running` when it continued in a run that is not archived yet. */
  readonly status: 'running' | 'ended';
  readonly closedAt: number;
  readonly facts: number;
  readonly head: string;
  readonly erased: { readonly at: number; readonly by: string | null } | null;
}

export interface ArchivePage {
  readonly chains: readonly ArchivedChainSummary[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

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
