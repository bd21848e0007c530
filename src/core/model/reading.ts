/** What a strategy reads in a reply. */

import type { Json } from '../lib/json.js';
import type { ReplyBlock } from './model.js';

/** A call as the model asked for it. */
export interface RequestedCall {
  /** The provider's id of the call (`tool_use`), or null in a text protocol. */
  readonly useId: string | null;
  readonly tool: string;
  readonly input: Json;
  /** Why the call will not be run, as the model is told; null when it may run. */
  readonly rejected: string | null;
}

/** What the model decided, as the strategy reads it. A reply with a `problem` runs none of its calls. */
export interface Reading {
  readonly thought: string | null;
  readonly calls: readonly RequestedCall[];
  /** The final answer; text, or the value that the agent's result schema describes. */
  readonly answer: Json;
  /** What could not be read, as a short correction that the model is shown. */
  readonly problem: string | null;
  /** The working notes as of this reply; null where the reply does not change them. */
  readonly scratchpad: string | null;
  /** The reply without what the model made up: what the conversation goes on with. */
  readonly content: readonly ReplyBlock[];
}
