/**
 * Reads archived runs of one namespace: completely, or page by page, so that the first steps of a long chain do not wait for
 * the rest and a reader holds only one stored page.
 *
 * The checksums of the pages detect damage. That the facts are the workflow's facts is proven by their digests, which
 * readers may verify.
 */

import type { ArchivedRuns, RunPiece } from '../../contract/index.js';
import type { ChainRun } from '../../core/record/index.js';
import type { Store } from '../db/store.js';
import { joinPages } from './pages.js';
import { queryArchive } from './query-archive.js';
import { type ChainKey, DamagedRunError, findRun, listRuns, type RunRow, readPages } from './run-rows.js';

/** Creates the archive reader of one namespace. */
export function createArchiveReader(store: Store, namespace: string): ArchivedRuns {
  return {
    findRun: (chainId, runId) => readRun(store, { namespace, chainId }, runId),
    findChain: async (chainId) => {
      const key = { namespace, chainId };
      const rows = await listRuns(store, key);
      const last = rows?.at(-1);
      if (rows === null || last === undefined) return null;
      const [row] = (await queryArchive(store, { namespace, chainId, limit: 1 })).chains;
      if (row === undefined) return null;
      const { agent, agentVersion, model, tenant, user, root, parent, thread, outcome, input, startedAt } = row;
      const { strategy, planTemplate, prompt } = row;
      const { steps, originSteps, tokens, reservedTokens, costUsd, unpricedTokens } = row;
      const charge = { steps, originSteps, tokens, reservedTokens, costUsd, unpricedTokens };
      return {
        lastRunId: last.run_id,
        listing: {
          glance: {
            ...{ agent, agentVersion, model, tenant, user, root, parent, thread, outcome, input, startedAt },
            ...{ strategy, planTemplate, prompt },
            ...charge,
          },
          facts: row.facts,
          head: row.head,
          heads: new Map(rows.map((run) => [run.run_id, run.head])),
        },
        readRuns: () => assembleRuns(store, key, rows),
        readPieces: () => readPieces(store, key, rows),
      };
    },
  };
}

/**
 * Reads one run; null when it is not archived.
 *
 *
 * @throws DamagedRunError, ErasedChainError, StoreError
 */
export async function readRun(store: Store, key: ChainKey, runId: string): Promise<ChainRun | null> {
  const row = await findRun(store, key, runId);
  return row === null ? null : assembleRun(store, key, row);
}

/** Reads the archived run that closed last. @throws as `readRun` */
export async function readLastRun(store: Store, key: ChainKey): Promise<ChainRun | null> {
  const row = await findRun(store, key, null);
  return row === null ? null : assembleRun(store, key, row);
}

/**
 * Reads all runs of a chain up to the last archived one, the oldest first; null when the chain is not archived.
 *
 * @throws as `readRun`; LonghandError `run_not_found` when a run before the last is missing
 */
export async function readRuns(store: Store, key: ChainKey): Promise<readonly ChainRun[] | null> {
  const rows = await listRuns(store, key);
  return rows === null ? null : assembleRuns(store, key, rows);
}

/** @throws DamagedRunError, StoreError */
function assembleRuns(store: Store, key: ChainKey, rows: readonly RunRow[]): Promise<readonly ChainRun[]> {
  return Promise.all(rows.map((row) => assembleRun(store, key, row)));
}

async function assembleRun(store: Store, key: ChainKey, row: RunRow): Promise<ChainRun> {
  const pages = await readPages(store, key, row, 0);
  const run = joinPages(pages);
  if (run === null || run.turns.length !== row.turns) {
    throw new DamagedRunError(key.chainId, row.run_id, null, store.location);
  }
  return run;
}

/** Reads runs page by page. @param rows of one chain, the oldest first. @throws DamagedRunError, StoreError */
async function* readPieces(store: Store, key: ChainKey, rows: readonly RunRow[]): AsyncGenerator<RunPiece, void> {
  for (const row of rows) {
    const missing = () => new DamagedRunError(key.chainId, row.run_id, null, store.location);
    let run: RunPiece['run'] | undefined;
    let turns = 0;
    for (let at = 0; at === 0 || turns < row.turns; at += 1) {
      const [page] = await readPages(store, key, row, at, 1);
      run ??= page?.run;
      if (page === undefined || run === undefined) throw missing();
      turns += page.turns.length;
      yield { run, turns: page.turns, attempts: page.attempts, head: turns >= row.turns ? row.head : null };
    }
    if (turns !== row.turns) throw missing();
  }
}
