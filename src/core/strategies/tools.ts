/** Native tool use: the model calls tools, one or several at once, until it answers without a call. */

import { isObject, type Json } from '../lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  deepInputMark,
  defaults,
  type ModelRequest,
  type Reading,
  type Reply,
  type RequestedCall,
  type ToolSnapshot,
  type ToolSpec,
  type ToolUseBlock,
} from '../model/index.js';
import { findThought, joinText, renderConversation } from './conversation.js';
import { renderOutputRule, toOutputFormat } from './output.js';
import { type CallValidator, excessCallsProblem, type Strategy } from './strategy.js';

export const tools: Strategy = {
  render: (chain, agent) => {
    const format = toOutputFormat(agent);
    const guide = [renderGuidance(format), renderOutputRule(agent, 'Your answer')].filter((part) => part !== '');
    return { ...renderNativeRequest(chain, agent, guide.join('\n\n'), []), ...format };
  },
  parse: (reply, _agent, validate) => parseNativeReply(reply, validate),
};

/** All text of a reply must match the format, if there is one: also the text before a call. */
function renderGuidance({ output }: Pick<ModelRequest, 'output'>): string {
  const before =
    output === undefined
      ? 'Before each call, state in one sentence what you are about to do.'
      : 'Write no text with a call.';
  return `Use the tools to find out what you need to know. Prefer the simplest tool that works.
${before} If a call fails, try another way.
When you know enough, answer without calling a tool.`;
}

export function renderNativeRequest(
  chain: Chain,
  agent: AgentSnapshot,
  guide: string,
  injected: readonly ToolSpec[],
): ModelRequest {
  return {
    system: [agent.instructions, guide].filter((part) => part !== '').join('\n\n'),
    messages: renderConversation(chain),
    tools: [...agent.tools.map(toToolSpec), ...injected],
    toolChoice: 'auto',
    stopSequences: agent.model.stopSequences,
  };
}

/** The result belongs to the description: providers have no member for it. */
function toToolSpec({ name, description, returns, inputSchema }: ToolSnapshot): ToolSpec {
  const result = returns.trim();
  return { name, description: result === '' ? description : `${description}\nReturns: ${result}`, inputSchema };
}

export function parseNativeReply(reply: Reply, validate: CallValidator): Reading {
  const uses = reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  const text = joinText(reply.content);
  const reading: Reading = {
    thought: findThought(reply.content),
    calls: [],
    answer: null,
    problem: null,
    scratchpad: null,
    content: reply.content,
  };
  if (reply.stopReason === 'max_tokens') return { ...reading, problem: cutOffProblem };
  if (uses.length > defaults.callsPerReply) return { ...reading, problem: excessCallsProblem };
  if (uses.length > 0) return { ...reading, calls: uses.map((use) => toRequestedCall(use, validate)) };
  if (text === '') return { ...reading, problem: emptyReplyProblem };
  return { ...reading, thought: null, answer: text };
}

const cutOffProblem = 'Your reply was cut off at the output limit. Write a shorter reply, or do one thing at a time.';
const emptyReplyProblem = 'Your reply was empty. Call a tool, or answer.';

function toRequestedCall(use: ToolUseBlock, validate: CallValidator): RequestedCall {
  const rejected = isObject(use.input) ? validate(use.name, use.input) : describeInvalidInput(use.input);
  return { useId: use.id, tool: use.name, input: use.input, rejected };
}

function describeInvalidInput(input: Json): string {
  return input === deepInputMark
    ? `The arguments are nested more than ${defaults.argumentLevels} levels deep. Write them flatter.`
    : 'The arguments must be one JSON object. Write them again.';
}
