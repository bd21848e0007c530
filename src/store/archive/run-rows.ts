/** Reads the archived runs of a chain and their stored pages; the errors of runs that cannot be read. */

import { LonghandError } from '../../core/lib/index.js';
import type { Store } from '../db/store.js';
import { ErasedChainError } from './erased-chain-error.js';
import { unpackPage } from './pack-page.js';
import type { Page } from './pages.js';

export interface ChainKey {
  readonly namespace: string;
  readonly chainId: string;
}

export interface RunRow {
  readonly id: number;
  readonly run_id: string;
  readonly previous_run_id: string | null;
  readonly turns: number;
  readonly head: string;
}

const runColumns = ['run.id', 'run.run_id', 'run.previous_run_id', 'run.turns', 'run.head'] as const;

/** @param runId null for the run that closed last. @throws ErasedChainError, StoreError */
export async function findRun(
  { db }: Store,
  { namespace, chainId }: ChainKey,
  runId: string | null,
): Promise<RunRow | null> {
  const row = await db
    .selectFrom('archive_chains as chain')
    .leftJoin('archive_runs as run', (join) =>
      runId === null
        ? join.onRef('run.id', '=', 'chain.last_run')
        : join.onRef('run.chain', '=', 'chain.id').on('run.run_id', '=', runId),
    )
    .where('chain.namespace', '=', namespace)
    .where('chain.chain_id', '=', chainId)
    .select([...runColumns, 'chain.erased_at', 'chain.erased_by'])
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.erased_at !== null) throw new ErasedChainError(chainId, row.erased_at, row.erased_by);
  const { id, run_id, turns, head } = row;
  return id === null || run_id === null ? null : { ...row, id, run_id, turns: turns ?? 0, head: head ?? '' };
}

/**
 * Lists the runs of a chain, the oldest first. It follows the links back from the last run, so that a run which a reset
 * left behind is not included.
 *
 * @throws as `findRun`; LonghandError `run_not_found` when a run before the last is missing
 */
export async function listRuns(store: Store, key: ChainKey): Promise<readonly RunRow[] | null> {
  const last = await findRun(store, key, null);
  if (last === null) return null;
  const rows = [last];
  for (let previous = last.previous_run_id; previous !== null; ) {
    const row = await findRun(store, key, previous);
    if (row === null) {
      throw new LonghandError(
        'run_not_found',
        `Run ${previous} of chain ${key.chainId} is not in the archive (${store.location}), although a later run continues it.`,
      );
    }
    rows.unshift(row);
    previous = row.previous_run_id;
  }
  return rows;
}

/** @param max number of pages; default: all that follow. @throws DamagedRunError, StoreError */
export async function readPages(
  { db, location }: Store,
  { chainId }: ChainKey,
  { id, run_id }: RunRow,
  from: number,
  max?: number,
): Promise<readonly Page[]> {
  const query = db
    .selectFrom('archive_pages')
    .where('run', '=', id)
    .where('page', '>=', from)
    .orderBy('page')
    .select(['page', 'checksum', 'data']);
  const rows = await (max === undefined ? query : query.limit(max)).execute();
  return Promise.all(
    rows.map(async (packed) => {
      const page = await unpackPage(packed);
      if (page === null) throw new DamagedRunError(chainId, run_id, packed.page + 1, location);
      return page;
    }),
  );
}

/** The stored run differs from what was written: the disk failed, or the rows were altered. */
export class DamagedRunError extends LonghandError {
  override readonly name = 'DamagedRunError';

  /** @param page from 1; null where pages are missing */
  constructor(chainId: string, runId: string, page: number | null, place: string) {
    const what = page === null ? 'A page' : `Page ${page}`;
    super(
      'run_damaged',
      `${what} of run ${runId} of chain ${chainId} is ${page === null ? 'missing' : 'damaged'} in the archive (${place}). Restore a backup of the store.`,
    );
  }
}
