/**
 * Reads archived runs whole.
 *
 * What is read was proven by the checksums of its pages. Whether its facts are those that the workflow held, the digests in
 * it say to whoever verifies it.
 */

import type { ChainRun } from '../../core/record/chain-file.js';
import type { Store } from '../db/store.js';
import { DamagedRunError } from './errors.js';
import { runOf } from './pages.js';
import { type ChainKey, findRun, pagesFrom, type RunRow, runsOfChain } from './run-rows.js';

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
  const rows = await runsOfChain(store, key);
  return rows === null ? null : wholeRuns(store, key, rows);
}

/** @throws DamagedRunError, StoreError */
export function wholeRuns(store: Store, key: ChainKey, rows: readonly RunRow[]): Promise<readonly ChainRun[]> {
  return Promise.all(rows.map((row) => whole(store, key, row)));
}

async function whole(store: Store, key: ChainKey, row: RunRow): Promise<ChainRun> {
  const pages = await pagesFrom(store, key, row, 0);
  const run = runOf(pages);
  if (run === null || run.turns.length !== row.turns) {
    throw new DamagedRunError(key.chainId, row.run_id, null, store.place);
  }
  return run;
}
