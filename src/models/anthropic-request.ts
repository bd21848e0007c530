/** Converts a call to the body of `POST /v1/messages`. The only place where our shapes are cast to the SDK's. */

import type Anthropic from '@anthropic-ai/sdk';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { ModelMessage } from '../core/model/model.js';
import type { ModelCall } from './provider.js';

type RequestBody = Anthropic.MessageCreateParamsStreaming;

/**
 * Sets two cache breakpoints: one on the system block, shared with the tools by all chains of an agent, and the
 * automatic one on the request, which moves with the conversation. Omits `metadata`: the provider does not need to know
 * the user of a chain.
 */
export function toRequestBody(call: ModelCall): RequestBody {
  const { request, model } = call;
  const body = {
    model: model.name,
    max_tokens: call.maxTokens,
    stream: true,
    cache_control: { type: 'ephemeral' },
    ...(request.system !== '' && {
      system: [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }],
    }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
      tool_choice: { type: request.toolChoice },
    }),
    messages: request.messages.map(toMessage),
    ...(request.stopSequences.length > 0 && { stop_sequences: request.stopSequences }),
    ...toThinking(call),
    ...(model.effort !== null && { output_config: { effort: model.effort } }),
    // No longer in the SDK's types; an agent has it only if the model's entry allows it.
    ...(model.temperature !== null && { temperature: model.temperature }),
  };
  // Our blocks have the wire's shape (core/model/model.ts), only readonly; `thinking` and the schemas are sent unchanged.
  return body as unknown as RequestBody;
}

/** Lowers the thinking budget to leave room for the answer, or omits thinking. */
function toThinking({ model, maxTokens }: ModelCall): { readonly thinking?: JsonObject } {
  const { thinking } = model;
  if (thinking === null) return {};
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number' || budget < maxTokens) return { thinking };
  const room = maxTokens - minAnswerTokens;
  return room < minThinkingTokens ? {} : { thinking: { ...thinking, budget_tokens: room } };
}

/** Tokens: the API's smallest thinking budget, and the reserve for the answer. */
const minThinkingTokens = 1_024;
const minAnswerTokens = 1_024;

function toMessage(message: ModelMessage): ModelMessage {
  if (message.role === 'user') return message;
  return {
    role: 'assistant',
    content: message.content.map((block) =>
      block.type === 'tool_use' ? { ...block, input: toArguments(block.input) } : block,
    ),
  };
}

/** Wraps arguments that were cut off, which are text: the API requires an object and would reject the whole request. */
function toArguments(input: Json): Json {
  return isObject(input) ? input : { unreadable: input };
}
