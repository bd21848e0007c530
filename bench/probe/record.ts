/** Records the chains that the workloads read, with this build's own worker, from the model of the caller. */

import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../src/client/read/recorded-chain.js';
import { formatHistoryJson } from '../../src/history/history-json.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { withLocalWorker } from '../rig/local-worker.js';
import { stockTaker } from '../rig/stock-taker.js';
import { taskOf } from '../rig/task.js';
import type { Recording } from './workloads.js';

/** Steps of the recorded chains, their answers included. */
const longSteps = 300;
const shortSteps = 40;

export interface RecordOptions {
  /** Host and port of a Temporal server. */
  readonly address: string;
  readonly taskQueue: string;
  readonly modelUrl: string;
}

export async function recordChains({ address, taskQueue, modelUrl }: RecordOptions): Promise<Recording> {
  const providers = [anthropicProvider({ baseURL: modelUrl, apiKey: 'none' })];
  return withLocalWorker({ address, taskQueue, agents: [stockTaker], providers }, async (longhand) => {
    const record = async (steps: number) => {
      const chain = await longhand.start(stockTaker, taskOf(steps - 1));
      await chain.result();
      const recorded = await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId));
      const made = recorded.chain.steps.length;
      if (made !== steps || recorded.runs.length !== 1 || recorded.events === null) {
        throw new Error(
          `The recorded chain has ${made} steps in ${recorded.runs.length} runs; expected ${steps} in 1.`,
        );
      }
      return formatHistoryJson(recorded.events);
    };
    return { long: await record(longSteps), short: await record(shortSteps) };
  });
}
