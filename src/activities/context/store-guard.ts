/**
 * K1 An unavailable store fails no operation and delays a chain only briefly: the store is not used for a while.
 */

import { toErrorMessage } from '../../core/lib/index.js';
import { withTimeout } from '../../timing/index.js';
import type { ToolLog } from '../../tools/define/index.js';

/** Milliseconds that a call waits for the store, and milliseconds without the store after a failure. */
const storeTimeoutMs = 5_000;
const storePauseMs = 30_000;

/** Runs work on the store; null if the store fails or is paused. */
export type StoreGuard = <T>(work: () => Promise<T>, log: ToolLog) => Promise<T | null>;

/** Creates the guard; one for each worker. */
export function createStoreGuard(now: () => number = Date.now): StoreGuard {
  let pausedUntil = 0;
  return async (work, log) => {
    if (now() < pausedUntil) return null;
    try {
      const done = await withTimeout(work(), storeTimeoutMs);
      if (done !== null) return done.value;
      throw new Error(`it did not answer within ${storeTimeoutMs / 1_000} s`);
    } catch (error) {
      pausedUntil = now() + storePauseMs;
      log.warn('The store failed; continuing without it', { problem: toErrorMessage(error) });
      return null;
    }
  };
}
