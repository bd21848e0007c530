/** Native tool use: the model calls tools, one or several at once, until it answers without a call. */

import { cannotComplete, findFinishCall, listFinishTools, readFinishCall } from '../engine/index.js';
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
  type StrategyOptions,
  type ToolSnapshot,
  type ToolSpec,
  type ToolUseBlock,
} from '../model/index.js';
import { createCallExample } from './call-example.js';
import { findThought, joinText, renderConversation } from './conversation.js';
import { renderOutputRule, toOutputFormat } from './output.js';
import { appendStatus, joinParagraphs, renderGuide, renderStatus } from './prompt-parts.js';
import { type CallValidator, excessCallsProblem, type Strategy } from './strategy.js';

export const tools: Strategy = {
  render: (chain, agent) => {
    const format = toOutputFormat(agent);
    const guide = joinParagraphs([renderGuidance(format, agent.strategy), renderOutputRule(agent, 'Your answer')]);
    const injected = listFinishTools(agent.strategy).length === 0 ? [] : [cannotComplete];
    return { ...renderNativeRequest(chain, agent, guide, injected), ...format };
  },
  parse: (reply, { strategy }, validate) => readEnding(parseNativeReply(reply, validate), strategy),
};

/** All text of a reply must match the format, if there is one: also the text before a call. */
function renderGuidance({ output }: Pick<ModelRequest, 'output'>, strategy: StrategyOptions): string {
  const before =
    output === undefined
      ? 'Before each call, state in one sentence what you are about to do.'
      : 'Write no text with a call.';
  return `Use the tools to find out what you need to know. Prefer the simplest tool that works.
${before} If a call fails, try another way.
When you know enough, answer without calling a tool.${renderFailureRule(strategy)}`;
}

/** Renders how the model fails; empty where it may not. */
export function renderFailureRule(strategy: StrategyOptions): string {
  if (!listFinishTools(strategy).includes(cannotComplete.name)) return '';
  return `\nIf the task cannot be completed, call \`${cannotComplete.name}\` with the reason. Never present a guess as an answer.`;
}

/** The chain ends with the call of a finish tool. The other calls are recorded as not run. */
export function readEnding(reading: Reading, strategy: StrategyOptions): Reading {
  if (reading.problem !== null) return reading;
  const call = findFinishCall(strategy, reading.calls);
  return call === null ? reading : { ...reading, ...readFinishCall(call) };
}

export function renderNativeRequest(
  chain: Chain,
  agent: AgentSnapshot,
  guide: string,
  injected: readonly ToolSpec[],
): ModelRequest {
  return {
    system: joinParagraphs([agent.instructions, guide, renderGuide(agent), renderCallExample(agent)]),
    messages: appendStatus(renderConversation(chain), renderStatus(chain, agent)),
    tools: [...agent.tools.map(toToolSpec), ...injected],
    toolChoice: 'auto',
    stopSequences: agent.model.stopSequences,
  };
}

export function renderCallExample(agent: AgentSnapshot): string {
  const example = createCallExample(agent);
  if (example === null) return '';
  return `For example, call \`${example.tool}\` with arguments like these, which are made up: ${JSON.stringify(example.input)}`;
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
  if (uses.length > 0)
    return { ...reading, calls: uses.map(({ id, name, input }) => toRequestedCall(id, name, input, validate)) };
  if (text === '') return { ...reading, problem: emptyReplyProblem };
  return { ...reading, thought: null, answer: text };
}

export const cutOffProblem =
  'Your reply was cut off at the output limit. Write a shorter reply, or do one thing at a time.';
const emptyReplyProblem = 'Your reply was empty. Call a tool, or answer.';

export function toRequestedCall(
  useId: string | null,
  tool: string,
  input: Json,
  validate: CallValidator,
): RequestedCall {
  return { useId, tool, input, rejected: isObject(input) ? validate(tool, input) : describeInvalidInput(input) };
}

function describeInvalidInput(input: Json): string {
  return input === deepInputMark
    ? `The arguments are nested more than ${defaults.argumentLevels} levels deep. Write them flatter.`
    : 'The arguments must be one JSON object. Write them again.';
}
