/**
 * Deletes archived chains whose retention has ended.
 *
 * R1 A chain is deleted completely or not at all. A running chain stays, however old its first runs are.
 * R2 The caller passes the time. A clock that is ahead for a while deletes nothing: a due chain is marked, and deleted when
 *    it is still due a day later; a corrected clock removes the mark.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Store, type StoreTransaction, shrink } from '../db/store.js';
import { type Retention, type RetentionRule, sortRules } from './retention.js';
import { deleteWords } from './search-words.js';

export interface PruneOptions {
  readonly namespace: string;
  readonly retention: Retention;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds between the mark and the deletion. Default: a day. */
  readonly graceMs?: number;
  /**
   * Deletes other data of a chain first, so that a failure is retried. Data stored after `closedAt` belongs to a later
   * chain with the same id.
   */
  readonly forget?: (chainId: string, closedAt: number) => Promise<void>;
}

const dayMs = 86_400_000;

/** Small, so that others can write between two transactions. */
const chainsPerTransaction = 100;

/** Marks due chains and deletes those that were marked before. @returns the number of deleted chains. @throws StoreError */
export async function pruneChains(store: Store, options: PruneOptions): Promise<number> {
  const { namespace, now, graceMs = dayMs } = options;
  const due = buildDueCondition(options);
  await store.write(async (tx) => {
    const ours = tx.updateTable('archive_chains').where('namespace', '=', namespace);
    await ours.set({ due_since: null }).where('due_since', 'is not', null).where(sql<SqlBool>`not (${due})`).execute();
    // Marked by a clock that was ahead.
    await ours.set({ due_since: now }).where('due_since', '>', now).execute();
    await ours.set({ due_since: now }).where('due_since', 'is', null).where(due).execute();
  });
  for (let pruned = 0; ; ) {
    const rows = await store.db
      .selectFrom('archive_chains')
      .where('namespace', '=', namespace)
      .where('due_since', '<=', now - graceMs)
      .where(due)
      .select(['id', 'chain_id', 'closed_at'])
      .limit(chainsPerTransaction)
      .execute();
    for (const { chain_id: chainId, closed_at: closedAt } of rows) await options.forget?.(chainId, closedAt);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await store.write((tx) => deleteChains(tx, store, ids, due));
    pruned += ids.length;
    if (ids.length === chainsPerTransaction) continue;
    if (pruned > 0) await shrink(store);
    return pruned;
  }
}

/** A chain that was started again in the meantime is no longer due, and stays. */
async function deleteChains(
  tx: StoreTransaction,
  { kind }: Store,
  ids: readonly number[],
  due: RawBuilder<SqlBool>,
): Promise<void> {
  const still = await tx.selectFrom('archive_chains').where('id', 'in', ids).where(due).select('id').execute();
  const gone = still.map(({ id }) => id);
  if (gone.length === 0) return;
  const runs = await tx.selectFrom('archive_runs').where('chain', 'in', gone).select('id').execute();
  await deleteWords(
    tx,
    kind,
    runs.map(({ id }) => id),
  );
  await tx.deleteFrom('archive_chains').where('id', 'in', gone).execute();
}

function buildDueCondition({ retention, now }: PruneOptions): RawBuilder<SqlBool> {
  const rules = sortRules(retention);
  const whole: Retention = rules.some(({ tenant, outcome }) => tenant === undefined && outcome === undefined)
    ? rules
    : [...rules, { days: 90 }];
  const cases = whole.map((rule) => sql`when ${buildRuleCondition(rule)} then ${buildRuleDeadline(rule, now)}`);
  // A null deadline is never reached. A row without a run records an erasure before archiving: it stays.
  return sql<SqlBool>`(status = 'ended' and last_run is not null and coalesce(closed_at <= case ${sql.join(cases, sql` `)} end, false))`;
}

function buildRuleCondition({ tenant, outcome }: RetentionRule): RawBuilder<unknown> {
  const conditions = [
    ...(tenant === undefined ? [] : [sql`tenant = ${tenant}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function buildRuleDeadline({ days }: RetentionRule, now: number): RawBuilder<unknown> {
  return days === 'forever' ? sql`cast(null as bigint)` : sql`cast(${Math.floor(now - days * dayMs)} as bigint)`;
}
