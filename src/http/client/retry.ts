/** When a request is sent again, and after how long. */

import { parseRetryAfter } from '../../core/lib/index.js';
import { HttpProblemError } from './problem-error.js';

/** An error after which the same request may succeed. */
export interface RetryableError {
  readonly error: Error;
  /** Whether the gateway certainly did nothing. */
  readonly notDone: boolean;
  /** Milliseconds, from `Retry-After`. */
  readonly afterMs: number | null;
}

const passingStatus: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Returns null for an error that the next request would get as well. */
export function toRetryable(error: Error, { status, headers }: Response): RetryableError | null {
  if (!passingStatus.has(status)) return null;
  const isClosing = error instanceof HttpProblemError && error.code === 'closing';
  const afterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  return {
    ...{ error, notDone: status === 429 || isClosing },
    afterMs: afterMs === null ? null : Math.min(afterMs, maxAfterMs),
  };
}

const maxAfterMs = 60_000;

const maxDelayMs = 15_000;

/** Doubles with each failure. Random, so that the clients of a gateway that restarts do not return all at once. */
export function computeDelay(failures: number, baseMs: number): number {
  const full = Math.min(baseMs * 2 ** Math.min(failures, 16), Math.max(maxDelayMs, baseMs));
  return full * (0.5 + Math.random() / 2);
}

/** @throws the reason of the signal, when it is aborted */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
