/**
 * Puts a closed run into the archive.
 *
 * A1 A run is archived exactly once, however many workers try: in one transaction, and never changed afterwards.
 * A2 The chain's row describes the run that closed last. A run that a reset left behind stays archived, but is no longer
 *    part of the chain.
 * A3 Erased content stays erased: when the chain was erased, or its person or tenant since it started, only the digests of
 *    a run are archived.
 */

import type { Selectable } from 'kysely';
import type { ModelTotal } from '../../core/model/index.js';
import type { ChainListItem, ToolUse } from '../../core/record/index.js';
import { lockShared, type Store, type StoreTransaction, type Tables } from '../db/store.js';
import { type Erasure, erasureLockName, findErasure } from './find-erasure.js';
import { type PackedPage, packPage } from './pack-page.js';
import { type Page, toPages } from './pages.js';
import type { ChainKey } from './run-rows.js';
import { insertWords } from './search-words.js';
import type { Segment } from './segment.js';

/** `alreadyArchived`: nothing was put. `erased`: only its digests were archived. */
export type PutResult = 'put' | 'alreadyArchived' | 'erased';

/**
 * Archives a run.
 *
 * @param also writes related rows in the same transaction; not called for a run that was archived before. It receives the
 *   erasure that covers the run, if any
 * @throws StoreError; then nothing was archived
 */
export async function putRun(
  store: Store,
  segment: Segment,
  also?: (tx: StoreTransaction, erasure: Erasure | null) => Promise<void>,
): Promise<PutResult> {
  if (await isArchived(store, segment, segment.run.runId)) return 'alreadyArchived';
  const pages: readonly PreparedPage[] = await Promise.all(
    toPages(segment.run).map(async (page) => ({ page, packed: await packPage(page) })),
  );
  return store.write(async (tx) => {
    // An erasure and an archiving transaction exclude each other.
    await lockShared(tx, store, erasureLockName);
    const chain = await lockChainRow(tx, segment);
    // A3.
    const erased = await findErasure(tx, { ...segment, ...segment.glance });
    const stored = erased === null ? pages : [];
    const run = await insertRun(tx, chain.id, segment, stored);
    if (run === null) return 'alreadyArchived';
    for (const [page, { page: content, packed }] of stored.entries()) {
      const row = { run, page, turns: content.turns.length, ...packed };
      await tx.insertInto('archive_pages').values(row).execute();
    }
    if (erased === null) await insertWords(tx, store.kind, run, segment.words);
    await insertToolUse(tx, run, segment.tools);
    await insertModelTotals(tx, run, segment.models);
    if (isLatest(chain, segment)) await updateLatestRun(tx, { chain: chain.id, run, erased }, segment);
    await also?.(tx, erased);
    return erased === null ? 'put' : 'erased';
  });
}

interface PreparedPage {
  readonly page: Page;
  readonly packed: PackedPage;
}

/** Most runs that are put twice were archived long ago: this check saves reading and packing them. */
export async function isArchived({ db }: Store, key: ChainKey, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('archive_runs as run')
    .innerJoin('archive_chains as chain', 'chain.id', 'run.chain')
    .where('chain.namespace', '=', key.namespace)
    .where('chain.chain_id', '=', key.chainId)
    .where('run.run_id', '=', runId)
    .select('run.id')
    .executeTakeFirst();
  return row !== undefined;
}

type ChainRow = Selectable<Pick<Tables['archive_chains'], 'id' | 'last_run' | 'closed_at' | 'facts'>>;

/** Creates the chain's row if needed and locks it, so that two runs of a chain are put one after the other. */
async function lockChainRow(
  tx: StoreTransaction,
  { namespace, server, chainId, glance, run, after }: Segment,
): Promise<ChainRow> {
  const { agent, model, root, parent, startedAt } = glance;
  const columns = {
    agent,
    model,
    root,
    parent,
    started_at: startedAt,
    closed_at: run.closedAt,
    ...toCharge(glance),
  };
  const row = {
    ...{ namespace, server },
    chain_id: chainId,
    status: 'running',
    ...columns,
    facts: after.facts,
    head: after.head,
  } as const;
  await tx
    .insertInto('archive_chains')
    .values(row)
    // An update that changes nothing locks the row.
    .onConflict((there) => there.columns(['namespace', 'chain_id']).doUpdateSet({ namespace }))
    .execute();
  return tx
    .selectFrom('archive_chains')
    .where('namespace', '=', namespace)
    .where('chain_id', '=', chainId)
    .select(['id', 'last_run', 'closed_at', 'facts'])
    .executeTakeFirstOrThrow();
}

/** Returns the columns of a chain's own steps and tokens. */
function toCharge({ steps, originSteps, tokens, reservedTokens, unpricedTokens }: ChainListItem) {
  const parts = { reserved_tokens: reservedTokens, unpriced_tokens: unpricedTokens };
  return { steps, origin_steps: originSteps, tokens, ...parts };
}

/** Returns the number of the new row; null when the run was archived before. */
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

async function insertToolUse(tx: StoreTransaction, run: number, tools: readonly ToolUse[]): Promise<void> {
  if (tools.length === 0) return;
  const rows = tools.map(({ durationMs, costUsd, ...used }) => ({
    ...{ run, ...used },
    ...{ duration_ms: durationMs, cost_usd: costUsd },
  }));
  await tx.insertInto('archive_tools').values(rows).execute();
}

async function insertModelTotals(tx: StoreTransaction, run: number, models: readonly ModelTotal[]): Promise<void> {
  if (models.length === 0) return;
  const rows = models.map(({ model, calls, tokens, reservedTokens, unpricedTokens, usd }) => ({
    ...{ run, model: model ?? '', calls, tokens },
    ...{ reserved_tokens: reservedTokens, unpriced_tokens: unpricedTokens, cost_usd: usd },
  }));
  await tx.insertInto('archive_models').values(rows).execute();
}

/** A2. Of two runs that closed in the same millisecond, the one with more facts is later. */
function isLatest(chain: ChainRow, { run, after }: Segment): boolean {
  if (chain.last_run === null) return true;
  return run.closedAt > chain.closed_at || (run.closedAt === chain.closed_at && after.facts > chain.facts);
}

async function updateLatestRun(
  tx: StoreTransaction,
  { chain, run, erased }: { readonly chain: number; readonly run: number; readonly erased: Erasure | null },
  segment: Segment,
): Promise<void> {
  const { server, glance, after, run: closed } = segment;
  const { user, outcome, input, startedAt, costUsd, agent, agentVersion, model, tenant, root, parent, thread } = glance;
  await tx
    .updateTable('archive_chains')
    .set({
      ...{ last_run: run, server },
      ...{ strategy: glance.strategy, plan_template: glance.planTemplate, prompt: glance.prompt },
      ...{ agent, agent_version: agentVersion, model, tenant, root, parent, thread, outcome },
      ...toCharge(glance),
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
