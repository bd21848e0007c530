/** An abort of one's own that hears a caller's, too: what is given it leaves nothing behind on a signal that lives long. */

export interface OwnAbort {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Hears the caller no longer. */
  readonly leave: () => void;
}

export function ownAbort(caller: AbortSignal | undefined): OwnAbort {
  const own = new AbortController();
  const hear = () => own.abort(caller?.reason);
  if (caller?.aborted) hear();
  caller?.addEventListener('abort', hear);
  return { signal: own.signal, abort: () => own.abort(), leave: () => caller?.removeEventListener('abort', hear) };
}
