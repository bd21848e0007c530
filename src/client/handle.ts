/** A chain, seen by a client: its result, its story so far and as it goes on, and the wish to end it. */

import { randomUUID } from 'node:crypto';
import { type Client, WorkflowFailedError, type WorkflowHandle, WorkflowUpdateStage } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { CancelRequest } from '../contract/messages.js';
import { failureTypes, messageNames } from '../contract/names.js';
import type { TokenChannel } from '../contract/tokens.js';
import type { Chain } from '../core/chain.js';
import { problemWithVisibility } from '../core/check-visibility.js';
import type { ReasoningView } from '../core/reasoning-view.js';
import type { ChainResult } from '../core/result.js';
import type { Outcome } from '../core/state.js';
import { inFlight } from '../core/stop.js';
import { view } from '../core/view.js';
import type { Viewer, VisibilityConfig } from '../core/visibility.js';
import { NoSuchChainError } from './errors.js';
import { type ChainEvent, type FollowOptions, follow } from './follow.js';
import { readChain } from './read-chain.js';
import { reasoningOf, recordedOnServer } from './recorded.js';
import { resultOfRead } from './result-of-read.js';
import type { ChainSource } from './source.js';
import { type WatchEvent, type WatchOptions, watch } from './watch.js';

/** Milliseconds after which a wish that no worker took is left for the next one to find. */
const patience = 5_000;

export interface CancelOptions {
  /** Who wants it; the chain's reason names them. */
  readonly by?: string;
  readonly reason?: string;
}

export interface Description {
  readonly chainId: string;
  readonly runId: string;
  readonly agent: string;
  readonly task: string;
  readonly status: 'running' | 'ended';
  /** Null while it runs. */
  readonly outcome: Outcome | 'terminated' | null;
  /** What it is waiting for, in words; null when nothing. */
  readonly doing: string | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly currentScratchpad: string;
  readonly chain: Chain;
}

export interface ChainHandle {
  readonly chainId: string;
  /** Waits for the end. Never throws for an outcome. @throws {NoSuchChainError} */
  readonly result: () => Promise<ChainResult>;
  /** Everything so far, then what comes, until the chain has ended. */
  readonly follow: (options?: FollowOptions) => AsyncGenerator<ChainEvent, void>;
  /** As far as it has come, as somebody may see it. @throws {TypeError} when the rules are none */
  readonly view: (viewer: Viewer, visibility?: VisibilityConfig) => Promise<ReasoningView>;
  /** The same while it goes on, step by step, until the chain has ended. @throws {TypeError} when the rules are none */
  readonly watch: (viewer: Viewer, options?: WatchOptions) => AsyncGenerator<WatchEvent, void>;
  /** How far it has come, what it is doing and what it has spent; read from its history. @throws {NoSuchChainError} */
  readonly describe: () => Promise<Description>;
  /**
   * Asks the chain to end as `cancelled`. Returns when the wish is safe with the server; does nothing to a chain that has
   * ended.
   *
   * @throws {NoSuchChainError}
   */
  readonly cancel: (options?: CancelOptions) => Promise<void>;
}

interface HandleParts {
  readonly client: Client;
  readonly handle: WorkflowHandle;
  readonly source: () => Promise<ChainSource>;
  readonly tokens: TokenChannel | null;
}

export function chainHandle({ client, handle, source, tokens }: HandleParts): ChainHandle {
  const chainId = handle.workflowId;
  return {
    chainId,
    result: async () => {
      try {
        return (await handle.result()) as ChainResult;
      } catch (error) {
        if (isNoneRunning(error)) throw new NoSuchChainError(chainId);
        if (!(error instanceof WorkflowFailedError)) throw error;
        return resultInFailure(error) ?? resultOfRead(await readChain(await source()));
      }
    },
    follow: async function* (options = {}) {
      const opened = await source();
      yield* follow(options.from ? { ...opened, runId: options.from.runId } : opened, tokens, options);
    },
    view: async (viewer, visibility = {}) => {
      checkRules(visibility);
      return view(reasoningOf(await recordedOnServer(await source())), viewer, visibility);
    },
    watch: async function* (viewer, options = {}) {
      checkRules(options.visibility ?? {});
      const opened = await source();
      yield* watch(options.from ? { ...opened, runId: options.from.runId } : opened, tokens, viewer, options);
    },
    describe: async () => describe(await source()),
    cancel: (options = {}) => cancel(client, handle, options),
  };
}

/** Types do not hold what comes from a file. */
function checkRules(visibility: VisibilityConfig): void {
  const problem = problemWithVisibility(visibility);
  if (problem !== null) throw new TypeError(`The rules on who sees what cannot be used: ${problem}.`);
}

async function describe(source: ChainSource): Promise<Description> {
  const read = await readChain(source);
  const { state } = read.chain;
  return {
    chainId: source.chainId,
    runId: source.runId,
    agent: state.input?.agent ?? '',
    task: state.input?.task ?? '',
    status: read.closed === null ? 'running' : 'ended',
    outcome: read.closed === null ? null : resultOfRead(read).outcome,
    doing: read.closed === null ? inFlight(state) : null,
    steps: state.steps,
    tokens: state.spent.tokens,
    costUsd: state.spent.usd,
    currentScratchpad: state.scratchpad,
    chain: read.chain,
  };
}

/** A chain that failed says how in the failure's details. */
function resultInFailure(error: WorkflowFailedError): ChainResult | null {
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== failureTypes.chainFailed) return null;
  return (cause.details?.[0] as ChainResult | undefined) ?? null;
}

/**
 * The wish first, with who and why, then Temporal's own cancel, which makes the close say Canceled. What no
 * worker takes in time is sent again as a signal: a server's restart loses the one and not the other.
 */
async function cancel(client: Client, handle: WorkflowHandle, { by, reason }: CancelOptions): Promise<void> {
  const request: CancelRequest = { id: randomUUID(), by: by ?? null, reason: reason ?? null };
  try {
    await ask(client, handle, request);
    await handle.cancel();
  } catch (error) {
    if (!isNoneRunning(error)) throw error;
    // A chain that has ended needs no cancelling; one that never was cannot be cancelled.
    const known = await handle.describe().then(
      () => true,
      (refused: unknown) => !isNoneRunning(refused),
    );
    if (!known) throw new NoSuchChainError(handle.workflowId);
  }
}

async function ask(client: Client, handle: WorkflowHandle, request: CancelRequest): Promise<void> {
  try {
    await client.withDeadline(Date.now() + patience, () =>
      handle.startUpdate(messageNames.cancel, {
        args: [request],
        updateId: request.id,
        waitForStage: WorkflowUpdateStage.ACCEPTED,
      }),
    );
  } catch (error) {
    if (isNoneRunning(error)) throw error;
    await handle.signal(messageNames.cancel, request);
  }
}

/** It has ended, or never was. */
function isNoneRunning(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
