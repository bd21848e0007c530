/**
 * K1 An unavailable store fails no operation and delays a chain only briefly: the store is not used for a while.
 */

import { type Json, toErrorMessage } from '../../core/lib/index.js';
import type { CacheKey, ToolCache } from '../../store/index.js';
import { withTimeout } from '../../timing/index.js';
import type { ToolLog } from '../../tools/define/index.js';

/** Milliseconds that a call waits for the store, and milliseconds without the store after a failure. */
const storeTimeoutMs = 5_000;
const storePauseMs = 30_000;

/** Runs work on the store; null if the store fails or is paused. */
export type StoreGuard = <T>(work: () => Promise<T>, log: ToolLog) => Promise<T | null>;

/** Creates the guard; one for each kind of activity of a worker. */
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

/** The cache of results and replies, for a chain. */
export interface CacheContext {
  readonly toolCache: ToolCache | null;
  readonly guard: StoreGuard;
  readonly log: ToolLog;
  readonly namespace: string;
  readonly tenant: string | null;
}

export interface CachedValue {
  /** Null if the value is unknown. */
  readonly found: { readonly value: Json; readonly ageMs: number } | null;
  readonly put: (value: Json) => Promise<void>;
}

export const noCachedValue: CachedValue = { found: null, put: async () => {} };

export async function findCachedValue(
  { toolCache, guard, log, namespace, tenant }: CacheContext,
  part: Pick<CacheKey, 'tool' | 'version' | 'input'>,
  ttlMs: number,
): Promise<CachedValue> {
  if (toolCache === null) return noCachedValue;
  const key: CacheKey = { namespace, tenant, ...part };
  const lookup = await guard(() => toolCache.get(key, ttlMs), log);
  if (lookup === null) return noCachedValue;
  const { found, at } = lookup;
  return {
    found,
    put: async (value) => {
      await guard(() => toolCache.put(key, value, { at, ttlMs }), log);
    },
  };
}
