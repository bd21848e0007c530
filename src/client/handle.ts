/** Creates handles of chains. What reads a chain is loaded when it is read. */

import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../contract/index.js';
import type { ChainResult } from '../core/engine/index.js';
import { loadOnce } from '../core/lib/index.js';
import type { ChainHandle } from './chain-handle.js';
import type { ClosedRead, ReaderOptions } from './chain-reader.js';
import { createChainCommands } from './commands/chain-commands.js';
import { isNotRunning } from './commands/send-command.js';
import { ChainNotFoundError, isServerUnavailable } from './errors/errors.js';
import type { FollowUpOptions } from './start/follow-up.js';

interface HandleOptions<Answer> extends ReaderOptions {
  /** Starts a follow-up of a chain. */
  readonly followUp: (chainId: string, text: string, options: FollowUpOptions) => Promise<ChainHandle<Answer>>;
}

/** Creates a handle of the chain's latest run: an earlier one may be deleted or discarded by a reset. */
export function createHandle<Answer>({ followUp, ...options }: HandleOptions<Answer>): ChainHandle<Answer> {
  const { client, chainId } = options;
  const handle = client.workflow.getHandle(chainId);
  const load = loadOnce(async () => {
    const { createChainReader } = await import('./chain-reader.js');
    return createChainReader(options);
  });
  return {
    chainId,
    followUp: (text, followUpOptions = {}) => followUp(chainId, text, followUpOptions),
    result: (async (resultOptions) => {
      const result = await waitForResult(handle, async () => (await load()).readResult());
      return resultOptions === undefined ? result : { ...result, trace: await (await load()).readTrace() };
    }) as ChainHandle<Answer>['result'],
    follow: async function* (...args) {
      yield* (await load()).follow(...args);
    },
    watch: async function* (...args) {
      yield* (await load()).watch(...args);
    },
    view: async (...args) => (await load()).view(...args),
    readPrompt: async (...args) => (await load()).readPrompt(...args),
    readFile: async (...args) => (await load()).readFile(...args),
    readObservation: async (...args) => (await load()).readObservation(...args),
    describe: async () => (await load()).describe(),
    read: async () => (await load()).read(),
    ...createChainCommands({ client, handle }, async () => (await load()).listOpenRequests()),
  };
}

/**
 * Waits for the end. A wait that ends without a complete result proves no end: the server was unavailable, or the run was
 * reset. The chain is then read, and waited for again while it runs.
 */
async function waitForResult(handle: WorkflowHandle, read: () => Promise<ClosedRead>): Promise<ChainResult> {
  for (;;) {
    const { result, failure } = await waitForClose(handle);
    if (result !== null && isFullResult(result)) return result;
    const closed = await read();
    if (closed.result !== null) return closed.result;
    // The archive has only earlier runs.
    if (closed.isArchived && failure !== null) throw failure;
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

/** Returns the result in a failed chain's failure details, or null. */
function findResult(error: WorkflowFailedError): ChainResult | null {
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== failureTypes.chainFailed) return null;
  return (cause.details?.[0] as ChainResult | undefined) ?? null;
}
