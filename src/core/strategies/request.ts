/** What the model is asked: the conversation as the strategy renders it, or the summing-up at a chain's end. */

import type { AgentSnapshot } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import type { Message, ModelRequest, TextBlock } from '../model/model.js';
import type { Purpose } from '../model/state.js';
import { reasonOf } from '../model/stop-reason.js';
import { strategyOf } from './index.js';

export function requestOf(chain: Chain, agent: AgentSnapshot, purpose: Purpose): ModelRequest {
  const request = strategyOf(agent.strategy).render(chain, agent);
  const { stop } = chain.state;
  return purpose === 'closing' ? closingRequest(request, stop === null ? '' : reasonOf(stop)) : request;
}

export function closingRequest(request: ModelRequest, reason: string): ModelRequest {
  const ask: TextBlock = {
    type: 'text',
    text: `${reason} You cannot go on. Sum up in a few sentences, as plain text, what you have found out so far and what is still missing. Do not call a tool.`,
  };
  return { ...request, messages: withText(request.messages, ask), toolChoice: 'none', stopSequences: [] };
}

/** Roles take turns: what the person says last joins the message that is already theirs. */
function withText(messages: readonly Message[], block: TextBlock): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}
