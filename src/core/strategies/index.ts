/** The strategies by name, and what they make of a chain: the next request for the model. A new strategy is a new file and a line here. */

import { formatCount } from '../lib/display.js';
import type { AgentSnapshot, StrategyOptions } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import { defaults } from '../model/defaults.js';
import type { ModelMessage, ModelRequest, TextBlock } from '../model/model.js';
import type { Reading } from '../model/reading.js';
import type { ModelCallPurpose } from '../model/state.js';
import { formatStop } from '../model/stop-reason.js';
import { autonomous } from './autonomous.js';
import { plan } from './plan.js';
import { react } from './react/react.js';
import type { Strategy } from './strategy.js';
import { tools } from './tools.js';

const strategies: Readonly<Record<StrategyOptions['name'], Strategy>> = {
  react: limitCalls(react),
  tools: limitCalls(tools),
  autonomous: limitCalls(autonomous),
  plan: limitCalls(plan),
};

export function getStrategy(options: StrategyOptions): Strategy {
  return strategies[options.name];
}

/**
 * L7: a reply with tens of thousands of calls would take the workflow longer than Temporal lets a workflow task take, which
 * is then retried for ever. It is a problem like any other that a reply may have.
 */
function limitCalls(strategy: Strategy): Strategy {
  return { ...strategy, parse: (...given) => rejectExcessCalls(strategy.parse(...given)) };
}

function rejectExcessCalls(reading: Reading): Reading {
  const asked = reading.calls.length;
  if (asked <= defaults.callsPerReply) return reading;
  const problem = `Your reply asks for ${formatCount(asked)} calls. Ask for ${defaults.callsPerStep} at most, and for others in the next reply.`;
  return { ...reading, calls: [], problem };
}

export function renderRequest(chain: Chain, agent: AgentSnapshot, purpose: ModelCallPurpose): ModelRequest {
  const request = getStrategy(agent.strategy).render(chain, agent);
  const { stop } = chain.state;
  return purpose === 'closing' ? renderClosingRequest(request, stop === null ? '' : formatStop(stop)) : request;
}

export function renderClosingRequest(request: ModelRequest, reason: string): ModelRequest {
  const ask: TextBlock = {
    type: 'text',
    text: `${reason} You cannot go on. Sum up in a few sentences, as plain text, what you have found out so far and what is still missing. Do not call a tool.`,
  };
  return { ...request, messages: appendText(request.messages, ask), toolChoice: 'none', stopSequences: [] };
}

/** Roles take turns: what the person says last joins the message that is already theirs. */
function appendText(messages: readonly ModelMessage[], block: TextBlock): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}
