/**
 * What was said, in the form that the conventions give it. Every text in it passes through the redactor by itself,
 * before it becomes part of a JSON text, so that nothing hides behind a quote or a line break.
 */

import { isObject, type Json } from '../core/json.js';
import type { Message, ModelRequest, Reply } from '../core/model.js';
import { contentAttributes } from './conventions.js';
import type { Redact } from './telemetry.js';

type Recorded = Readonly<Record<string, string>>;

export function ofRequest({ system, messages }: ModelRequest, redact: Redact): Recorded {
  return {
    [contentAttributes.system]: recorded([{ type: 'text', content: system }], redact),
    [contentAttributes.input]: recorded(messages.map(inputMessage), redact),
  };
}

export function ofReply({ content, stopReason }: Reply, redact: Redact): Recorded {
  const message = { role: 'assistant', parts: content.flatMap(partOf), finish_reason: stopReason };
  return { [contentAttributes.output]: recorded([message], redact) };
}

export function ofArguments(input: unknown, redact: Redact): Recorded {
  return { [contentAttributes.toolArguments]: recorded(input, redact) };
}

export function ofToolResult(value: unknown, redact: Redact): Recorded {
  return { [contentAttributes.toolResult]: recorded(value, redact) };
}

function inputMessage({ role, content }: Message): Json {
  const answers = content.every(({ type }) => type === 'tool_result');
  return { role: answers && role === 'user' ? 'tool' : role, parts: content.flatMap(partOf) };
}

function partOf(block: Message['content'][number]): readonly Json[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', content: block.text }];
    case 'thinking':
      return [{ type: 'reasoning', content: block.thinking }];
    case 'redacted_thinking':
      return [];
    case 'tool_use':
      return [{ type: 'tool_call', id: block.id, name: block.name, arguments: block.input }];
    case 'tool_result':
      return [{ type: 'tool_call_response', id: block.tool_use_id, response: block.content }];
  }
}

/** Whatever a tool gave back: first as JSON, then each text and number of it, names of members too. */
function recorded(value: unknown, redact: Redact): string {
  const json = JSON.parse(JSON.stringify(value) ?? 'null') as Json;
  return JSON.stringify(redacted(json, redact));
}

function redacted(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') {
    const text = redact(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((each: Json) => redacted(each, redact));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), redacted(each, redact)]));
}
