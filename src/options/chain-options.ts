/** What a client and a workflow of the user state alike when they start a chain. */

import type { JsonObject } from '../core/lib/index.js';
import type { PlanTemplate, ThreadMessage } from '../core/model/index.js';
import type { Duration } from './duration.js';
import type { LimitOptions } from './limits.js';

/** Options of a start, by a client or by a workflow. */
export interface ChainOptions {
  /** Id of the chain and of its workflow, at most 200 bytes. Default: the agent's name and a random part. */
  readonly chainId?: string | undefined;
  /**
   * Messages of a conversation before the task, oldest first, such as those of a chat that began elsewhere. The newest are
   * kept, up to 32,000 bytes.
   *
   * @example
   * await longhand.start(clerk, 'And on Sunday?', {
   *   messages: [
   *     { role: 'user', text: 'When is the shop open on Monday?' },
   *     { role: 'assistant', text: 'From nine to five.' },
   *   ],
   * });
   */
  readonly messages?: readonly ThreadMessage[] | undefined;
  /**
   * Free data for readers and programs, such as the number of a ticket: an object of at most 16 KB as JSON. No model sees it.
   */
  readonly metadata?: JsonObject | undefined;
  /**
   * Class of the data in the task, such as `confidential`, or several. Only models whose catalogue entry lists all classes
   * see the chain's requests.
   */
  readonly dataClass?: string | readonly string[] | undefined;
  /** Replaces the agent's model, also for roles; its fallbacks remain. */
  readonly model?: string | undefined;
  /** Replaces single limits of the agent. `costUsd` and `tokens` are the budget of the chain and all its sub-chains. */
  readonly limits?: LimitOptions | undefined;
  /**
   * Tenant and user for whom the chain runs, and the user's roles, which tools and policies may require. The program that
   * starts the chain is trusted to set them. Sub-chains have the same.
   */
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  /** At most 32, each of at most 100 characters. */
  readonly roles?: readonly string[] | undefined;
  /**
   * First plan, for an agent with the strategy `plan`; a plan definition's `plan()` returns one. Default: the model
   * makes the plan.
   */
  readonly plan?: PlanTemplate | undefined;
  /**
   * Starts the chain although no worker has the agent yet, because it is about to be deployed: the chain waits up to 7 days for
   * one, and not minutes. Default false: where all workers of the queue are known and none has the agent, the start is rejected.
   */
  readonly awaitAgent?: boolean | undefined;
  /**
   * Time after which Temporal ends the chain, even without a worker: milliseconds or `'2h'`. Default: never. The time
   * limit of the agent needs a running worker.
   */
  readonly endAfter?: Duration | undefined;
}
