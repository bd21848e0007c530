/** Native tool use: the model calls tools, several at once if it likes, until it answers without calling any. */

import { isObject, type Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import { defaults } from '../model/defaults.js';
import { type ModelRequest, type Reply, type ToolSpec, type ToolUseBlock, tooDeepInput } from '../model/model.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import { conversation, textOf, thoughtOf } from './conversation.js';
import type { Strategy, Validate } from './strategy.js';

export const tools: Strategy = {
  render: (chain, agent) => renderNative(chain, agent, guidance, []),
  interpret: (reply, _agent, validate) => readNative(reply, validate),
};

const guidance = `Use the tools to find out what you need to know; prefer the simplest one that can do it.
Say in a sentence what you are about to do before you call. If a call fails, try another way.
When you know enough, answer without calling a tool.`;

export function renderNative(
  chain: Chain,
  agent: AgentSnapshot,
  guide: string,
  injected: readonly ToolSpec[],
): ModelRequest {
  return {
    system: [agent.instructions, guide].filter((part) => part !== '').join('\n\n'),
    messages: conversation(chain),
    tools: [
      ...agent.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...injected,
    ],
    toolChoice: 'auto',
    stopSequences: agent.model.stopSequences,
  };
}

export function readNative(reply: Reply, validate: Validate): Reading {
  const uses = reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  const text = textOf(reply.content);
  const reading: Reading = {
    thought: thoughtOf(reply.content),
    calls: uses.map((use) => requested(use, validate)),
    answer: null,
    problem: null,
    scratchpad: null,
    content: reply.content,
  };
  if (reply.stopReason === 'max_tokens') return { ...reading, calls: [], problem: cutOff };
  if (uses.length > 0) return reading;
  if (text === '') return { ...reading, problem: empty };
  return { ...reading, thought: null, answer: text };
}

const cutOff = 'Your reply was cut off at the output limit. Be shorter, or do one thing at a time.';
const empty = 'Your reply was empty. Call a tool, or answer.';

function requested(use: ToolUseBlock, validate: Validate): RequestedCall {
  const rejected = isObject(use.input) ? validate(use.name, use.input) : faultIn(use.input);
  return { useId: use.id, tool: use.name, input: use.input, rejected };
}

function faultIn(input: Json): string {
  return input === tooDeepInput
    ? `The arguments are nested more than ${defaults.argumentLevels} levels deep. Write them flatter.`
    : 'The arguments must be one JSON object. Write them again.';
}
