/**
 * Determinism: a chain that is replayed from its start at every workflow task goes just the same way, and the workflow
 * as it is now takes every turn that stored chains took.
 */

import { DefaultLogger, Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { continuedScenario, storedExpected, storedRuns } from '../../histories/continued.js';
import { begin, scenarios } from '../../histories/scenarios.js';
import { statusesOf, storedHistories } from '../../histories/stored.js';
import { withWorker } from '../../support/chain-test.js';
import { workflowBundlePath } from '../../support/temporal.js';

describe('a chain without a workflow cache', () => {
  it.each([...scenarios, continuedScenario])('ends as recorded: $name', async (scenario) => {
    const { agent, replies, during, continueAfter, ...expected } = scenario;
    const temporal = { maxCachedWorkflows: 0 };
    await withWorker(
      { agents: [agent], replies, temporal, worker: { continueAfter } },
      async ({ longhand, models, worker }) => {
        // A model call reads all of its chain, too.
        worker.forgetChains();
        const chain = await begin(longhand, scenario);
        await during?.(chain, models, longhand);
        expect(await chain.result()).toMatchObject(expected.comesTo);
        expect(statusesOf((await chain.describe()).chain)).toEqual(expected.calls);
      },
    );
  });
});

describe('a stored history', () => {
  it('exists for every scenario that is stored', () => {
    const stored = scenarios.filter(({ onlyLive }) => !onlyLive);
    expect(storedHistories().map(({ name }) => name)).toEqual(stored.map(({ name }) => name).sort());
  });

  it.each(storedHistories())('is replayed by the current workflow: $name', async ({ events, expected }) => {
    const bundle = { codePath: workflowBundlePath() };
    const options = { workflowBundle: bundle, logger: new DefaultLogger('ERROR') };
    await Worker.runReplayHistory(options, { events: [...events] }, expected.result.chainId);
  });

  it.each([1, 2, 3])('of run %i of a continued chain is replayed', async (run) => {
    const options = { workflowBundle: { codePath: workflowBundlePath() }, logger: new DefaultLogger('ERROR') };
    await Worker.runReplayHistory(
      options,
      { events: [...(storedRuns()[run - 1] ?? [])] },
      storedExpected().result.chainId,
    );
  });
});
