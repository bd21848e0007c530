/** Handle of a chain for clients: its result, its entries, its views, and the commands to it. */

import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../contract/names.js';
import type { TokenSubscriber } from '../contract/tokens.js';
import type { ChainResult } from '../core/engine/result.js';
import { LonghandError } from '../core/lib/errors.js';
import type { Chain } from '../core/model/chain.js';
import type { ModelCallRef, Prompt } from '../core/model/prompt.js';
import type { Outcome } from '../core/model/stop-reason.js';
import { computeClosedResult } from '../core/record/closed-result.js';
import { emptyRecord } from '../core/state/entry.js';
import { listOpenRequests } from '../core/state/open-requests.js';
import { describeFlight } from '../core/state/stop.js';
import type { ReasoningView } from '../core/view/reasoning-view.js';
import { findRangeProblem, type StepRange, selectSteps } from '../core/view/step-range.js';
import { validateVisibility } from '../core/view/validate-visibility.js';
import { view } from '../core/view/view.js';
import { viewPrompt } from '../core/view/view-prompt.js';
import type { ViewRules } from '../core/view/view-reach.js';
import type { Viewer, VisibilityConfig } from '../core/view/visibility.js';
import { type ChainCommands, createChainCommands } from './commands/chain-commands.js';
import { isNotRunning } from './commands/send-command.js';
import { ChainNotFoundError, isServerUnavailable } from './errors/errors.js';
import type { FollowEvent, WatchEvent } from './follow/event.js';
import { type FollowOptions, follow } from './follow/follow.js';
import { type WatchOptions, watch } from './follow/watch.js';
import type { ChainArchive, ChainContent } from './read/chain-archive.js';
import { readForView } from './read/chain-end.js';
import { readChainPart, truncateAfterStep } from './read/chain-part.js';
import { checkRun } from './read/chain-runs.js';
import { type ChainSource, resolveChainSource } from './read/chain-source.js';
import { readChain, readChainState } from './read/read-chain.js';
import { type FileRef, type FileWithContent, readFile, readObservation, type ViewedChain } from './read/read-file.js';
import { readPrompt } from './read/read-prompt.js';
import { type RecordedChain, readRecordedChain, toReasoning } from './read/recorded-chain.js';
import { addStartData } from './read/start-data.js';
import { readWithSubChains } from './read/sub-chains.js';
import { findUnpolledQueue } from './read/unpolled-queue.js';
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

/** Describes a chain from the history of its last run: steps, spending, and the operation under way. */
async function describeChain(client: Client, source: ChainSource): Promise<ChainDescription> {
  const read = await readChainState(source);
  const { state } = await addStartData({ ...emptyRecord, state: read.state }, source);
  return {
    chainId: source.chainId,
    runId: read.runId,
    agent: state.input?.agent ?? '',
    task: state.input?.task ?? '',
    status: read.closed === null ? 'running' : 'ended',
    outcome: read.closed === null ? null : computeClosedResult({ ...read, chain: read }).outcome,
    doing: read.closed === null ? describeFlight(state) : null,
    steps: state.steps,
    tokens: state.charged.tokens,
    costUsd: state.charged.usd,
    currentScratchpad: state.scratchpad,
    unpolledQueue: read.closed === null ? await findUnpolledQueue(client, source.chainId) : null,
  };
}

export interface ChainHandle extends ChainCommands {
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
  readonly followUp: (text: string, options?: FollowUpOptions) => Promise<ChainHandle>;
  /** Waits for the end and returns the result. Never throws for an outcome. @throws {ChainNotFoundError} */
  readonly result: () => Promise<ChainResult>;
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

interface HandleOptions {
  readonly client: Client;
  readonly chainId: string;
  readonly tokens: TokenSubscriber | null;
  /** The store, with the bytes of files; null for none. */
  readonly archive: ChainArchive | null;
  /** Resolves the stored preferences of a viewer. */
  readonly resolveViewer: (viewer: Viewer) => Promise<Viewer>;
  /** Starts a follow-up of a chain. */
  readonly followUp: (chainId: string, text: string, options: FollowUpOptions) => Promise<ChainHandle>;
}

/** Creates a handle of the chain's latest run: an earlier one may be deleted or discarded by a reset. */
export function createHandle({
  client,
  chainId,
  tokens,
  archive,
  resolveViewer,
  followUp,
}: HandleOptions): ChainHandle {
  const handle = client.workflow.getHandle(chainId);
  const source = () => resolveChainSource(client, chainId);
  const readViewed = async (viewer: Viewer, visibility: VisibilityConfig): Promise<ViewedChain> => {
    checkVisibility(visibility);
    const resolved = await resolveViewer(viewer);
    const reasoning = toReasoning(await readRecordedChain(await source()));
    return { reasoning, viewReasoning: (subject) => view(subject, resolved, visibility) };
  };
  return {
    chainId,
    followUp: (text, options = {}) => followUp(chainId, text, options),
    result: () => waitForResult(handle, source),
    follow: async function* (options = {}) {
      const opened = await source();
      if (options.from) await checkRun(opened, options.from);
      yield* follow(opened, tokens, options);
    },
    view: async (viewer, visibility = {}, { depth = 0, ...range } = {}) => {
      checkVisibility(visibility);
      checkRange(range);
      const resolved = await resolveViewer(viewer);
      const isEnd = depth === 0 && range.to === undefined && (range.from ?? range.last) !== undefined;
      const opened = await source();
      const reasoning = isEnd
        ? await readEndReasoning(client, opened, range, { viewer: resolved, config: visibility })
        : await readWithSubChains(client, await readUpTo(opened, range), depth);
      const whole = view(reasoning, resolved, visibility);
      return { ...whole, steps: selectSteps(whole.steps, range) };
    },
    readPrompt: async (ref, viewer, visibility = {}) => {
      checkVisibility(visibility);
      const recorded = await readRecordedChain(await source());
      return viewPrompt(toReasoning(recorded), readPrompt(recorded, ref), await resolveViewer(viewer), visibility);
    },
    readFile: async (ref, viewer, visibility = {}) => readFile(archive, await readViewed(viewer, visibility), ref),
    readObservation: async (call, viewer, visibility = {}) =>
      readObservation(archive, await readViewed(viewer, visibility), call),
    watch: async function* (viewer, options = {}) {
      checkVisibility(options.visibility ?? {});
      const opened = await source();
      if (options.from) await checkRun(opened, options.from);
      yield* watch(opened, tokens, await resolveViewer(viewer), options);
    },
    describe: async () => describeChain(client, await source()),
    read: async () => {
      const opened = await source();
      return addStartData((await readChain(opened)).chain, opened);
    },
    ...createChainCommands({ client, handle }, async () => {
      const { state, closed } = await readChainState(await source());
      return closed === null ? listOpenRequests(state, Date.now()) : [];
    }),
  };
}

/**
 * Waits for the end. A wait that ends without a complete result proves no end: the server was unavailable, or the run was
 * reset. The chain is then read, and waited for again while it runs.
 */
async function waitForResult(handle: WorkflowHandle, source: () => Promise<ChainSource>): Promise<ChainResult> {
  for (;;) {
    const { result, failure } = await waitForClose(handle);
    if (result !== null && isFullResult(result)) return result;
    const opened = await source();
    const { state, closed, closedAt } = await readChainState(opened);
    if (closed !== null) return computeClosedResult({ chain: { state }, closed, closedAt });
    // The archive has only earlier runs.
    if (opened.archivedChain !== null && failure !== null) throw failure;
  }
}

interface WaitEnd {
  /** Null when the chain closed without one. */
  readonly result: ChainResult | null;
  /** The error when the server is unavailable or does not know the chain: the archive may have it. */
  readonly failure: Error | null;
}

async function waitForClose(handle: WorkflowHandle): Promise<WaitEnd> {
  try {
    return { result: (await handle.result()) as ChainResult, failure: null };
  } catch (error) {
    if (isNotRunning(error)) return { result: null, failure: new ChainNotFoundError(handle.workflowId) };
    if (error instanceof WorkflowFailedError) return { result: findResult(error), failure: null };
    if (error instanceof Error && isServerUnavailable(error)) return { result: null, failure: error };
    throw error;
  }
}

/** Whether the workflow closed with the full result. A sub-chain closes with only the part that its parent sees. */
function isFullResult({ charged }: ChainResult): boolean {
  return charged === undefined;
}

/** Checks rules that may come from a file, where types do not help. */
function checkVisibility(visibility: VisibilityConfig): void {
  const problem = validateVisibility(visibility);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid visibility rules: ${problem}.`);
}

function checkRange(range: StepRange): void {
  const problem = findRangeProblem(range);
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid range of steps: ${problem}.`);
}

async function readUpTo(source: ChainSource, { to }: StepRange): Promise<RecordedChain> {
  return to === undefined ? readRecordedChain(source) : truncateAfterStep(await readChainPart(source, to), to);
}

async function readEndReasoning(client: Client, source: ChainSource, range: StepRange, rules: ViewRules) {
  const { end, reasoning } = await readForView(source, range, rules);
  return Object.keys(reasoning.children).length === 0 ? reasoning : readWithSubChains(client, end, 0);
}

/** Returns the result in a failed chain's failure details, or null. */
function findResult(error: WorkflowFailedError): ChainResult | null {
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== failureTypes.chainFailed) return null;
  return (cause.details?.[0] as ChainResult | undefined) ?? null;
}
