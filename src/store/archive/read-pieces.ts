/**
 * Reads archived runs page by page: whoever looks at the first steps of a long chain waits for those alone, and whoever reads
 * all of it holds no more of what was stored than a page.
 */

import type { RunPiece } from '../../contract/archived-runs.js';
import type { Store } from '../db/store.js';
import { DamagedRunError } from './errors.js';
import { type ChainKey, pagesFrom, type RunRow } from './run-rows.js';

/** @param rows of one chain, the oldest first. @throws DamagedRunError, StoreError */
export async function* readPieces(
  store: Store,
  key: ChainKey,
  rows: readonly RunRow[],
): AsyncGenerator<RunPiece, void> {
  for (const row of rows) {
    const missing = () => new DamagedRunError(key.chainId, row.run_id, null, store.place);
    let run: RunPiece['run'] | undefined;
    let turns = 0;
    for (let at = 0; at === 0 || turns < row.turns; at += 1) {
      const [page] = await pagesFrom(store, key, row, at, 1);
      run ??= page?.run;
      if (page === undefined || run === undefined) throw missing();
      turns += page.turns.length;
      yield { run, turns: page.turns, attempts: page.attempts, head: turns >= row.turns ? row.head : null };
    }
    if (turns !== row.turns) throw missing();
  }
}
