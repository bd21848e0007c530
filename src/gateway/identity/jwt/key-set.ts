/**
 * The public keys of an issuer of tokens, from its URL.
 *
 * 1. A token with an unknown key makes the keys load again: an issuer changes its keys at any time. A pause between two loads
 *    keeps a flood of such tokens from the issuer.
 * 2. Keys load again when they are older than `maxAgeMs`, so that a withdrawn key is not accepted permanently.
 * 3. While the issuer does not answer, known keys are used, up to `maxStaleMs`. Tokens with other keys fail as unavailable.
 */

import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';

export interface RemoteKeysOptions {
  /** Milliseconds. Default: 10 minutes. */
  readonly maxAgeMs?: number;
  /** Milliseconds. Default: 24 hours. */
  readonly maxStaleMs?: number;
  /** Milliseconds between two loads for unknown keys, and after a failure. Default: 10 seconds. */
  readonly pauseMs?: number;
  /** Milliseconds. Default: 5 seconds. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** The keys could not be loaded: the token may be valid. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

export function createRemoteKeys(url: URL, options: RemoteKeysOptions = {}): JWTVerifyGetKey {
  const { maxAgeMs = 600_000, maxStaleMs = 86_400_000, pauseMs = 10_000, timeoutMs = 5_000, now = Date.now } = options;
  // When to load is decided here: its own rules forget the keys of an issuer that does not answer.
  const never = Number.POSITIVE_INFINITY;
  const keys = createRemoteJWKSet(url, { timeoutDuration: timeoutMs, cacheMaxAge: never, cooldownDuration: never });
  let loadedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: KeysUnavailableError | null = null;

  let loading: Promise<void> | null = null;

  const loadOnce = async (): Promise<void> => {
    triedAt = now();
    try {
      await keys.reload();
      loadedAt = now();
      failure = null;
    } catch (error) {
      failure = new KeysUnavailableError(`The keys at ${url.href} could not be loaded.`, { cause: error });
      throw failure;
    } finally {
      loading = null;
    }
  };

  /** Requests at the same time share one load. */
  const load = (): Promise<void> => {
    loading ??= loadOnce();
    return loading;
  };

  const isPaused = () => loading === null && now() - triedAt < pauseMs;

  const refresh = async (): Promise<void> => {
    if (now() - loadedAt < maxAgeMs) return;
    const isUsable = () => now() - loadedAt < maxStaleMs;
    if (failure !== null && isPaused()) {
      if (isUsable()) return;
      throw failure;
    }
    await load().catch((error: unknown) => {
      if (!isUsable()) throw error;
    });
  };

  return async (header, token) => {
    await refresh();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (isPaused()) throw failure ?? error;
      await load();
      return keys(header, token);
    }
  };
}
