/** The runs of a chain. A chain id may be used again, and a reset discards runs: others with the same id are not its runs. */

import { LonghandError } from '../../core/lib/index.js';
import { openRunsUpTo, stopRuns } from '../../history/index.js';
import { type ChainSource, toRunsSource } from './chain-source.js';

/** Returns the ids of the runs up to the source's, oldest first. @throws {MissingRunError} when a run is missing */
export async function listRunIds(source: ChainSource): Promise<readonly string[]> {
  if (source.archivedChain !== null) return [...source.archivedChain.listing.heads.keys()];
  const runs = await openRunsUpTo(toRunsSource(source), source.chainId, source.runId, 'onDemand');
  stopRuns(runs);
  return runs.map(({ runId }) => runId);
}

/**
 * Checks that a position to continue from is one of the chain: readers would else wait for a run that never comes.
 *
 * @throws {LonghandError} `invalid_cursor`
 */
export async function checkRun(source: ChainSource, { runId }: { readonly runId: string }): Promise<void> {
  if (runId === source.runId || (await listRunIds(source)).includes(runId)) return;
  throw new LonghandError(
    'invalid_cursor',
    'The position to continue from is not of this chain: its run does not exist, or was discarded. Read from the start.',
  );
}
