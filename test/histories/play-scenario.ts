/** Runs a scenario on a server with a separate worker, to record it. */

import { randomUUID } from 'node:crypto';
import { connect } from '../../src/client/connect.js';
import type { ChainHandle, Longhand } from '../../src/entries/client.js';
import type { LonghandWorkerOptions } from '../../src/entries/worker.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { createWorkerWithBundle } from '../../src/worker/open-worker.js';
import { startMessagesServer } from '../support/messages-server.js';
import { type Scenario, startScenario } from './scenarios.js';

export interface Stage {
  readonly address: string;
  /** The workflow bundle. */
  readonly code: string;
}

/** @param take reads the ended chain while its worker still runs */
export async function playScenario<T>(
  scenario: Scenario,
  { address, code }: Stage,
  take: (longhand: Longhand, chain: ChainHandle) => Promise<T>,
): Promise<T> {
  const taskQueue = `record-${randomUUID()}`;
  const models = await startMessagesServer(scenario.replies);
  const given: LonghandWorkerOptions = {
    agents: [scenario.agent],
    address,
    taskQueue,
    store: null,
    continueAfter: scenario.continueAfter,
    providers: [anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' })],
  };
  const worker = await createWorkerWithBundle(given, async () => ({ code }));
  const ended = worker.run();
  const longhand = await connect({ address, taskQueue, store: null });
  try {
    const chain = await startScenario(longhand, scenario);
    await scenario.during?.(chain, models, longhand);
    await chain.result();
    return await take(
      longhand,
      scenario.toChainId === undefined ? chain : longhand.getHandle(scenario.toChainId(chain.chainId)),
    );
  } finally {
    worker.shutdown();
    await ended;
    await longhand.close();
    await models.close();
  }
}
