/** What the model is asked: the conversation as the strategy renders it, or the summing-up at a chain's end. */

import type { AgentSnapshot } from './agent.js';
import type { Chain } from './chain.js';
import { closingRequest } from './closing.js';
import type { ModelRequest } from './model.js';
import type { Purpose } from './state.js';
import { strategyOf } from './strategies/index.js';

export function requestOf(chain: Chain, agent: AgentSnapshot, purpose: Purpose): ModelRequest {
  const request = strategyOf(agent.strategy).render(chain, agent);
  return purpose === 'closing' ? closingRequest(request, chain.state.stop?.reason ?? '') : request;
}
