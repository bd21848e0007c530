/** Converts a call to the body of `POST /chat/completions`. The only place where our shapes are cast to the SDK's. */

import type OpenAI from 'openai';
import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import type { ModelMessage, ReplyBlock, TextBlock, ToolUseBlock, UserBlock } from '../../core/model/index.js';
import { fitThinking, readFileBytes, toArguments } from '../wire/call-content.js';
import { readCarriedReasoning } from '../wire/carried-reasoning.js';
import type { ModelCall } from '../wire/provider.js';
import { restoreDetails } from './reasoning.js';
import { type ChatServer, rejectsStopSequences, rejectsUserAfterTool } from './server.js';

type RequestBody = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

export function toChatBody(call: ModelCall, server: ChatServer): RequestBody {
  const { request, model } = call;
  const body = {
    model: model.id,
    [server.maxTokensField]: call.maxTokens,
    stream: true,
    ...(server.takesStreamOptions && { stream_options: { include_usage: true } }),
    messages: toChatMessages(call, server),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, inputSchema, strict }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema, ...(strict && { strict }) },
      })),
      tool_choice: request.toolChoice,
      ...(model.asksForOneCall && { parallel_tool_calls: false }),
    }),
    ...(request.output !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', ...request.output } },
    }),
    ...(request.stopSequences.length > 0 &&
      !rejectsStopSequences(server, model.id) && { stop: request.stopSequences.slice(0, maxStopSequences) }),
    ...(model.effort !== null && { reasoning_effort: model.effort }),
    // Of some servers only; an agent with it names one of their models.
    ...fitThinking(call),
    ...(model.temperature !== null && { temperature: model.temperature }),
  };
  return body as unknown as RequestBody;
}

/** The API's limit. A stop sequence only saves tokens: a strategy reads the reply without it too. */
const maxStopSequences = 4;

function toChatMessages(call: ModelCall, server: ChatServer): readonly JsonObject[] {
  const { request, model } = call;
  const system = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  const messages = request.messages.flatMap((message: ModelMessage) =>
    message.role === 'assistant'
      ? [toAssistantMessage(message.content, server)]
      : toUserMessages(message.content, call),
  );
  const all: readonly JsonObject[] = [...system, ...messages];
  return rejectsUserAfterTool(server, model.id) ? all.flatMap(separateFromTool) : all;
}

function toAssistantMessage(content: readonly ReplyBlock[], { name }: ChatServer): JsonObject {
  const texts = content.filter((block): block is TextBlock => block.type === 'text');
  const uses = content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  const own = content.flatMap((block) => {
    const data = block.type === 'thinking' ? readCarriedReasoning(name, block) : null;
    return block.type === 'thinking' && data !== null ? [{ data, thinking: block.thinking }] : [];
  });
  const message: JsonObject = { role: 'assistant', content: texts.length === 0 ? null : joinTexts(texts) };
  // Only a reply with calls is continued, and so only its reasoning is read again.
  if (uses.length === 0) return message;
  return { ...message, ...toReasoningFields(own), tool_calls: uses.map((use) => toToolCall(use, own)) };
}

interface OwnReasoning {
  readonly data: JsonObject;
  readonly thinking: string;
}

function toReasoningFields(own: readonly OwnReasoning[]): JsonObject {
  return Object.fromEntries(
    own.flatMap(({ data, thinking }): (readonly [string, Json])[] => {
      const details = restoreDetails(data, thinking);
      if (details !== null) return [details];
      const field = data.field;
      return (field === 'reasoning' || field === 'reasoning_content') && thinking !== '' ? [[field, thinking]] : [];
    }),
  );
}

function toToolCall({ id, name, input }: ToolUseBlock, own: readonly OwnReasoning[]): JsonObject {
  const extra = own.map(({ data }) => (isObject(data.calls) ? data.calls[id] : undefined)).find(isObject);
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(toArguments(input)) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

/** Results first, as they must follow their calls; then the files of results, which a result cannot contain. */
function toUserMessages(content: readonly UserBlock[], call: ModelCall): readonly JsonObject[] {
  const results = content.flatMap((block) => (block.type === 'tool_result' ? [block] : []));
  const parts = content.flatMap((block): readonly UserBlock[] => {
    if (block.type !== 'tool_result') return [block];
    const { files = [], tool_use_id: id } = block;
    return files.length === 0 ? [] : [{ type: 'text', text: `Files of the result of call ${id}:` }, ...files];
  });
  return [
    ...results.map(({ tool_use_id: id, content: text }) => ({ role: 'tool', tool_call_id: id, content: text })),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: toUserContent(parts, call) }]),
  ];
}

/** Text alone is a plain string, which every server reads. */
function toUserContent(blocks: readonly UserBlock[], call: ModelCall): Json {
  const texts = blocks.filter((block): block is TextBlock => block.type === 'text');
  if (texts.length === blocks.length) return joinTexts(texts);
  return blocks.flatMap((block): readonly JsonObject[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    if (block.type !== 'file') return [];
    const { name, mediaType } = block.file;
    const url = `data:${mediaType};base64,${Buffer.from(readFileBytes(block, call)).toString('base64')}`;
    return mediaType.startsWith('image/')
      ? [{ type: 'image_url', image_url: { url } }]
      : [{ type: 'file', file: { filename: name, file_data: url } }];
  });
}

function joinTexts(texts: readonly TextBlock[]): string {
  return texts.map(({ text }) => text).join('\n\n');
}

/** Puts a message of the model between a result and a user's message. */
function separateFromTool(message: JsonObject, index: number, all: readonly JsonObject[]): readonly JsonObject[] {
  const isAfterTool = message.role === 'user' && all[index - 1]?.role === 'tool';
  return isAfterTool ? [{ role: 'assistant', content: 'I have read the results.' }, message] : [message];
}
