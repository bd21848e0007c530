/** What a rehearsed model takes from a request of the Messages API: the task, and the observations so far. */

import { isObject, type Json, type JsonObject } from '../../../core/lib/json.js';
import type { Seen } from './play.js';

export interface RehearsedRequest {
  /** How the agent is talked to: in labelled text, or with native tool use. */
  readonly protocol: 'react' | 'native';
  readonly task: string;
  readonly seen: readonly Seen[];
  /** Whether the chain has come to a limit and only asks for a summing-up. */
  readonly closing: boolean;
  /** Names of the tools that can be used natively. */
  readonly tools: readonly string[];
}

export function readRequest(body: JsonObject): RehearsedRequest {
  const messages = list(body.messages).filter(isObject);
  const [first, ...rest] = messages.filter((message) => message.role === 'user').map(blocksOf);
  const tools = list(body.tools).flatMap((tool) => (isObject(tool) && typeof tool.name === 'string' ? tool.name : []));
  const protocol = tools.length === 0 && textsOf(blocksOf({ content: body.system ?? '' })).includes('Final Answer:');
  return {
    protocol: protocol ? 'react' : 'native',
    task: firstText(first ?? []),
    seen: rest.flatMap(protocol ? seenInText : seenInResults),
    closing: isClosing(body, messages),
    tools,
  };
}

/** After the first message each one of the person's begins with `Observation: …`, or corrects the reply before it. */
function seenInText(blocks: readonly JsonObject[]): readonly Seen[] {
  const labelled = firstText(blocks);
  const [label = '', said = ''] = /^(?:([^:\n]{1,40}): )?(.*)$/s.exec(labelled)?.slice(1) ?? [];
  const text = said.replace(/<(text-\w+)>\n(.*)\n<\/\1>$/s, '$2');
  return [{ failed: label === 'Correction' || /^error\b/i.test(text), text }];
}

function seenInResults(blocks: readonly JsonObject[]): readonly Seen[] {
  return blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      failed: block.is_error === true,
      text: textsOf(blocksOf({ content: block.content ?? '' })),
    }));
}

function isClosing(body: JsonObject, messages: readonly JsonObject[]): boolean {
  const choice = isObject(body.tool_choice ?? null) ? (body.tool_choice as JsonObject).type : null;
  const last = messages.at(-1);
  return choice === 'none' || (last !== undefined && textsOf(blocksOf(last)).includes('You cannot go on. Sum up'));
}

/** The wire allows a text where it allows blocks. */
function blocksOf(message: JsonObject): readonly JsonObject[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return list(content).filter(isObject);
}

function textsOf(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

function firstText(blocks: readonly JsonObject[]): string {
  return textsOf(blocks.filter((block) => block.type === 'text').slice(0, 1));
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
