/** What a client can do with one chain. */

import type { TypedResult } from '../core/engine/index.js';
import type { Json } from '../core/lib/index.js';
import type { Chain, ModelCallRef, Outcome, Prompt } from '../core/model/index.js';
import type { ReasoningView, StepRange, Trace, Viewer, VisibilityConfig } from '../core/view/index.js';
import type { ChainCommands } from './commands/chain-commands.js';
import type { FollowEvent, WatchEvent } from './follow/event.js';
import type { FollowOptions } from './follow/follow.js';
import type { WatchOptions } from './follow/watch.js';
import type { FileRef, FileWithContent } from './read/read-file.js';
import type { ChainContent } from './read/stored-archive.js';
import type { FollowUpOptions } from './start/follow-up.js';

export interface ChainDescription {
  readonly chainId: string;
  readonly runId: string;
  readonly agent: string;
  readonly task: string;
  readonly status: 'running' | 'ended';
  /** Null while it runs. */
  readonly outcome: Outcome | 'terminated' | null;
  /** The operation under way, as text; null if nothing runs. */
  readonly doing: string | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly currentScratchpad: string;
  /** Task queue of a running chain that no worker polls, so that the chain does not continue; null otherwise. */
  readonly unpolledQueue: string | null;
}

/** Waits for the end of a chain. */
export interface ReadResult<Answer> {
  (): Promise<TypedResult<Answer>>;
  /**
   * With the trace of the whole chain, which is read for it.
   * @example
   * const { trace } = await chain.result({ trace: true });
   * for (const { thought, actions } of trace.steps) console.log(thought, actions);
   */
  (options: { readonly trace: true }): Promise<TypedResult<Answer> & { readonly trace: Trace }>;
}

/** A chain of an agent whose answers have the type `Answer`. */
export interface ChainHandle<Answer = Json> extends ChainCommands {
  readonly chainId: string;
  /**
   * Continues the conversation with a new chain of the same agent, which has a cost and a history of its own. Its model
   * sees the earlier tasks and answers of the thread. It follows the last chain of the thread, which may be later than this
   * one, or archived.
   *
   * @throws {LonghandError} `chain_running` while the thread's last chain runs: steer it, or wait for its end;
   *   `invalid_options` for a sub-chain, or when the chain is not the given tenant's
   * @throws {ChainExistsError} when another message was sent at the same time
   * @example
   * const next = await chain.followUp('And in Fahrenheit?');
   * console.log((await next.result()).answer);
   */
  readonly followUp: (text: string, options?: FollowUpOptions) => Promise<ChainHandle<Answer>>;
  /**
   * Waits for the end and returns the result. Never throws for an outcome. @throws {ChainNotFoundError}
   * @example
   * const result = await chain.result();
   * console.log(result.success ? result.answer : result.reason);
   */
  readonly result: ReadResult<Answer>;
  /**
   * Yields all entries so far, then each new entry until the chain ends.
   * @throws {LonghandError} `invalid_cursor` for a position of another chain or of a discarded run
   */
  readonly follow: (options?: FollowOptions) => AsyncGenerator<FollowEvent, void>;
  /**
   * Returns the chain so far, limited to what the viewer may see, with the stored preferences of its user.
   * @throws {LonghandError} `invalid_policy` for invalid rules
   */
  readonly view: (viewer: Viewer, visibility?: VisibilityConfig, options?: ViewOptions) => Promise<ReasoningView>;
  /**
   * Returns the prompt of a model call as it was sent: of a step, or of a call such as `model-4`.
   * @throws {LonghandError} `call_not_found`; `not_visible` for viewers other than developers and auditors, and where a part
   * of the prompt is hidden from a developer
   */
  readonly readPrompt: (ref: ModelCallRef, viewer: Viewer, visibility?: VisibilityConfig) => Promise<Prompt>;
  /**
   * Returns a file of the task, or of a call's result, from the store. @throws {LonghandError} `call_not_found` where the
   * viewer sees no such file; `store_missing`
   * @example
   * const { content } = await chain.readFile({ name: 'page.png', call: '1.1' }, createViewer('developer'));
   */
  readonly readFile: (ref: FileRef, viewer: Viewer, visibility?: VisibilityConfig) => Promise<FileWithContent>;
  /**
   * Returns the result of a call in full, from the store, where the chain has only a part of it. @throws {LonghandError}
   * `call_not_found`, `not_visible`, `store_missing`
   */
  readonly readObservation: (call: string, viewer: Viewer, visibility?: VisibilityConfig) => Promise<ChainContent>;
  /**
   * Yields this view step by step until the chain ends. @throws {LonghandError} `invalid_policy` for invalid rules;
   * `invalid_cursor` for a position of another chain or of a discarded run
   */
  readonly watch: (viewer: Viewer, options?: WatchOptions) => AsyncGenerator<WatchEvent, void>;
  /** Returns steps, spending and the operation under way, from the history of the last run. @throws {ChainNotFoundError} */
  readonly describe: () => Promise<ChainDescription>;
  /**
   * Returns the whole chain as it is recorded, with the state of the engine. For people, use `view`, which masks what they may
   * not see. @throws {ChainNotFoundError}
   */
  readonly read: () => Promise<Chain>;
}

/** With `to`, the chain is read up to that step, and its state, usage and summary are those of that time. */
export interface ViewOptions extends StepRange {
  /** Levels of sub-chains to open. Default 0: one line for each sub-chain, with its current status. */
  readonly depth?: number;
}
