/**
 * The requests that the real API rejects, with its messages: a request that passes here is accepted by Claude.
 * This file has the rules of the request; conversation-rules.ts has those of its messages.
 */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';
import { findConversationFault } from './conversation-rules.js';
import { countBreakpoints } from './prompt-cache.js';
import { findStrictFault } from './strict-rules.js';

const members = new Set([
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]);

/** Returns the first fault of a request, or null. */
export function findRequestFault(body: JsonObject, allowTemperature: boolean): string | null {
  return (
    findMemberFault(body, allowTemperature) ??
    findSizeFault(body) ??
    findSystemFault(body.system) ??
    findToolFault(body) ??
    findStopFault(body.stop_sequences) ??
    findBreakpointFault(body) ??
    findOutputFault(body.output_config) ??
    findConversationFault(body.messages)
  );
}

function findMemberFault(body: JsonObject, allowTemperature: boolean): string | null {
  const extra = Object.keys(body).find((key) => !members.has(key) && !(allowTemperature && key === 'temperature'));
  return extra === undefined ? null : `${extra}: Extra inputs are not permitted`;
}

function findSizeFault(body: JsonObject): string | null {
  const { model, max_tokens: maxTokens, thinking } = body;
  if (typeof model !== 'string' || model === '') return 'model: Field required';
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1) {
    return 'max_tokens: Input should be a whole number greater than 0';
  }
  if (!isObject(thinking) || thinking.type !== 'enabled') return null;
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number' || budget < 1024) {
    return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  }
  return budget < maxTokens ? null : '`max_tokens` must be greater than `thinking.budget_tokens`';
}

function findSystemFault(system: Json | undefined): string | null {
  if (system === undefined || typeof system === 'string') return null;
  if (!Array.isArray(system)) return 'system: Input should be a string or a list of text blocks';
  const empty = system.some((block) => !isObject(block) || typeof block.text !== 'string' || block.text.trim() === '');
  return empty ? 'system: text content blocks must be non-empty' : null;
}

function findToolFault(body: JsonObject): string | null {
  const tools = body.tools ?? [];
  if (!Array.isArray(tools)) return 'tools: Input should be a list';
  if (body.tool_choice !== undefined && tools.length === 0) {
    return 'tool_choice: may only be specified while providing `tools`';
  }
  const names = new Set<Json>();
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return `tools.${index}: Input should be an object`;
    const { name, input_schema: schema, strict } = tool;
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      return `tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    }
    if (names.has(name)) return 'tools: Tool names must be unique.';
    names.add(name);
    if (!isObject(schema) || schema.type !== 'object')
      return `tools.${index}.input_schema.type: Input should be 'object'`;
    const fault = strict === true ? findStrictFault(schema) : null;
    if (fault !== null) return `tools.${index}.input_schema: ${fault}`;
  }
  return null;
}

function findOutputFault(config: Json | undefined): string | null {
  if (!isObject(config) || config.format === undefined) return null;
  const { format } = config;
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.schema)) {
    return 'output_config.format: Input should be a JSON schema';
  }
  const fault = findStrictFault(format.schema);
  return fault === null ? null : `output_config.format.schema: ${fault}`;
}

function findStopFault(sequences: Json | undefined): string | null {
  if (sequences === undefined) return null;
  if (!Array.isArray(sequences)) return 'stop_sequences: Input should be a list';
  const blank = sequences.some((sequence) => typeof sequence !== 'string' || sequence.trim() === '');
  return blank ? 'stop_sequences: each stop sequence must contain non-whitespace' : null;
}

function findBreakpointFault(body: JsonObject): string | null {
  const count = countBreakpoints(body);
  return count > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` : null;
}
