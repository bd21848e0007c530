/**
 * The tables of the archive: each closed run, and one row for each chain with its state so far. Only the row of the chain
 * has the chain's id: the other tables refer to it by number.
 */

import { type Generated, sql, type Transaction } from 'kysely';
import { getBytesColumnType } from '../../store-dialect.js';
import type { StoreKind } from '../../store-option.js';

export interface ArchiveTables {
  archive_chains: {
    id: Generated<number>;
    namespace: string;
    /** The namespace's id, which no other server has; null if unknown. */
    server: string | null;
    chain_id: string;
    /** Null when only the erasure of the chain is recorded. */
    last_run: number | null;
    agent: string;
    agent_version: string | null;
    strategy: string | null;
    plan_template: string | null;
    /** `meteorologist@3f2a9c81d04e` */
    prompt: string | null;
    model: string;
    tenant: string | null;
    /** The user that the chain was started for. */
    person: string | null;
    /** The root of its tree; its own id for a root. */
    root: string;
    parent: string | null;
    /** The id of its thread's first chain; null for a sub-chain. */
    thread: string | null;
    /** `running` when the last archived run continued in one that is not archived yet. */
    status: 'running' | 'ended';
    /** Null while it runs. */
    outcome: string | null;
    /** The start input as JSON, with the beginning of the task; null after an erasure. */
    input: string | null;
    started_at: number;
    closed_at: number;
    steps: number;
    /** Steps of another chain that a fork starts with; included in `steps`. */
    origin_steps: number;
    tokens: number;
    /** Tokens charged as reservations, because no plausible usage was reported; included in `tokens`. */
    reserved_tokens: number;
    /** Tokens of models without a price; included in `tokens`, and not in `cost_usd`. */
    unpriced_tokens: number;
    /** The chain's own, without sub-chains; null if its model has no price. */
    cost_usd: number | null;
    facts: number;
    /** SHA-256 head over all of its facts. */
    head: string;
    erased_at: number | null;
    erased_by: string | null;
    /** When its retention was first found to have ended. */
    due_since: number | null;
  };
  archive_runs: {
    id: Generated<number>;
    chain: number;
    run_id: string;
    /** Null for a chain's first run. */
    previous_run_id: string | null;
    closed: string;
    closed_at: number;
    /** The number of facts and the head over them, before the run and at its end. */
    facts_before: number;
    head_before: string;
    facts: number;
    head: string;
    turns: number;
    /** Bytes of its pages. */
    bytes: number;
    archived_at: number;
  };
  /** The calls of a run that ran, by tool. */
  archive_tools: {
    run: number;
    tool: string;
    calls: number;
    failures: number;
    duration_ms: number;
    /** US dollars of the models that the calls asked; null where none has a price. */
    cost_usd: number | null;
  };
  /** What the chain's calls charged up to the end of the run, by model. */
  archive_models: {
    run: number;
    /** Empty for charges without a model. */
    model: string;
    calls: number;
    tokens: number;
    /** Both are included in `tokens`. */
    reserved_tokens: number;
    unpriced_tokens: number;
    /** US dollars; null if the model has no price. */
    cost_usd: number | null;
  };
  archive_pages: { run: number; page: number; turns: number; checksum: string; data: Buffer };
  /** The search words of a run. In SQLite a full-text index without the text, whose `rowid` is the run. */
  archive_words: { run: number; rowid: number; words: string };
  /** Erased persons and tenants: the content of their earlier chains is no longer archived. */
  archive_erasures: {
    namespace: string;
    what: 'user' | 'tenant';
    name: string;
    erased_at: number;
    erased_by: string | null;
  };
  /** The progress of the sweep, and its current claim. */
  archive_sweeps: { namespace: string; watermark: number; taken_until: number };
}

export async function createArchiveTables(tx: Transaction<unknown>, kind: StoreKind): Promise<void> {
  const number =
    kind === 'postgres' ? sql`bigint generated always as identity primary key` : sql`integer primary key autoincrement`;
  const statements = [
    sql`create table archive_chains (
      id ${number}, namespace text not null, server text, chain_id text not null, last_run bigint,
      agent text not null, agent_version text, strategy text, plan_template text, prompt text, model text not null, tenant text, person text, root text not null, parent text, thread text,
      status text not null, outcome text, input text, started_at bigint not null, closed_at bigint not null,
      steps bigint not null, origin_steps bigint not null, tokens bigint not null, reserved_tokens bigint not null, unpriced_tokens bigint not null,
      cost_usd double precision, facts bigint not null, head text not null, erased_at bigint, erased_by text, due_since bigint, unique (namespace, chain_id))`,
    sql`create index archive_chains_by_time on archive_chains (namespace, started_at, id)`,
    sql`create index archive_chains_by_agent on archive_chains (namespace, agent, started_at, id)`,
    sql`create index archive_chains_by_tenant on archive_chains (namespace, tenant, started_at, id)`,
    sql`create index archive_chains_by_root on archive_chains (namespace, root)`,
    sql`create index archive_chains_by_thread on archive_chains (namespace, thread)`,
    sql`create index archive_chains_by_end on archive_chains (namespace, closed_at)`,
    sql`create table archive_runs (
      id ${number}, chain bigint not null references archive_chains (id) on delete cascade, run_id text not null,
      previous_run_id text, closed text not null, closed_at bigint not null, facts_before bigint not null,
      head_before text not null, facts bigint not null, head text not null, turns bigint not null, bytes bigint not null,
      archived_at bigint not null, unique (chain, run_id))`,
    sql`create table archive_tools (
      run bigint not null references archive_runs (id) on delete cascade, tool text not null, calls bigint not null,
      failures bigint not null, duration_ms bigint not null, cost_usd double precision, primary key (run, tool))`,
    sql`create table archive_models (
      run bigint not null references archive_runs (id) on delete cascade, model text not null, calls bigint not null,
      tokens bigint not null, reserved_tokens bigint not null, unpriced_tokens bigint not null,
      cost_usd double precision, primary key (run, model))`,
    sql`create table archive_pages (
      run bigint not null references archive_runs (id) on delete cascade, page bigint not null, turns bigint not null,
      checksum text not null, data ${getBytesColumnType(kind)} not null, primary key (run, page))`,
    sql`create table archive_erasures (
      namespace text not null, what text not null, name text not null, erased_at bigint not null, erased_by text,
      primary key (namespace, what, name))`,
    sql`create table archive_sweeps (namespace text primary key, watermark bigint not null, taken_until bigint not null)`,
    ...(kind === 'postgres' ? postgresWordTables : sqliteWordTables),
  ];
  for (const statement of statements) await statement.execute(tx);
}

const postgresWordTables = [
  // Pages are compressed already; Postgres would try to compress them again.
  sql`alter table archive_pages alter column data set storage external`,
  sql`create table archive_words (
    run bigint primary key references archive_runs (id) on delete cascade, words tsvector not null)`,
  sql`create index archive_words_by_word on archive_words using gin (words) with (fastupdate = off)`,
];

/** Words are split and normalized already, so the tokenizer changes nothing. An erased word leaves no trace in the index. */
const sqliteWordTables = [
  sql`create virtual table archive_words using fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
  sql`insert into archive_words (archive_words, rank) values ('secure-delete', 1)`,
];
