/** The activities of the hand-written loop. */

import Anthropic from '@anthropic-ai/sdk';
import { Context } from '@temporalio/activity';
import { instructions, lookUp, maxTokens, model, tool } from '../task.js';

const look_up_part: Anthropic.Tool = {
  name: tool.name,
  description: tool.description,
  input_schema: {
    type: 'object',
    properties: { [tool.argument.name]: { type: 'string', description: tool.argument.description } },
    required: [tool.argument.name],
    additionalProperties: false,
  },
};

const heartbeatMs = 2_500;

export type Activities = ReturnType<typeof createActivities>;

export function createActivities(baseURL: string) {
  // Temporal retries.
  const client = new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0 });
  return {
    async callModel(messages: Anthropic.MessageParam[]): Promise<Pick<Anthropic.Message, 'content' | 'usage'>> {
      const context = Context.current();
      const heart = setInterval(() => context.heartbeat(), heartbeatMs);
      try {
        const stream = client.messages.stream(
          {
            model,
            max_tokens: maxTokens,
            cache_control: { type: 'ephemeral' },
            system: [{ type: 'text', text: instructions, cache_control: { type: 'ephemeral' } }],
            tools: [look_up_part],
            messages,
          },
          { signal: context.cancellationSignal },
        );
        const { content, usage } = await stream.finalMessage();
        return { content, usage };
      } finally {
        clearInterval(heart);
      }
    },
    async look_up_part(part: string): Promise<string> {
      return lookUp(part);
    },
  };
}
