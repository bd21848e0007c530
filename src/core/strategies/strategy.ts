/** The seam between a chain and the way a model is talked to. One strategy, one file beside this one. */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import type { ModelRequest, Reply } from '../model/model.js';
import type { Reading } from '../model/reading.js';

export type { Reading, RequestedCall } from '../model/reading.js';

/** Says what is wrong with a call, as the model is told, or null. */
export type Validate = (tool: string, input: Json) => string | null;

export interface Strategy {
  /** Contract: pure; equal chains give equal requests. */
  readonly render: (chain: Chain, agent: AgentSnapshot) => ModelRequest;
  /** Contract: pure; never throws, whatever the model wrote. */
  readonly interpret: (reply: Reply, agent: AgentSnapshot, validate: Validate) => Reading;
}
