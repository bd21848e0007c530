/** Converts a call to the options of `doStream`, for both versions of the specification. */

import type { JsonObject } from '../../core/lib/index.js';
import type { FileBlock, ModelMessage, ReplyBlock, ToolResultBlock } from '../../core/model/index.js';
import { readFileBytes, toArguments } from '../wire/call-content.js';
import type { ModelCall } from '../wire/provider.js';
import { readMetadata, readThinkingMetadata } from './metadata.js';
import type { AiSdkModel } from './model.js';
import { toModelSettings } from './settings.js';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** A message of the prompt. Its parts differ by version only in files. */
interface AiSdkMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly object[];
}

/** Converts a call. @param options provider options of all calls */
export function toCallOptions(model: AiSdkModel, call: ModelCall, options: ProviderOptions): object {
  const { request } = call;
  return {
    ...toModelSettings(model, call, options),
    prompt: [...(request.system === '' ? [] : [{ role: 'system', content: request.system }]), ...toPrompt(model, call)],
    ...(call.model.temperature !== null && { temperature: call.model.temperature }),
    ...(request.stopSequences.length > 0 && { stopSequences: [...request.stopSequences] }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool) => ({ type: 'function', ...tool })),
      toolChoice: { type: request.toolChoice },
    }),
    // Packages send it as a strict format, which some APIs reject for other schemas.
    ...(request.output?.strict && { responseFormat: { type: 'json', name: 'answer', schema: request.output.schema } }),
    // They include the events that have no part, such as pings: the provider is alive.
    includeRawChunks: true,
  };
}

function toPrompt(model: AiSdkModel, call: ModelCall): readonly AiSdkMessage[] {
  const { messages } = call.request;
  const replies = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
  const tools = new Map(replies.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
  return messages
    .flatMap((message) =>
      message.role === 'assistant'
        ? [{ role: message.role, content: toAssistantParts(message.content, model.provider) }]
        : toUserMessages(message.content, tools, (file) => toFilePart(model, call, file)),
    )
    .filter(({ content }) => content.length > 0);
}

function toAssistantParts(content: readonly ReplyBlock[], provider: string): readonly object[] {
  return content.flatMap((block, index) => {
    const metadata = readMetadata(block, content[index - 1], provider);
    return toAssistantPart(block, provider, metadata === null ? {} : { providerOptions: metadata });
  });
}

/** Drops thinking of other providers: they cannot read it. @param own the part's metadata */
function toAssistantPart(block: ReplyBlock, provider: string, own: JsonObject): readonly object[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...own }];
    case 'tool_use': {
      const input = toArguments(block.input);
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input, ...own }];
    }
    case 'thinking': {
      const providerOptions = readThinkingMetadata(block, provider);
      return providerOptions === null ? [] : [{ type: 'reasoning', text: block.thinking, providerOptions }];
    }
    case 'redacted_thinking':
      return [];
  }
}

/**
 * Converts the results of calls to a message of their own, as the AI SDK requires. Their files follow in a user's message:
 * several providers would send them as text inside a result.
 */
function toUserMessages(
  content: (ModelMessage & { readonly role: 'user' })['content'],
  tools: ReadonlyMap<string, string>,
  toFile: (file: FileBlock) => object,
): readonly AiSdkMessage[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const nameOf = ({ tool_use_id: id }: ToolResultBlock) => tools.get(id) ?? '';
  const files = results.flatMap((result) => {
    const parts = (result.files ?? []).map(toFile);
    const title = { type: 'text', text: `Files of the result of ${nameOf(result)} (${result.tool_use_id}):` };
    return parts.length === 0 ? [] : [title, ...parts];
  });
  const others = content.flatMap((block): readonly object[] => {
    if (block.type === 'tool_result') return [];
    return [block.type === 'text' ? { type: 'text', text: block.text } : toFile(block)];
  });
  return [
    { role: 'tool', content: results.map((result) => toResultPart(result, nameOf(result))) },
    { role: 'user', content: [...files, ...others] },
  ];
}

function toResultPart(result: ToolResultBlock, toolName: string): object {
  const output = { type: result.is_error === true ? 'error-text' : 'text', value: result.content };
  return { type: 'tool-result', toolCallId: result.tool_use_id, toolName, output };
}

/** Replaces the reference by the bytes. */
function toFilePart(model: AiSdkModel, call: ModelCall, block: FileBlock): object {
  const { file } = block;
  const bytes = readFileBytes(block, call);
  const data = model.specificationVersion === 'v3' ? bytes : { type: 'data', data: bytes };
  return { type: 'file', filename: file.name, mediaType: file.mediaType, data };
}
