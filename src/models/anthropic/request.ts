/** Converts a call to the body of `POST /v1/messages`. The only place where our shapes are cast to the SDK's. */

import type Anthropic from '@anthropic-ai/sdk';
import { type JsonObject, omitUndefined } from '../../core/lib/index.js';
import type { FileBlock, ModelMessage, ToolSpec, UserBlock } from '../../core/model/index.js';
import { fitThinking, readFileBytes, toArguments } from '../wire/call-content.js';
import { isCarriedReasoning } from '../wire/carried-reasoning.js';
import type { ModelCall } from '../wire/provider.js';
import { breakpoint, markMessages, markTools } from './breakpoints.js';

type RequestBody = Anthropic.MessageCreateParamsStreaming;

/** Omits `metadata`: the provider does not need to know the user of a chain. */
export function toRequestBody(call: ModelCall): RequestBody {
  const { request, model } = call;
  const body = {
    model: model.id,
    max_tokens: call.maxTokens,
    stream: true,
    ...(request.system !== '' && { system: [{ type: 'text', text: request.system, ...breakpoint }] }),
    ...(request.tools.length > 0 && {
      tools: markTools(request.tools.map(toTool), request.system),
      tool_choice: {
        type: request.toolChoice,
        ...(model.asksForOneCall && request.toolChoice === 'auto' && { disable_parallel_tool_use: true }),
      },
    }),
    messages: markMessages(request.messages.map((message) => toMessage(message, call))),
    ...(request.stopSequences.length > 0 && { stop_sequences: request.stopSequences }),
    ...fitThinking(call),
    ...toOutputConfig(call),
    // No longer in the SDK's types; an agent has it only if the model's entry allows it.
    ...(model.temperature !== null && { temperature: model.temperature }),
  };
  // Our blocks have the wire's shape (core/model/model.ts), only readonly; `thinking` and the schemas are sent unchanged.
  return body as unknown as RequestBody;
}

/** The API rejects a schema that its strict mode does not support: the model then has only the instruction. */
function toOutputConfig({ request: { output }, model: { effort } }: ModelCall): JsonObject {
  const config: JsonObject = {
    ...(effort !== null && { effort }),
    ...(output?.strict && { format: { type: 'json_schema', schema: output.schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/** The same for `POST /v1/messages/count_tokens`, which rejects other members. */
export function toCountBody(call: ModelCall): Anthropic.MessageCountTokensParams {
  const { model, system, tools, tool_choice, messages, thinking } = toRequestBody(call);
  const present = omitUndefined({ system, tools, tool_choice, thinking });
  return { model, messages, ...present } as Anthropic.MessageCountTokensParams;
}

function toTool({ name, description, inputSchema, strict }: ToolSpec): JsonObject {
  return { name, description, input_schema: inputSchema, ...(strict && { strict }) };
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
