/**
 * Erases content: of one chain, of one person's chains, or of one tenant's.
 *
 * E1 Facts, tasks, search words and names of persons are deleted. The outcome, the times and the digests of the facts stay:
 *    they prove that the chain existed, and whether a copy is genuine.
 * E2 Erased content is not archived again, nor is the content of chains that the person or tenant had already started.
 *    Temporal's own history is not touched: it ends with its retention.
 * E3 Every later reader gets the time and the author of the erasure.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isStoreError } from '../db/errors.js';
import { lockExclusive, type Store, type StoreTransaction, shrink } from '../db/store.js';
import { erasureLockName } from './find-erasure.js';
import type { ChainKey } from './run-rows.js';
import { deleteWords } from './search-words.js';

/** `chainId` includes the sub-chains. */
export type EraseTarget = { readonly chainId: string } | { readonly user: string } | { readonly tenant: string };

export interface EraseOptions {
  readonly namespace: string;
  /** The person who erases; null when unknown. */
  readonly by: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Deletes other content of the chains in the same transaction; receives the chains that had content until now. */
  readonly also?: (tx: StoreTransaction, chains: readonly ErasedChain[]) => Promise<void>;
}

interface ErasedChain {
  readonly chainId: string;
  readonly tenant: string | null;
}

export interface EraseResult {
  /** Ids of the chains that had content until now. */
  readonly chains: readonly string[];
  /** Ids of all matching archived chains, also of those erased before. */
  readonly matched: readonly string[];
  /** Whether the freed space was reclaimed. If not, the database overwrites it later. */
  readonly reclaimed: boolean;
}

/** Erases the content of matching chains. @throws StoreError; then nothing was erased */
export async function eraseChains(store: Store, what: EraseTarget, options: EraseOptions): Promise<EraseResult> {
  const erased = await store.write(async (tx) => {
    await lockExclusive(tx, store, erasureLockName);
    await recordErasure(tx, what, options);
    const chains = await tx
      .selectFrom('archive_chains')
      .where('namespace', '=', options.namespace)
      .where(matchTarget(what))
      .select(['id', 'chain_id', 'tenant', 'erased_at', 'last_run'])
      .execute();
    const there = chains.filter(({ erased_at }) => erased_at === null);
    for (const { id } of there) await eraseChain(tx, store, id, options);
    await options.also?.(
      tx,
      there.map(({ chain_id: chainId, tenant }) => ({ chainId, tenant })),
    );
    const idsOf = (rows: typeof chains) => rows.map(({ chain_id }) => chain_id);
    return { chains: idsOf(there), matched: idsOf(chains.filter(({ last_run }) => last_run !== null)) };
  });
  return { ...erased, reclaimed: await reclaimSpace(store) };
}

/** Whether the store has anything of a chain: rows of it or its sub-chains, audit entries, or stored content. */
export async function isChainStored({ db }: Store, { namespace, chainId }: ChainKey): Promise<boolean> {
  const inArchive = db
    .selectFrom('archive_chains')
    .select('chain_id')
    .where('namespace', '=', namespace)
    .where(matchTarget({ chainId }));
  const inLog = db.selectFrom('audit_entries').select('chain_id').where('namespace', '=', namespace);
  const asContent = db.selectFrom('blob_refs').select('chain_id').where('namespace', '=', namespace);
  return (
    (await inArchive.executeTakeFirst()) !== undefined ||
    (await inLog.where('chain_id', '=', chainId).executeTakeFirst()) !== undefined ||
    (await asContent.where('chain_id', '=', chainId).executeTakeFirst()) !== undefined
  );
}

/** A condition on the columns `chain_id`, `person` and `tenant`. */
export function matchTarget(what: EraseTarget): RawBuilder<SqlBool> {
  if ('user' in what) return sql<SqlBool>`person = ${what.user}`;
  if ('tenant' in what) return sql<SqlBool>`tenant = ${what.tenant}`;
  const below = `${what.chainId}/`;
  return sql<SqlBool>`(chain_id = ${what.chainId} or substr(chain_id, 1, ${sql.lit([...below].length)}) = ${below})`;
}

/** E2. */
async function recordErasure(
  tx: StoreTransaction,
  what: EraseTarget,
  { namespace, by, now }: EraseOptions,
): Promise<void> {
  const erased = { erased_at: now, erased_by: by };
  if ('chainId' in what) {
    const { chainId } = what;
    const nothing = { agent: '', model: '', root: chainId, head: '', status: 'ended' } as const;
    const numbers = { started_at: now, closed_at: 0, facts: 0 };
    const charge = { steps: 0, origin_steps: 0, tokens: 0, reserved_tokens: 0, unpriced_tokens: 0 };
    await tx
      .insertInto('archive_chains')
      .values({ namespace, chain_id: chainId, ...nothing, ...numbers, ...charge, ...erased })
      .onConflict((there) => there.columns(['namespace', 'chain_id']).doNothing())
      .execute();
    return;
  }
  const [name, kind] = 'user' in what ? [what.user, 'user' as const] : [what.tenant, 'tenant' as const];
  await tx
    .insertInto('archive_erasures')
    .values({ namespace, what: kind, name, ...erased })
    .onConflict((there) => there.columns(['namespace', 'what', 'name']).doUpdateSet(erased))
    .execute();
}

async function eraseChain(tx: StoreTransaction, { kind }: Store, id: number, { by, now }: EraseOptions): Promise<void> {
  const runs = await tx.selectFrom('archive_runs').where('chain', '=', id).select('id').execute();
  const numbers = runs.map((run) => run.id);
  await deleteWords(tx, kind, numbers);
  if (numbers.length > 0) {
    await tx.deleteFrom('archive_pages').where('run', 'in', numbers).execute();
    await tx.updateTable('archive_runs').set({ bytes: 0 }).where('id', 'in', numbers).execute();
  }
  const gone = { input: null, person: null, erased_at: now, erased_by: by };
  await tx.updateTable('archive_chains').set(gone).where('id', '=', id).execute();
}

/**
 * Reclaims the space of deleted rows, which stay in the file until they are overwritten. A failure here is not an error: the
 * content is erased, and reclaiming a large table may time out.
 */
async function reclaimSpace(store: Store): Promise<boolean> {
  const { db, kind } = store;
  try {
    if (kind === 'postgres') {
      for (const table of ['archive_pages', 'archive_chains', 'archive_words']) {
        await sql`vacuum ${sql.table(table)}`.execute(db);
      }
    } else {
      await shrink(store);
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    }
    return true;
  } catch (error) {
    if (isStoreError(error)) return false;
    throw error;
  }
}
