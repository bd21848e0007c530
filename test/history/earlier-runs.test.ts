/** Earlier runs of a chain, from an archive and a server that have them, lack them, or fail. */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ArchivedRuns } from '../../src/contract/archived-runs.js';
import { readClosedRun } from '../../src/history/closed-run.js';
import {
  findPreviousRunId,
  type RunsSource,
  readRunsUpTo,
  readRunWithEarlier,
} from '../../src/history/earlier-runs.js';
import type { HistoryService, RunReference } from '../../src/history/read-history.js';
import { ErasedChainError } from '../../src/store/archive/erased-chain-error.js';
import { DamagedRunError } from '../../src/store/archive/run-rows.js';
import { StoreError } from '../../src/store/db/errors.js';
import { readStoredRuns } from '../histories/continued.js';
import { converter } from '../histories/stored.js';
import { matchError } from '../support/match-error.js';
import { createPagedHistory } from '../support/paged-history.js';

const [first = [], second = [], third = []] = readStoredRuns();
const chainId = 'travel-1';
const firstId = (await findPreviousRunId(second[0], converter)) ?? '';
const secondId = (await findPreviousRunId(third[0], converter)) ?? '';
const runs = new Map([
  [firstId, first],
  [secondId, second],
  ['last', third],
]);

/** A server with some of the runs, and an archive that is empty or fails. */
function sourceOf(runIds: readonly string[], failing: Error | null) {
  const getWorkflowExecutionHistory = async ({ execution }: { readonly execution: RunReference }) => {
    const { runId } = execution;
    if (!runIds.includes(runId)) throw Object.assign(new Error('Workflow not found'), { code: 5 });
    return { history: { events: runs.get(runId) } };
  };
  const history = { namespace: 'default', service: { getWorkflowExecutionHistory } } as unknown as HistoryService;
  const answer = async () => {
    if (failing !== null) throw failing;
    return null;
  };
  const archived: ArchivedRuns = { findRun: answer, findChain: answer };
  return { history, converter, archived };
}

const down = new StoreError(
  'unavailable',
  'The store postgres://db/longhand does not answer. Check that it is running.',
);
const damaged = new DamagedRunError(chainId, firstId, 1, 'postgres://db/longhand');
const erased = new ErasedChainError(chainId, 0, null);
const failures = [
  ['is down', down],
  ['has damaged ones', damaged],
  ['has erased them', erased],
] as const;

describe('earlier runs', () => {
  it.each(failures)('are read from the server if the archive %s', async (_how, failing) => {
    const runs = await readRunsUpTo(sourceOf([firstId, secondId], failing), chainId, secondId);
    expect(runs.map(({ run }) => run.runId)).toEqual([firstId, secondId]);
    expect(runs.at(-1)?.chain.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it.each(failures)('are not reported as missing if the server lacks one and the archive %s', async (_how, failing) => {
    await expect(readRunsUpTo(sourceOf([secondId], failing), chainId, secondId)).rejects.toBe(failing);
  });

  it('are missing when neither has them', async () => {
    await expect(readRunsUpTo(sourceOf([secondId], null), chainId, secondId)).rejects.toThrow(
      matchError('run_not_found', firstId),
    );
  });
});

describe('the runs of a chain', () => {
  it('are fetched side by side: a run is found while the runs after it still arrive', async () => {
    const asked = new Set<string>();
    let release = () => {};
    const allAsked = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Pages after the first of a run arrive only when all runs were asked for.
    const { service } = createPagedHistory(runs, async ({ runId, eventIds }) => {
      asked.add(runId);
      if (asked.size === runs.size) release();
      if (!eventIds.includes(1)) await allAsked;
    });
    const source: RunsSource = { history: { service, namespace: 'default' }, converter, archived: null };
    const { events, earlier } = await readRunWithEarlier(source, { workflowId: chainId, runId: 'last' });
    expect(events).toEqual(third);
    expect(earlier.map(({ run }) => run.runId)).toEqual([firstId, secondId]);
    expect(earlier.at(-1)?.chain.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('are no longer fetched after one of them is missing', async () => {
    const partial = new Map([...runs].filter(([runId]) => runId !== firstId));
    const history = createPagedHistory(partial);
    const source: RunsSource = {
      history: { service: history.service, namespace: 'default' },
      converter,
      archived: null,
    };
    await expect(readRunsUpTo(source, chainId, secondId)).rejects.toThrow(matchError('run_not_found', firstId));
    const then = history.requested.length;
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    // The page under way, and the one that its reader prefetches.
    expect(history.requested.length).toBeLessThanOrEqual(then + 2);
  });
});

describe('a closed run whose earlier runs the server has deleted', () => {
  const last = { workflowId: chainId, runId: 'last' };

  it('is not read while the archive is down, since it may have them', async () => {
    await expect(readClosedRun(sourceOf(['last'], down), last)).rejects.toBe(down);
  });

  it.each([
    ['are missing', null],
    ['are damaged', damaged],
    ['were erased', erased],
  ])('is read alone when they %s', async (_how, failing) => {
    const read = await readClosedRun(sourceOf(['last'], failing), last);
    expect(read?.before?.steps).toEqual([]);
    expect(read?.chain.steps.map(({ number }) => number)).toEqual([5]);
  });
});
