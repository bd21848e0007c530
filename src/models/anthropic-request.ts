/** A call as the body of `POST /v1/messages`. The one place where our shapes are cast to the SDK's. */

import type Anthropic from '@anthropic-ai/sdk';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { ModelMessage } from '../core/model/model.js';
import type { ModelCall } from './provider.js';

type RequestBody = Anthropic.MessageCreateParamsStreaming;

/**
 * Two cache breakpoints: one on the system block, which all chains of an agent share with the tools
 * before it, and the automatic one on the request, which moves along with the conversation.
 * `metadata` is left out on purpose: who runs a chain is not the provider's business.
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
    // Not in the SDK's types any more; an agent has it only where the model's entry says that it is taken.
    ...(model.temperature !== null && { temperature: model.temperature }),
  };
  // Our blocks are the wire's by construction (core/model/model.ts), only readonly; `thinking` and the schemas are sent as given.
  return body as unknown as RequestBody;
}

/** A thinking budget must leave room to answer: where the call may say less than that, it thinks less, or not at all. */
function toThinking({ model, maxTokens }: ModelCall): { readonly thinking?: JsonObject } {
  const { thinking } = model;
  if (thinking === null) return {};
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number' || budget < maxTokens) return { thinking };
  const room = maxTokens - minAnswerTokens;
  return room < minThinkingTokens ? {} : { thinking: { ...thinking, budget_tokens: room } };
}

/** Tokens: the least that the API takes as a thinking budget, and what is kept for the answer. */
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

/** Arguments that were cut off stay a text with us; the wire takes an object only, and refuses the whole request else. */
function toArguments(input: Json): Json {
  return isObject(input) ? input : { unreadable: input };
}
