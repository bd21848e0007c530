/**
 * Ends streams whose credential is no longer valid.
 *
 * A request is checked when it begins, and a stream may then take hours. So the same check runs again while it is open: a
 * revoked or expired key or token loses its streams too. A client with a new token continues after its last event.
 */

import { type Authenticate, isAuthenticationFailure } from './authenticate.js';
import type { Identity } from './identity.js';

export interface WatchCredentialOptions {
  readonly identify: Authenticate;
  /** Milliseconds between two checks. Default: 30,000. */
  readonly everyMs?: number;
}

/**
 * Returns a signal that is aborted when the client has gone, or its credential is rejected.
 *
 * @param closed aborted when the stream has ended, which ends the checks: servers do not abort a request that they answered
 */
export type WatchCredential = (request: Request, identity: Pick<Identity, 'id'>, closed: AbortSignal) => AbortSignal;

export function createCredentialWatch({ identify, everyMs = 30_000 }: WatchCredentialOptions): WatchCredential {
  return (request, { id }, closed) => {
    // Not AbortSignal.any: Node keeps such a signal with a listener, and so its request, until it is aborted.
    const ended = new AbortController();
    const check = async () => {
      if (!(await isValid(identify, request, id))) end();
    };
    const timer = setInterval(() => void check(), everyMs);
    timer.unref();
    const stop = () => {
      clearInterval(timer);
      request.signal.removeEventListener('abort', end);
      closed.removeEventListener('abort', stop);
    };
    const end = () => {
      stop();
      ended.abort();
    };
    request.signal.addEventListener('abort', end);
    closed.addEventListener('abort', stop);
    if (request.signal.aborted) end();
    else if (closed.aborted) stop();
    return ended.signal;
  };
}

/** A check that fails itself ends nothing: a store that restarts would end all streams. */
async function isValid(identify: Authenticate, request: Request, id: string): Promise<boolean> {
  try {
    const result = await identify(request);
    if (result === null) return false;
    return isAuthenticationFailure(result) ? result.reason === 'unavailable' : result.id === id;
  } catch {
    return true;
  }
}
