/** A worker on a server that a test restarts. */

import { anthropicProvider } from '../../src/entries/models.js';
import type { Agent } from '../../src/index.js';
import { createWorkerWithBundle } from '../../src/worker/open-worker.js';
import { getWorkflowBundlePath } from './temporal.js';

/** Starts a worker of one agent, whose errors are ignored: its server ends while it runs. */
export async function startWorkerAt(
  address: string,
  agent: Agent,
  modelUrl: string,
): Promise<{ readonly stop: () => Promise<void> }> {
  const providers = [anthropicProvider({ name: 'anthropic', baseURL: modelUrl, apiKey: 'test' })];
  const bundle = { codePath: getWorkflowBundlePath() };
  const worker = await createWorkerWithBundle({ agents: [agent], address, providers }, async () => bundle);
  const ended = worker.run().catch(() => {});
  return {
    stop: async () => {
      worker.shutdown();
      await ended;
    },
  };
}
