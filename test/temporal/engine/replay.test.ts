/**
 * Determinism: a chain that is replayed from its start at every workflow task ends the same, and the current workflow takes
 * every turn of the stored histories again.
 */

import { DefaultLogger, Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { continuedScenario, readStoredExpected, readStoredRuns } from '../../histories/continued.js';
import { scenarios, startScenario } from '../../histories/scenarios.js';
import { listStatuses, readStoredHistories } from '../../histories/stored.js';
import { withWorker } from '../../support/chain-test.js';
import { getWorkflowBundlePath } from '../../support/temporal.js';

describe('a chain without a workflow cache', () => {
  it.each([...scenarios, continuedScenario])('ends as recorded: $name', async (scenario) => {
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
        expect(listStatuses((await chain.describe()).chain)).toEqual(expected.statuses);
      },
    );
  });
});

describe('a stored history', () => {
  it('exists for every scenario that is stored', () => {
    const stored = scenarios.filter(({ onlyLive }) => !onlyLive);
    expect(readStoredHistories().map(({ name }) => name)).toEqual(stored.map(({ name }) => name).sort());
  });

  it.each(readStoredHistories())('is replayed by the current workflow: $name', async ({ events, expected }) => {
    const bundle = { codePath: getWorkflowBundlePath() };
    const options = { workflowBundle: bundle, logger: new DefaultLogger('ERROR') };
    await Worker.runReplayHistory(options, { events: [...events] }, expected.result.chainId);
  });

  it.each([1, 2, 3])('of run %i of a continued chain is replayed', async (run) => {
    const options = { workflowBundle: { codePath: getWorkflowBundlePath() }, logger: new DefaultLogger('ERROR') };
    await Worker.runReplayHistory(
      options,
      { events: [...(readStoredRuns()[run - 1] ?? [])] },
      readStoredExpected().result.chainId,
    );
  });
});
