/** The activities of the hand-written loop. */

import Anthropic from '@anthropic-ai/sdk';
import { Context } from '@temporalio/activity';
import { counter } from '../counting-task.js';
import { instructions, lookUp, maxTokens, messagesTool, model } from '../task.js';

const heartbeatMs = 2_500;

export type Activities = ReturnType<typeof createActivities>;

export function createActivities(baseURL: string) {
  // Temporal retries.
  const client = new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0 });
  return {
    callModel: (messages: Anthropic.MessageParam[]) => ask(client, instructions, [messagesTool], messages),
    callCounter: (messages: Anthropic.MessageParam[]) => ask(client, counter.instructions, [], messages),
    async look_up_part(part: string): Promise<string> {
      return lookUp(part);
    },
  };
}

type Reply = Pick<Anthropic.Message, 'content' | 'usage'>;

async function ask(
  client: Anthropic,
  system: string,
  tools: Anthropic.Tool[],
  messages: Anthropic.MessageParam[],
): Promise<Reply> {
  const context = Context.current();
  const heart = setInterval(() => context.heartbeat(), heartbeatMs);
  try {
    const stream = client.messages.stream(
      {
        model,
        max_tokens: maxTokens,
        cache_control: { type: 'ephemeral' },
        system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
        ...(tools.length === 0 ? {} : { tools }),
        messages,
      },
      { signal: context.cancellationSignal },
    );
    const { content, usage } = await stream.finalMessage();
    return { content, usage };
  } finally {
    clearInterval(heart);
  }
}
