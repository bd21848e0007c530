/** The requests that the Chat Completions API rejects, with its messages; and those that stricter servers reject. */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';
import { findChatConversationFault } from './chat-conversation-rules.js';
import type { ModelServerOptions } from './model-server.js';
import { findStrictFault } from './strict-rules.js';
import { findUnknownMember } from './unknown-member.js';

const members = [
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'model',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'stop',
  'stream',
  'stream_options',
  'tool_choice',
  'tools',
];

/** Returns the first fault of a request, or null. */
export function findChatFault(
  body: JsonObject,
  { allowTemperature = false, behindLitellm = false }: ModelServerOptions = {},
): string | null {
  return (
    findUnknownMember(body, allowTemperature ? [...members, 'temperature'] : members, '') ??
    findSizeFault(body) ??
    findToolFault(body) ??
    findStopFault(body.stop) ??
    findFormatFault(body.response_format) ??
    findChatConversationFault(body.messages, behindLitellm)
  );
}

function findSizeFault(body: JsonObject): string | null {
  const { model, max_tokens: old, max_completion_tokens: most, stream, stream_options: options } = body;
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  if (old !== undefined && most !== undefined) {
    return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
  }
  const limit = old ?? most;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) {
    return "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1.";
  }
  if (options !== undefined && stream !== true) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  }
  return options === undefined || (isObject(options) && options.include_usage === true)
    ? null
    : "Invalid 'stream_options'.";
}

function findToolFault({ tools, tool_choice: choice }: JsonObject): string | null {
  if (tools === undefined)
    return choice === undefined ? null : "'tool_choice' is only allowed when 'tools' are specified.";
  if (!Array.isArray(tools) || tools.length === 0) return "[] is too short - 'tools'";
  if (choice !== 'auto' && choice !== 'none') return "Invalid value: 'tool_choice'.";
  const names = new Set<Json>();
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) return `Invalid 'tools[${index}]'.`;
    const { name, parameters } = tool.function;
    const unknown =
      findUnknownMember(tool, ['type', 'function'], `tools[${index}].`) ??
      findUnknownMember(tool.function, ['name', 'description', 'parameters', 'strict'], `tools[${index}].function.`);
    if (unknown !== null) return unknown;
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      return `Invalid 'tools[${index}].function.name': string does not match pattern.`;
    }
    if (names.has(name)) return `Duplicate function name: ${name}`;
    names.add(name);
    if (!isObject(parameters) || parameters.type !== 'object') {
      return `Invalid schema for function '${name}': schema must be of type 'object'.`;
    }
    const fault = tool.function.strict === true ? findStrictFault(parameters) : null;
    if (fault !== null) return `Invalid schema for function '${name}': ${fault}`;
  }
  return null;
}

function findFormatFault(format: Json | undefined): string | null {
  if (format === undefined) return null;
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.json_schema)) {
    return "Invalid value: 'response_format'.";
  }
  const { name, schema, strict } = format.json_schema;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    return "Invalid 'response_format.json_schema.name'.";
  if (!isObject(schema)) return "Missing required parameter: 'response_format.json_schema.schema'.";
  const fault = strict === true ? findStrictFault(schema) : null;
  return fault === null ? null : `Invalid schema for response_format '${name}': ${fault}`;
}

function findStopFault(stop: Json | undefined): string | null {
  if (stop === undefined) return null;
  if (!Array.isArray(stop) || stop.length === 0) return "Invalid 'stop'.";
  if (stop.length > 4) return `Invalid 'stop': array too long. Expected an array with maximum length 4.`;
  return stop.every((each) => typeof each === 'string' && each !== '') ? null : "Invalid 'stop'.";
}
