/**
 * Deletes chains that were kept for long enough.
 *
 * R1 A chain goes whole, or stays whole. One that runs stays, however old its first runs are.
 * R2 What time it is comes from outside. A clock that jumps ahead for a while deletes nothing: what is found to be due is
 *    marked, and deleted when it is found so again a day later; a clock that is right again takes the mark away.
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
  /** Milliseconds between being due and being deleted. Default: a day. */
  readonly graceMs?: number;
  /**
   * Takes away what else is kept of a chain, before the chain goes: what fails then is tried again. What was kept after it had
   * closed is of another that was begun anew under its id.
   */
  readonly forget?: (chainId: string, closedAt: number) => Promise<void>;
}

const dayMs = 86_400_000;

/** Chains that go in one transaction: others write between two of them. */
const chainsPerTransaction = 100;

/** @returns how many were deleted. @throws StoreError */
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
    const found = await store.db
      .selectFrom('archive_chains')
      .where('namespace', '=', namespace)
      .where('due_since', '<=', now - graceMs)
      .where(due)
      .select(['id', 'chain_id', 'closed_at'])
      .limit(chainsPerTransaction)
      .execute();
    for (const { chain_id: chainId, closed_at: closedAt } of found) await options.forget?.(chainId, closedAt);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await store.write((tx) => deleteChains(tx, store, ids, due));
    pruned += ids.length;
    if (ids.length === chainsPerTransaction) continue;
    if (pruned > 0) await shrink(store);
    return pruned;
  }
}

/** A chain that was begun anew in the meantime is not due any more, and stays. */
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
  // An end that is null is never reached. A row without a run says that a chain was erased before it was archived: it stays.
  return sql<SqlBool>`(status = 'ended' and last_run is not null and coalesce(closed_at <= case ${sql.join(cases, sql` `)} end, false))`;
}

function buildRuleCondition({ tenant, outcome }: RetentionRule): RawBuilder<unknown> {
  const named = [
    ...(tenant === undefined ? [] : [sql`tenant = ${tenant}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
  ];
  return named.length === 0 ? sql`true` : sql.join(named, sql` and `);
}

function buildRuleDeadline({ days }: RetentionRule, now: number): RawBuilder<unknown> {
  return days === 'forever' ? sql`cast(null as bigint)` : sql`cast(${Math.floor(now - days * dayMs)} as bigint)`;
}
