/** The archive of one namespace, as readers of chains ask for it. */

import type { ArchivedRuns } from '../../contract/archived-runs.js';
import type { Store } from '../db/store.js';
import { listArchived } from './list-chains.js';
import { readPieces } from './read-pieces.js';
import { readRun, wholeRuns } from './read-run.js';
import { runsOfChain } from './run-rows.js';

export function archivedRuns(store: Store, namespace: string): ArchivedRuns {
  return {
    run: (chainId, runId) => readRun(store, { namespace, chainId }, runId),
    chain: async (chainId) => {
      const key = { namespace, chainId };
      const rows = await runsOfChain(store, key);
      const last = rows?.at(-1);
      if (rows === null || last === undefined) return null;
      const [row] = (await listArchived(store, { namespace, chainId, limit: 1 })).chains;
      if (row === undefined) return null;
      const { agent, model, tenant, user, root, parent, outcome, input, startedAt, steps, tokens, costUsd } = row;
      return {
        lastRunId: last.run_id,
        listed: {
          glance: { agent, model, tenant, user, root, parent, outcome, input, startedAt, steps, tokens, costUsd },
          facts: row.facts,
          head: row.head,
          heads: new Map(rows.map((run) => [run.run_id, run.head])),
        },
        runs: () => wholeRuns(store, key, rows),
        pieces: () => readPieces(store, key, rows),
      };
    },
  };
}
