/** Follows a run's history by long polls: each returns when new events exist. */

import { setTimeout } from 'node:timers/promises';
import type { HistoryEvent } from '../../history/index.js';
import type { ChainSource } from './chain-source.js';
import { createLinkedAbort } from './linked-abort.js';

/** Yields each page of a history until the run closes. */
export async function* followHistory(
  source: Pick<ChainSource, 'connection' | 'service' | 'namespace' | 'chainId' | 'runId'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly HistoryEvent[], void> {
  let token: Uint8Array = new Uint8Array();
  do {
    const nextPageToken = token;
    const page = await retryWhileUnavailable(signal, () => poll(source, nextPageToken, signal));
    yield page.history?.events ?? [];
    token = page.nextPageToken ?? new Uint8Array();
  } while (token.length > 0);
}

/** Polls once, with its own signal: a connection leaves a listener on each signal. */
async function poll(
  { connection, service, namespace, chainId, runId }: Parameters<typeof followHistory>[0],
  nextPageToken: Uint8Array,
  caller: AbortSignal | undefined,
) {
  const { signal, unlink } = createLinkedAbort(caller);
  const execution = { workflowId: chainId, runId };
  try {
    return await connection.withAbortSignal(signal, () =>
      service.getWorkflowExecutionHistory({ namespace, execution, waitNewEvent: true, nextPageToken }),
    );
  } finally {
    unlink();
  }
}

/**
 * Retries while the server is unavailable, without limit: what was read is kept, and the caller decides when to stop.
 */
export async function retryWhileUnavailable<T>(
  signal: AbortSignal | undefined,
  read: () => Promise<T>,
  sleep: typeof setTimeout = setTimeout,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      signal?.throwIfAborted();
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== unavailable && code !== deadlineExceeded) throw error;
      await sleep(Math.min(maxRetryDelayMs, 100 * 2 ** attempt), undefined, { signal }).catch(() => {});
    }
  }
}

/** Milliseconds. */
const maxRetryDelayMs = 2_000;
const deadlineExceeded = 4;
const unavailable = 14;
