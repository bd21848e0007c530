/** The seam between a chain and the way a model is talked to. One strategy, one file beside this one. */

import type { AgentSnapshot } from '../agent.js';
import type { Chain } from '../chain.js';
import type { Json } from '../json.js';
import type { ModelRequest, Reply } from '../model.js';
import type { Reading } from '../reading.js';

export type { Reading, RequestedCall } from '../reading.js';

/** Says what is wrong with a call, as the model is told, or null. */
export type Validate = (tool: string, input: Json) => string | null;

export interface Strategy {
  /** Contract: pure; equal chains give equal requests. */
  readonly render: (chain: Chain, agent: AgentSnapshot) => ModelRequest;
  /** Contract: pure; never throws, whatever the model wrote. */
  readonly interpret: (reply: Reply, agent: AgentSnapshot, validate: Validate) => Reading;
}
