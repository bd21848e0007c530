/** The strategies by name, and the next model request of a chain. To add a strategy, add a file and a line here. */

import { toCanonicalJson } from '../lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  formatStop,
  type ModelCallPurpose,
  type ModelMessage,
  type ModelRequest,
  type Reading,
  type Reply,
  type StrategyOptions,
  type TextBlock,
} from '../model/index.js';
import { checkAnswer } from './answer.js';
import { autonomous } from './autonomous.js';
import type { StrategyParser } from './call-parser.js';
import { createCustomStrategy } from './custom.js';
import { renderNotesRequest } from './notes.js';
import { renderObserverRequest } from './observer.js';
import { plan } from './plan.js';
import { react } from './react/react.js';
import type { CheckedStrategy, Strategy } from './strategy.js';
import { tools } from './tools.js';
import { renderVerdictRequest } from './verdict-request.js';

const strategies: Readonly<Record<Exclude<StrategyOptions['name'], 'custom'>, CheckedStrategy>> = {
  react: checkReplies(react),
  tools: checkReplies(tools),
  autonomous: checkReplies(autonomous),
  plan: checkReplies(plan),
};

/** @param parse the parser of an own strategy, which only its workers have */
export function getStrategy(options: StrategyOptions, parse: StrategyParser | null = null): CheckedStrategy {
  return options.name === 'custom' ? checkReplies(createCustomStrategy(options, parse)) : strategies[options.name];
}

/** Adds the check of answers against the output schema. */
function checkReplies(strategy: Strategy): CheckedStrategy {
  return {
    ...strategy,
    parse: (reply, agent, validate, validateAnswer = () => null) => {
      const reading = strategy.parse(reply, agent, validate);
      return keepReceived(reply, checkAnswer(reading, agent, reply.stopReason, validateAnswer));
    },
  };
}

/** Adds the whole reply where it could not be parsed and the conversation continues with a part of it. */
function keepReceived({ content }: Pick<Reply, 'content'>, reading: Reading): Reading {
  if (reading.problem === null || toCanonicalJson(content) === toCanonicalJson(reading.content)) return reading;
  return { ...reading, received: content };
}

export function renderRequest(chain: Chain, agent: AgentSnapshot, purpose: ModelCallPurpose): ModelRequest {
  if (purpose === 'observer') return renderObserverRequest(chain, agent);
  if (purpose === 'compaction') return renderNotesRequest(chain, agent);
  if (purpose === 'policy' || purpose === 'judge') return renderVerdictRequest(chain, agent, purpose);
  const request = getStrategy(agent.strategy).render(chain, agent);
  const { stop } = chain.state;
  return purpose === 'closing' ? renderClosingRequest(request, stop === null ? '' : formatStop(stop)) : request;
}

/** Begins the prompt that asks for a summary at the end of a chain. */
export const closingPrompt = 'You cannot continue. Summarize';

export function renderClosingRequest(request: ModelRequest, reason: string): ModelRequest {
  const prompt: TextBlock = {
    type: 'text',
    text: `${reason} ${closingPrompt} in a few sentences of plain text what you have found so far and what is still missing. Do not call a tool.`,
  };
  const { output: _, ...rest } = request;
  return { ...rest, messages: appendText(request.messages, prompt), toolChoice: 'none', stopSequences: [] };
}

/** Appends to the last user message if there is one: roles must alternate. */
function appendText(messages: readonly ModelMessage[], block: TextBlock): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}
