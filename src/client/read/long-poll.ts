/** A run's history as it grows: asked for again and again, each time answered when there is more. */

import { setTimeout } from 'node:timers/promises';
import type { HistoryEvent } from '../../history/event.js';
import type { ChainSource } from './chain-source.js';

/** Each piece of a history as it comes, until the run is closed. */
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

/** Connections leave a listener on each signal that they are given. */
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
 * A server that is away is asked again until it is back, however long that is: what was read is kept, and only who
 * follows knows when it has been enough.
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

interface LinkedAbort {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Hears the caller no longer. */
  readonly unlink: () => void;
}

/** An abort that follows a caller's, too, and leaves nothing behind on a signal that lives long. */
export function createLinkedAbort(caller: AbortSignal | undefined): LinkedAbort {
  const own = new AbortController();
  const hear = () => own.abort(caller?.reason);
  if (caller?.aborted) hear();
  caller?.addEventListener('abort', hear);
  return { signal: own.signal, abort: () => own.abort(), unlink: () => caller?.removeEventListener('abort', hear) };
}
