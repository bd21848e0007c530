/**
 * Says that the worker is alive for as long as something runs, so that a cancel reaches it and a lost
 * worker is noticed.
 */

import { Context } from '@temporalio/activity';

/** Milliseconds: the answer to a heartbeat brings the news of a cancel, so this is how long a stopped call may go on. */
const longestMs = 500;

export interface Heart {
  /** Tells how far it has got; told again with each beat until there is more to tell. */
  readonly beat: (details?: unknown) => void;
  readonly stop: () => void;
}

export function keepAlive(): Heart {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return { beat: () => {}, stop: () => {} };
  let last: unknown;
  const every = Math.min(longestMs, Math.max(100, Math.floor(timeout / 4)));
  const timer = setInterval(() => context.heartbeat(last), every);
  const beat = (details?: unknown) => {
    last = details;
    context.heartbeat(details);
  };
  return { beat, stop: () => clearInterval(timer) };
}
