/** The task as Longhand, in a process of its own. */

import { z } from 'zod';
import { defineAgent } from '../src/agents/define-agent.js';
import { anthropicProvider } from '../src/models/anthropic.js';
import { defineTool } from '../src/tools/define-tool.js';
import { createWorker } from '../src/worker/create-worker.js';
import { instructions, lookUp, maxTokens, model, tool } from './task.js';
import { places, quiet, serve } from './worker-process.js';

const lookUpPart = defineTool({
  name: tool.name,
  description: tool.description,
  input: z.object({ [tool.argument.name]: z.string().describe(tool.argument.description) }),
  effects: 'read',
  run: ({ part }) => lookUp(String(part)),
});

const stockTaking = {
  instructions,
  model,
  strategy: 'tools',
  tools: [lookUpPart],
  maxTokens,
  // Out of the way: the task's length is what ends it.
  limits: { steps: 100_000, tokens: 1_000_000_000, costUsd: 1_000_000, timeMs: 3_600_000, stallThreshold: 100_000 },
} as const;

const stockTaker = defineAgent({ ...stockTaking, name: 'stock_taker' });
/** Each of its look-ups has to be approved. */
const carefulTaker = defineAgent({ ...stockTaking, name: 'careful_taker', approval: { [tool.name]: true } });

quiet();
const { address, modelUrl, taskQueue } = places();
const { worker, run } = await createWorker({
  agents: [stockTaker, carefulTaker],
  provider: anthropicProvider({ baseURL: modelUrl, apiKey: 'none' }),
  address,
  taskQueue,
});
await serve(worker, run);
