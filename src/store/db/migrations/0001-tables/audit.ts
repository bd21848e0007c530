/**
 * The tables of the audit log.
 *
 * 1. Entries, heads and keys are only added: triggers reject changes and deletions. The owner of the database can remove the
 *    triggers; hashes and signed heads detect that.
 * 2. Contents have their own table, from which an erasure deletes. They are never changed.
 * 3. `entry` is the text that was hashed. The other columns are for queries, and are computed from it.
 */

import { sql, type Transaction } from 'kysely';
import type { StoreKind } from '../../store-option.js';

export interface AuditTables {
  /** The end of each log: its row is locked to append. */
  audit_logs: { log: string; namespace: string; tenant: string | null; seq: number; hash: string };
  audit_entries: {
    log: string;
    seq: number;
    namespace: string;
    tenant: string | null;
    chain_id: string | null;
    run_id: string | null;
    event_id: number | null;
    item: number;
    at: number;
    type: string;
    agent: string | null;
    tool: string | null;
    person: string | null;
    outcome: string | null;
    hash: string;
    entry: string;
  };
  audit_contents: {
    log: string;
    seq: number;
    part: string;
    salt: string | null;
    original_salt: string | null;
    content: string | null;
  };
  audit_heads: { log: string; seq: number; key_id: string; at: number; signed: string; signature: string };
  audit_keys: { key_id: string; public_key: string; added_at: number };
}

export async function createAuditTables(tx: Transaction<unknown>, kind: StoreKind): Promise<void> {
  for (const statement of tableStatements) await sql.raw(statement).execute(tx);
  await (kind === 'postgres' ? createPostgresTriggers(tx) : createSqliteTriggers(tx));
}

const tableStatements = [
  `create table audit_logs (
    log text primary key, namespace text not null, tenant text, seq bigint not null, hash text not null
  )`,
  `create table audit_entries (
    log text not null, seq bigint not null, namespace text not null, tenant text,
    chain_id text, run_id text, event_id bigint, item bigint not null, at bigint not null,
    type text not null, agent text, tool text, person text, outcome text,
    hash text not null, entry text not null,
    primary key (log, seq)
  )`,
  // An entry of a run is recorded once.
  `create unique index audit_once on audit_entries (namespace, chain_id, run_id, event_id, item)
    where run_id is not null`,
  'create index audit_by_chain on audit_entries (log, chain_id, seq)',
  'create index audit_by_time on audit_entries (at)',
  'create index audit_by_agent on audit_entries (agent, at)',
  'create index audit_by_tool on audit_entries (tool, at)',
  'create index audit_by_person on audit_entries (person, at)',
  'create index audit_by_outcome on audit_entries (outcome, log, chain_id)',
  `create table audit_contents (
    log text not null, seq bigint not null, part text not null,
    salt text, original_salt text, content text,
    primary key (log, seq, part)
  )`,
  `create table audit_heads (
    log text not null, seq bigint not null, key_id text not null, at bigint not null,
    signed text not null, signature text not null,
    primary key (log, seq, key_id)
  )`,
  'create table audit_keys (key_id text primary key, public_key text not null, added_at bigint not null)',
];

/** The statements that each table rejects. */
const forbiddenEvents: readonly (readonly [table: string, events: readonly string[]])[] = [
  ['audit_entries', ['update', 'delete']],
  ['audit_contents', ['update']],
  ['audit_heads', ['update', 'delete']],
  ['audit_keys', ['update', 'delete']],
];

const rejectionMessage = 'The audit log is append-only.';

async function createSqliteTriggers(tx: Transaction<unknown>): Promise<void> {
  for (const [table, events] of forbiddenEvents) {
    for (const event of events) {
      await sql
        .raw(
          `create trigger ${table}_no_${event} before ${event} on ${table} begin select raise(abort, '${rejectionMessage}'); end`,
        )
        .execute(tx);
    }
  }
  // `insert or replace` deletes rows without the triggers on deletes.
  await sql
    .raw(
      `create trigger audit_entries_no_replace before insert on audit_entries
       when exists (
         select 1 from audit_entries where log = new.log and seq = new.seq
         or (new.run_id is not null and namespace = new.namespace and chain_id = new.chain_id
             and run_id = new.run_id and event_id = new.event_id and item = new.item)
       ) begin select raise(abort, '${rejectionMessage}'); end`,
    )
    .execute(tx);
  await sql
    .raw(
      `create trigger audit_contents_no_replace before insert on audit_contents
       when exists (select 1 from audit_contents where log = new.log and seq = new.seq and part = new.part)
       begin select raise(abort, '${rejectionMessage}'); end`,
    )
    .execute(tx);
}

async function createPostgresTriggers(tx: Transaction<unknown>): Promise<void> {
  await sql
    .raw(
      `create function audit_refuse() returns trigger language plpgsql as $$
       begin raise exception '${rejectionMessage}'; end $$`,
    )
    .execute(tx);
  for (const [table, events] of forbiddenEvents) {
    await sql
      .raw(
        `create trigger ${table}_refuse before ${events.join(' or ')} on ${table}
         for each row execute function audit_refuse()`,
      )
      .execute(tx);
    await sql
      .raw(
        `create trigger ${table}_no_truncate before truncate on ${table}
         for each statement execute function audit_refuse()`,
      )
      .execute(tx);
  }
}
