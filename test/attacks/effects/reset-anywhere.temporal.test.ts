/**
 * L5 over the graph of all runs of a chain: resets of any run at any workflow task, across continue-as-new, while runs are open
 * or closed, and resets of runs that resets created. The seed is fixed. Each test tries as many scenarios as fit into 12
 * seconds, and more on a slow machine until a reset needed a decision; the environment can set their number instead:
 *
 *     LONGHAND_TEST_LONG=1 LONGHAND_RESET_SCENARIOS=400 LONGHAND_RESET_SEED=7 npx vitest run reset-anywhere
 */

import { expect, it } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { withWorker } from '../../support/chain-test.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { type Counted, createScenarios } from './reset-scenarios.js';

const requested = Number(process.env.LONGHAND_RESET_SCENARIOS ?? 0);
const scenarios = requested || 24;
const shortMs = 12_000;
const seed = Number(process.env.LONGHAND_RESET_SEED ?? 1);
const atOnce = 4;

it.each([[1], [2], [1_000]])(
  'no reset repeats an unsafe effect without a decision by a person, if chains continue as new after %i steps',
  async (steps) => {
    const { agent, replies, run } = createScenarios();
    const counted: Counted = {
      scenarios: 0,
      resets: 0,
      effects: 0,
      decisions: 0,
      needlessDecisions: 0,
      runs: 0,
      repeated: [],
    };
    const worker = { continueAfter: { steps } };
    await withWorker({ agents: [agent], replies, worker }, async ({ taskQueue }) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue });
      const share = Math.ceil(scenarios / 3);
      const end = requested > 0 ? Number.POSITIVE_INFINITY : Date.now() + shortMs;
      for (let from = 0; from < share && (Date.now() < end || counted.decisions === 0); from += atOnce) {
        const some = Array.from({ length: Math.min(atOnce, share - from) }, (_, at) => from + at);
        await Promise.all(
          some.map((at) => run(longhand, `${steps}-${at}`, seed * 100_000 + steps * 1_000 + at, counted)),
        );
      }
      await longhand.close();
    });
    if (requested > 0) console.info(`continue after ${steps}`, { ...counted });
    expect(counted.repeated).toEqual([]);
    expect(counted.resets).toBeGreaterThan(0);
    expect(counted.decisions).toBeGreaterThan(0);
  },
  Math.max(60_000, scenarios * 6_000),
);
