/** The archive of one namespace, as readers of chains ask for it. */

import type { ArchivedRuns } from '../../contract/archived-runs.js';
import type { Store } from '../store.js';
import { readRun, readRuns } from './read-run.js';

export function archivedRuns(store: Store, namespace: string): ArchivedRuns {
  return {
    run: (chainId, runId) => readRun(store, { namespace, chainId }, runId),
    runs: (chainId) => readRuns(store, { namespace, chainId }),
  };
}
