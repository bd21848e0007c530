/** Converts a call to the body of `POST /v1/messages`. The only place where our shapes are cast to the SDK's. */

import type Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '../../core/lib/json.js';
import type { FileBlock, ModelMessage, UserBlock } from '../../core/model/model.js';
import { fitThinking, readFileBytes, toArguments } from '../wire/call-content.js';
import { isCarriedReasoning } from '../wire/carried-reasoning.js';
import type { ModelCall } from '../wire/provider.js';

type RequestBody = Anthropic.MessageCreateParamsStreaming;

/**
 * Sets two cache breakpoints: one on the system block, shared with the tools by all chains of an agent, and the
 * automatic one on the request, which moves with the conversation. Omits `metadata`: the provider does not need to know
 * the user of a chain.
 */
export function toRequestBody(call: ModelCall): RequestBody {
  const { request, model } = call;
  const body = {
    model: model.id,
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
    messages: request.messages.map((message) => toMessage(message, call)),
    ...(request.stopSequences.length > 0 && { stop_sequences: request.stopSequences }),
    ...fitThinking(call),
    ...(model.effort !== null && { output_config: { effort: model.effort } }),
    // No longer in the SDK's types; an agent has it only if the model's entry allows it.
    ...(model.temperature !== null && { temperature: model.temperature }),
  };
  // Our blocks have the wire's shape (core/model/model.ts), only readonly; `thinking` and the schemas are sent unchanged.
  return body as unknown as RequestBody;
}

/** The same for `POST /v1/messages/count_tokens`, which rejects other members. */
export function toCountBody(call: ModelCall): Anthropic.MessageCountTokensParams {
  const { model, system, tools, tool_choice, messages, thinking } = toRequestBody(call);
  const given = { system, tools, tool_choice, thinking };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { model, messages, ...present } as Anthropic.MessageCountTokensParams;
}

function toMessage(message: ModelMessage, call: ModelCall) {
  if (message.role === 'user') {
    return { role: 'user', content: message.content.map((block) => toUserBlock(block, call)) };
  }
  return {
    role: 'assistant',
    content: message.content
      .filter((block) => !isCarriedReasoning(block))
      .map((block) => (block.type === 'tool_use' ? { ...block, input: toArguments(block.input) } : block)),
  };
}

function toUserBlock(block: UserBlock, call: ModelCall) {
  switch (block.type) {
    case 'text':
      return block;
    case 'file':
      return toContentBlock(block, call);
    case 'tool_result': {
      const { files = [], ...result } = block;
      if (files.length === 0) return result;
      const content = [{ type: 'text', text: result.content }, ...files.map((file) => toContentBlock(file, call))];
      return { ...result, content };
    }
  }
}

/** Replaces the reference by the bytes. */
function toContentBlock(block: FileBlock, call: ModelCall): JsonObject {
  const { name, mediaType } = block.file;
  const data = Buffer.from(readFileBytes(block, call)).toString('base64');
  const source = { type: 'base64', media_type: mediaType, data };
  return mediaType.startsWith('image/') ? { type: 'image', source } : { type: 'document', source, title: name };
}
