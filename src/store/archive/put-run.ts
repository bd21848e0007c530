/**
 * Puts a closed run into the archive.
 *
 * A1 Once and only once, however many workers put it at the same time: all of it in one transaction, or nothing. A run
 *    that is there is final.
 * A2 The chain's row is that of the run which closed last. A run that a reset has left behind stays, and is no part of
 *    the chain any more.
 * A3 What was erased stays so: of a run of an erased chain, or of a person or tenant who was erased since it began, come
 *    the digests, and no content.
 */

import type { Selectable } from 'kysely';
import { lockShared, type Store, type StoreTransaction, type Tables } from '../db/store.js';
import { type PackedPage, packPage } from './pack-page.js';
import { type Page, toPages } from './pages.js';
import type { ChainKey } from './run-rows.js';
import { insertWords } from './search-words.js';
import type { Segment } from './segment.js';

/** `there`: it was put before. `erased`: its digests are there now, and nothing else. */
export type PutResult = 'put' | 'there' | 'erased';

/**
 * @param also what belongs to it, in the same transaction; not called for a run that is there already. Of one whose content was
 *   erased before it came it is told so
 * @throws StoreError, and then nothing was put
 */
export async function putRun(
  store: Store,
  segment: Segment,
  also?: (tx: StoreTransaction, erasure: Erasure | null) => Promise<void>,
): Promise<PutResult> {
  if (await isArchived(store, segment, segment.run.runId)) return 'there';
  const pages: readonly PreparedPage[] = await Promise.all(
    toPages(segment.run).map(async (page) => ({ page, packed: await packPage(page) })),
  );
  return store.write(async (tx) => {
    // Whoever erases waits for those who put, and they for him.
    await lockShared(tx, store, erasureLockName);
    const chain = await lockChainRow(tx, segment);
    const erased = await findErasure(tx, chain, segment);
    const kept = erased === null ? pages : [];
    const run = await insertRun(tx, chain.id, segment, kept);
    if (run === null) return 'there';
    for (const [page, { page: content, packed }] of kept.entries()) {
      const row = { run, page, turns: content.turns.length, ...packed };
      await tx.insertInto('archive_pages').values(row).execute();
    }
    if (erased === null) await insertWords(tx, store.kind, run, segment.words);
    if (isLatest(chain, segment)) await updateLatestRun(tx, { chain: chain.id, run, erased }, segment);
    await also?.(tx, erased);
    return erased === null ? 'put' : 'erased';
  });
}

/** Held by whoever erases, and shared by all who put. */
export const erasureLockName = 'archive:erasure';

interface PreparedPage {
  readonly page: Page;
  readonly packed: PackedPage;
}

/** Most that are put twice were put long ago: they need not be read and packed to find out. */
export async function isArchived({ db }: Store, key: ChainKey, runId: string): Promise<boolean> {
  const found = await db
    .selectFrom('archive_runs as run')
    .innerJoin('archive_chains as chain', 'chain.id', 'run.chain')
    .where('chain.namespace', '=', key.namespace)
    .where('chain.chain_id', '=', key.chainId)
    .where('run.run_id', '=', runId)
    .select('run.id')
    .executeTakeFirst();
  return found !== undefined;
}

type ChainRow = Selectable<
  Pick<Tables['archive_chains'], 'id' | 'last_run' | 'closed_at' | 'facts' | 'erased_at' | 'erased_by'>
>;

/** Of the chain, or of all that a person or tenant had begun by then. */
export interface Erasure extends Pick<Tables['archive_erasures'], 'erased_at' | 'erased_by'> {
  readonly scope: 'chain' | 'user' | 'tenant';
}

/** Made where it is not there, and locked: two runs of a chain are put one after the other. */
async function lockChainRow(
  tx: StoreTransaction,
  { namespace, chainId, glance, run, after }: Segment,
): Promise<ChainRow> {
  const { agent, model, root, parent, startedAt, steps, tokens } = glance;
  const begun = { agent, model, root, parent, started_at: startedAt, closed_at: run.closedAt, steps, tokens };
  const row = {
    namespace,
    chain_id: chainId,
    status: 'running',
    ...begun,
    facts: after.facts,
    head: after.head,
  } as const;
  await tx
    .insertInto('archive_chains')
    .values(row)
    // Changing nothing, it takes the row's lock.
    .onConflict((there) => there.columns(['namespace', 'chain_id']).doUpdateSet({ namespace }))
    .execute();
  return tx
    .selectFrom('archive_chains')
    .where('namespace', '=', namespace)
    .where('chain_id', '=', chainId)
    .select(['id', 'last_run', 'closed_at', 'facts', 'erased_at', 'erased_by'])
    .executeTakeFirstOrThrow();
}

/** A3. Null where it was not erased since it began: a chain that was started anew under the same id is another one. */
async function findErasure(
  tx: StoreTransaction,
  chain: ChainRow,
  { namespace, chainId, glance }: Segment,
): Promise<Erasure | null> {
  const { user, tenant, startedAt } = glance;
  const { erased_at, erased_by } = chain;
  if (erased_at !== null && erased_at >= startedAt) return { erased_at, erased_by, scope: 'chain' };
  const above = await tx
    .selectFrom('archive_chains')
    .where('namespace', '=', namespace)
    .where('chain_id', 'in', ['', ...listAncestorIds(chainId)])
    .where('erased_at', '>=', startedAt)
    .select(['erased_at', 'erased_by'])
    .executeTakeFirst();
  if (above !== undefined && above.erased_at !== null) return { ...above, erased_at: above.erased_at, scope: 'chain' };
  const found = await tx
    .selectFrom('archive_erasures')
    .where('namespace', '=', namespace)
    .where('erased_at', '>=', startedAt)
    .where((it) =>
      it.or([
        it.and([it('what', '=', 'user'), it('name', '=', user ?? '')]),
        it.and([it('what', '=', 'tenant'), it('name', '=', tenant ?? '')]),
      ]),
    )
    .select(['erased_at', 'erased_by', 'what as scope'])
    .executeTakeFirst();
  return found ?? null;
}

/** Who erases a chain erases those that it began, which may be archived later than it. */
function listAncestorIds(chainId: string): readonly string[] {
  const parts = chainId.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Its number; null for one that is there already. */
async function insertRun(
  tx: StoreTransaction,
  chain: number,
  { run, previousRunId, before, after }: Segment,
  pages: readonly PreparedPage[],
): Promise<number | null> {
  const inserted = await tx
    .insertInto('archive_runs')
    .values({
      chain,
      run_id: run.runId,
      previous_run_id: previousRunId,
      closed: run.closed,
      closed_at: run.closedAt,
      facts_before: before.facts,
      head_before: before.head,
      facts: after.facts,
      head: after.head,
      turns: run.turns.length,
      bytes: pages.reduce((sum, { packed }) => sum + packed.data.length, 0),
      archived_at: Date.now(),
    })
    .onConflict((there) => there.columns(['chain', 'run_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted?.id ?? null;
}

/** A2. Of two that closed in the same millisecond, the one that came further. */
function isLatest(chain: ChainRow, { run, after }: Segment): boolean {
  if (chain.last_run === null) return true;
  return run.closedAt > chain.closed_at || (run.closedAt === chain.closed_at && after.facts > chain.facts);
}

async function updateLatestRun(
  tx: StoreTransaction,
  { chain, run, erased }: { readonly chain: number; readonly run: number; readonly erased: Erasure | null },
  segment: Segment,
): Promise<void> {
  const { glance, after, run: closed } = segment;
  const { user, outcome, input, startedAt, costUsd, agent, model, tenant, root, parent, steps, tokens } = glance;
  await tx
    .updateTable('archive_chains')
    .set({
      last_run: run,
      ...{ agent, model, tenant, root, parent, outcome, steps, tokens },
      cost_usd: costUsd,
      status: outcome === null ? 'running' : 'ended',
      person: erased === null ? user : null,
      input: erased === null ? JSON.stringify(input) : null,
      started_at: startedAt,
      closed_at: closed.closedAt,
      facts: after.facts,
      head: after.head,
      erased_at: erased?.erased_at ?? null,
      erased_by: erased?.erased_by ?? null,
    })
    .where('id', '=', chain)
    .execute();
}
