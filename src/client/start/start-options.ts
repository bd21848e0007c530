/** What a start of a chain takes: the agent, the options of users, and what follow-ups and forks add. */

import type { AgentType } from '../../core/engine/index.js';
import type {
  EarlierMessages,
  Origin,
  PartialLimits,
  StoredFile,
  ThreadRef,
  VisibilitySource,
} from '../../core/model/index.js';
import type { ChainOptions, TaskContext, TaskInput } from '../../options/index.js';

export interface StartOptions extends ChainOptions {
  /**
   * What `start` does when a chain with this id exists: `error` throws, `join` returns that chain, running or ended,
   * and `again` runs it again once it has ended. Default `error`: a message that arrives twice does not repeat the
   * work.
   */
  readonly ifExists?: 'error' | 'join' | 'again' | undefined;
  /**
   * From 1, first, to 5: the order of the chain's tasks in a backlog, and of its sub-chains, where the server has priorities switched on.
   * Default: that of the agent's definition where the agent is no name, else 3.
   */
  readonly priority?: number | undefined;
  /**
   * What the agent knows beside the task: a text, or texts and files by name, such as their paths. A text becomes part of
   * the chain's task, in a frame of its own. Bytes are a file: the model gets images and PDFs if it can read them, and a
   * description of any other.
   *
   * @example
   * await longhand.start(clerk, 'Read this receipt', { context: { 'receipt.png': await readFile('receipt.png') } });
   */
  readonly context?: TaskContext | undefined;
}

/**
 * An agent as `defineAgent` returns it, or only its name when the definition is elsewhere. Either way, a chain is started with
 * the name: the worker that takes it runs its own definition of this name.
 */
export interface StartableAgent extends AgentType {
  readonly definition?: { readonly model?: string; readonly title?: string; readonly priority?: number };
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
  readonly limits?: PartialLimits;
}

export function toStartable(agent: string | StartableAgent): StartableAgent {
  return typeof agent === 'string' ? { name: agent } : agent;
}

export interface StartInput {
  readonly agent: StartableAgent;
  readonly task: TaskInput;
  readonly chainId: string;
  readonly taskQueue: string;
  /** First steps of a fork. */
  readonly origin?: Origin;
  /** Earlier messages of a fork or a follow-up. */
  readonly earlier?: EarlierMessages;
  /** Place of a follow-up in its thread. */
  readonly thread?: ThreadRef;
  /** Files of a fork: those of its origin. */
  readonly files?: readonly StoredFile[];
  /** Set for the fork of a sub-chain. */
  readonly shownAs?: VisibilitySource;
}
