/** LangGraph.js: its prebuilt agent, with a checkpointer that writes each step before the next one begins. */

import { ChatAnthropic } from '@langchain/anthropic';
import { tool as defineTool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { z } from 'zod';
import { instructions, lookUp, maxTokens, model, tool } from '../../rig/task.ts';
import { readPlaces, serve } from './serve.mjs';

const { modelUrl, sqliteFile, postgresUrl } = readPlaces();

async function openCheckpointer() {
  if (postgresUrl !== undefined) {
    const saver = PostgresSaver.fromConnString(postgresUrl);
    await saver.setup();
    return saver;
  }
  // Compiled for one version of Node: not loaded for Postgres.
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  return SqliteSaver.fromConnString(sqliteFile);
}

const agent = createReactAgent({
  llm: new ChatAnthropic({ model, maxTokens, apiKey: 'none', anthropicApiUrl: modelUrl, maxRetries: 0 }),
  tools: [
    defineTool(async ({ part }) => lookUp(part), {
      name: tool.name,
      description: tool.description,
      schema: z.object({ part: z.string().describe(tool.argument.description) }),
    }),
  ],
  prompt: instructions,
  checkpointer: await openCheckpointer(),
});

const options = (id) => ({ configurable: { thread_id: id }, recursionLimit: 10_000, durability: 'sync' });
const hasAnswered = ({ messages }) => /^All \d+ parts/.test(messages.at(-1).text);

serve({
  run: async (id, task) =>
    hasAnswered(await agent.invoke({ messages: [{ role: 'user', content: task }] }, options(id))),
  // The caller has to know which threads were interrupted.
  resume: async (id) => hasAnswered(await agent.invoke(null, options(id))),
});
