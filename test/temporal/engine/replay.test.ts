/**
 * Determinism: a chain that is replayed from its start at every workflow task ends the same, and the current workflow takes
 * every turn of the stored histories again.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { continuedScenario, readStoredExpected, readStoredRuns } from '../../histories/continued.js';
import { scenarios, startScenario } from '../../histories/scenarios.js';
import { listStatuses, readStoredHistories, releases } from '../../histories/stored.js';
import { isLong } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { replayRuns } from '../../support/replays.js';
import { getWorkflowBundlePath } from '../../support/temporal.js';

/** In the short form, calls in parallel, people, sub-chains and several runs; test/history/every-task.test.ts replays the stored others. */
const live = [...scenarios, continuedScenario].filter(
  ({ name }) => isLong || ['parallel-tools', 'local-calls', 'people-decide', 'sub-chain', 'continued'].includes(name),
);

describe('a chain without a workflow cache', () => {
  it.each(live)('ends as recorded: $name', async (scenario) => {
    const { agent, replies, during, continueAfter, ...expected } = scenario;
    const temporal = { maxCachedWorkflows: 0 };
    await withWorker(
      { agents: [agent], replies, temporal, worker: { continueAfter } },
      async ({ longhand, models, worker }) => {
        // Model calls also read their chain from the start.
        worker.forgetChains();
        const chain = await startScenario(longhand, scenario);
        await during?.(chain, models, longhand);
        expect(await chain.result()).toMatchObject(expected.result);
        expect(listStatuses(await chain.read())).toEqual(expected.statuses);
      },
    );
  });
});

describe('a stored history', () => {
  const stored = releases.flatMap(readStoredHistories);
  const runs = releases.flatMap((release) =>
    readStoredRuns(release).map((events, at) => ({ release, run: at + 1, events })),
  );
  let replayed: ReadonlyMap<string, Error | null> = new Map();
  beforeAll(async () => {
    const workflowBundle = { codePath: getWorkflowBundlePath() };
    replayed = await replayRuns({ workflowBundle }, [
      ...stored.map(({ release, name, events, expected }) => ({
        ...{ name: `${release}/${name}`, chainId: expected.result.chainId, events },
      })),
      ...runs.map(({ release, run, events }) => ({
        ...{ name: `${release}/run ${run}`, chainId: readStoredExpected(release).result.chainId, events },
      })),
    ]);
  });

  it('exists for every scenario that is stored', () => {
    const expected = scenarios.filter(({ onlyLive }) => !onlyLive).map(({ name }) => name);
    expect(readStoredHistories().map(({ name }) => name)).toEqual(expected.sort());
  });

  it.each(stored)('is replayed by the current workflow: $release/$name', ({ release, name }) => {
    expect(replayed.get(`${release}/${name}`)).toBeNull();
  });

  it.each(runs)('of run $run of a continued chain of $release is replayed', ({ release, run }) => {
    expect(replayed.get(`${release}/run ${run}`)).toBeNull();
  });
});
