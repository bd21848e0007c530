/** The workflow of `@temporalio/ai-sdk`: the AI SDK's own loop, with its model and its tool as activities. */

import { TemporalProvider } from '@temporalio/ai-sdk/workflow';
import { proxyActivities } from '@temporalio/workflow';
import { tool as defineTool, generateText, isStepCount } from 'ai';
import { z } from 'zod';

// The plugin sends no heartbeat from a model call without streaming.
const { look_up_part } = proxyActivities({ startToCloseTimeout: '1m' });
const provider = new TemporalProvider({ languageModel: { startToCloseTimeout: '1m' } });

export async function takeStock(task, { instructions, model, maxTokens, tool }) {
  const { text } = await generateText({
    model: provider.languageModel(model),
    instructions,
    prompt: task,
    maxOutputTokens: maxTokens,
    stopWhen: isStepCount(100_000),
    tools: {
      [tool.name]: defineTool({
        description: tool.description,
        inputSchema: z.object({ part: z.string().describe(tool.argument.description) }),
        execute: ({ part }) => look_up_part(part),
      }),
    },
  });
  return text;
}
