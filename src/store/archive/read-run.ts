/**
 * Reads archived runs: whole, or the first steps of a chain without the rest.
 *
 * What is read was proven by the checksums of its pages. Whether its facts are those that the workflow held, the digests in
 * it say to whoever verifies it.
 */

import { hash } from 'node:crypto';
import type { Chain } from '../../core/chain.js';
import type { ChainRun } from '../../core/chain-file.js';
import { completeSteps } from '../../core/complete-steps.js';
import { emptyRecord, record } from '../../core/entry.js';
import type { TakenTurn } from '../../core/refold.js';
import { emptyState } from '../../core/state.js';
import { takeTurn } from '../../core/turn.js';
import type { Store } from '../store.js';
import { DamagedRunError, ErasedChainError } from './errors.js';
import { unpackPage } from './packed.js';
import { type Page, runOf } from './pages.js';

export interface ChainKey {
  readonly namespace: string;
  readonly chainId: string;
}

/**
 * Null for a run that is not there.
 *
 * @throws DamagedRunError, ErasedChainError, StoreError
 */
export async function readRun(store: Store, key: ChainKey, runId: string): Promise<ChainRun | null> {
  const row = await findRun(store, key, runId);
  return row === null ? null : whole(store, key, row);
}

/** The run that closed last of those that are there. @throws as `readRun` */
export async function lastRun(store: Store, key: ChainKey): Promise<ChainRun | null> {
  const row = await findRun(store, key, null);
  return row === null ? null : whole(store, key, row);
}

/**
 * All runs of a chain up to the last one that is there, the oldest first; null for a chain that is not there.
 *
 * @throws as `readRun`; Error when a run before the last is missing
 */
export async function readRuns(store: Store, key: ChainKey): Promise<readonly ChainRun[] | null> {
  const rows = await rowsOf(store, key);
  return rows === null ? null : Promise.all(rows.map((row) => whole(store, key, row)));
}

export interface First {
  readonly chain: Chain;
  readonly turns: readonly TakenTurn[];
  /** Whether that is all there is. */
  readonly whole: boolean;
}

/** As much of a chain as holds its first steps. No more is read and folded than that needs. @throws as `readRuns` */
export async function readFirst(store: Store, key: ChainKey, steps: number): Promise<First | null> {
  const rows = await rowsOf(store, key);
  if (rows === null) return null;
  const turns: TakenTurn[] = [];
  let state = emptyState;
  const read = (isWhole: boolean): First => {
    const entries = turns.flatMap((turn) => turn.entries);
    return { chain: record(emptyRecord, state, entries), turns, whole: isWhole };
  };
  for (const row of rows) {
    for (let at = 0; ; at += 1) {
      const [page] = await pagesFrom(store, key, row, at, 1);
      if (page === undefined) break;
      for (const turn of page.turns) {
        if (completeSteps(state) >= steps && state.agent !== null) return read(false);
        const taken = takeTurn(state, turn.history, turn.facts, sha256);
        state = taken.state;
        turns.push({ ...turn, ...taken });
      }
    }
  }
  return read(true);
}

interface RunRow {
  readonly id: number;
  readonly run_id: string;
  readonly previous_run_id: string | null;
  readonly turns: number;
}

const runColumns = ['run.id', 'run.run_id', 'run.previous_run_id', 'run.turns'] as const;

/** @param runId null for the chain's last. @throws ErasedChainError */
async function findRun({ db }: Store, { namespace, chainId }: ChainKey, runId: string | null): Promise<RunRow | null> {
  const found = await db
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
  if (found === undefined) return null;
  if (found.erased_at !== null) throw new ErasedChainError(chainId, found.erased_at, found.erased_by);
  const { id, run_id, turns } = found;
  return id === null || run_id === null ? null : { ...found, id, run_id, turns: turns ?? 0 };
}

/** By the links from the last one back: what a reset left behind is none of them. */
async function rowsOf(store: Store, key: ChainKey): Promise<readonly RunRow[] | null> {
  const last = await findRun(store, key, null);
  if (last === null) return null;
  const rows = [last];
  for (let previous = last.previous_run_id; previous !== null; ) {
    const row = await findRun(store, key, previous);
    if (row === null) {
      throw new Error(
        `Chain ${key.chainId} goes on from run ${previous}, which is not in the archive (${store.place}).`,
      );
    }
    rows.unshift(row);
    previous = row.previous_run_id;
  }
  return rows;
}

async function whole(store: Store, key: ChainKey, row: RunRow): Promise<ChainRun> {
  const pages = await pagesFrom(store, key, row, 0);
  const run = runOf(pages);
  if (run === null || run.turns.length !== row.turns) {
    throw new DamagedRunError(key.chainId, row.run_id, null, store.place);
  }
  return run;
}

async function pagesFrom(
  { db, place }: Store,
  { chainId }: ChainKey,
  { id, run_id }: RunRow,
  from: number,
  most?: number,
): Promise<readonly Page[]> {
  const asked = db
    .selectFrom('archive_pages')
    .where('run', '=', id)
    .where('page', '>=', from)
    .orderBy('page')
    .select(['page', 'checksum', 'data']);
  const rows = await (most === undefined ? asked : asked.limit(most)).execute();
  return Promise.all(
    rows.map(async (packed) => {
      const page = await unpackPage(packed);
      if (page === null) throw new DamagedRunError(chainId, run_id, packed.page + 1, place);
      return page;
    }),
  );
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
