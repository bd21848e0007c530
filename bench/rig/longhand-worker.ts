/** The task as Longhand, in a process of its own. */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { mapAgent } from '../../src/agents/delegate.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { createWorker } from '../../src/worker/create-worker.js';
import * as counting from './counting-task.js';
import { instructions, lookUp, maxTokens, model, tool } from './task.js';
import { quietRuntime, readPlaces, serve } from './worker-process.js';

const lookUpPart = defineTool({
  name: tool.name,
  description: tool.description,
  inputSchema: z.object({ [tool.argument.name]: z.string().describe(tool.argument.description) }),
  effects: 'read',
  execute: ({ part }) => lookUp(String(part)),
});

const stockTaking = {
  instructions,
  model,
  strategy: 'tools',
  tools: [lookUpPart],
  maxTokens,
  // Out of the way: the task's length is what ends it.
  limits: { steps: 100_000, tokens: 1_000_000_000, costUsd: 1_000_000, time: '1h', stallThreshold: 100_000 },
} as const;

const stockTaker = defineAgent({ ...stockTaking, name: 'stock_taker' });
/** Each of its look-ups has to be approved. */
const carefulTaker = defineAgent({ ...stockTaking, name: 'careful_taker', approval: { [tool.name]: true } });

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
const { address, modelUrl, taskQueue, continueAfterEvents } = readPlaces();
const worker = await createWorker({
  agents: [stockTaker, carefulTaker, foreman],
  providers: [anthropicProvider({ baseURL: modelUrl, apiKey: 'none' })],
  address,
  taskQueue,
  // Ignores the environment: rows of different runs must be comparable.
  continueAfter: continueAfterEvents === null ? {} : { events: continueAfterEvents },
  store: null,
});
await serve(worker, worker.run);
