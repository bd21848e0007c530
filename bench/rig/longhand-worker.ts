/** The task as Longhand, in a process of its own. */

import { defineAgent } from '../../src/agents/define-agent.js';
import { mapAgent } from '../../src/agents/delegate.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { findWorkflowBundle } from '../../src/worker/bundle.js';
import { limitHeapGrowth } from '../../src/worker/heap-growth.js';
import { createWorkerWithBundle } from '../../src/worker/open-worker.js';
import * as counting from './counting-task.js';
import { carefulTaker, emptyTaker, localTaker, narrowTaker, stockTaker, unsafeTaker } from './stock-taker.js';
import { maxTokens, model, narrowModel, narrowTokens, speaker } from './task.js';
import { noFolds, quietRuntime, readPlaces, serve } from './worker-process.js';

const answering = { model, strategy: 'tools', maxTokens } as const;
const counter = defineAgent({ ...answering, ...counting.counter });
const foreman = defineAgent({
  ...answering,
  ...counting.foreman,
  tools: [mapAgent(counter, { concurrency: 1_000, maxTasks: 1_000 })],
  // Out of the way, as above.
  limits: { tokens: 1_000_000_000, costUsd: 1_000_000, chains: 100_000 },
});

quietRuntime();
// A built worker measures the memory of `longhand worker`.
if (import.meta.url.endsWith('.mjs')) limitHeapGrowth();
const { address, modelUrl, taskQueue, continueAfterEvents, store = null } = readPlaces();
const folds = { ...noFolds };
const worker = await createWorkerWithBundle(
  {
    agents: [stockTaker, localTaker, emptyTaker, narrowTaker, carefulTaker, unsafeTaker, foreman, defineAgent(speaker)],
    models: { [narrowModel]: { id: model, contextTokens: narrowTokens } },
    providers: [anthropicProvider({ baseURL: modelUrl, apiKey: 'none' })],
    address,
    taskQueue,
    // Ignores the environment: rows of different runs must be comparable.
    continueAfter: continueAfterEvents === null ? {} : { events: continueAfterEvents },
    store,
    onFold: ({ source, bytes }) => {
      folds[source] += 1;
      folds.readBytes += bytes;
    },
  },
  () => findWorkflowBundle(),
);
await serve(worker, worker.run, () => ({ ...folds }));
