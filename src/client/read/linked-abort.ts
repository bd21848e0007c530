/**
 * An abort that follows others, and can be unlinked from them.
 *
 * `AbortSignal.any` cannot: Node keeps such a signal with a listener, and each long-lived signal keeps a reference to it.
 */

export interface LinkedAbort {
  /** Aborted with the first of the callers' signals, or by `abort`. */
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Removes the listeners from the callers' signals. */
  readonly unlink: () => void;
}

export function createLinkedAbort(...callers: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const own = new AbortController();
  const links = callers.flatMap((caller) => {
    if (caller === undefined) return [];
    const forward = () => own.abort(caller.reason);
    if (caller.aborted) forward();
    caller.addEventListener('abort', forward);
    return [() => caller.removeEventListener('abort', forward)];
  });
  return {
    signal: own.signal,
    abort: () => own.abort(),
    unlink: () => {
      for (const remove of links) remove();
    },
  };
}
