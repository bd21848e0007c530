/** What the model is asked: the conversation as the strategy renders it, or the summing-up at a chain's end. */

import type { AgentSnapshot } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import type { ModelRequest } from '../model/model.js';
import type { Purpose } from '../model/state.js';
import { closingRequest } from './closing.js';
import { strategyOf } from './index.js';

export function requestOf(chain: Chain, agent: AgentSnapshot, purpose: Purpose): ModelRequest {
  const request = strategyOf(agent.strategy).render(chain, agent);
  return purpose === 'closing' ? closingRequest(request, chain.state.stop?.reason ?? '') : request;
}
