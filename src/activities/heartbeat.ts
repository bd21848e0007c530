/**
 * Says that the worker is alive for as long as something runs, so that a cancel reaches it and a lost
 * worker is noticed. Returns what stops it.
 */

import { Context } from '@temporalio/activity';

/** Milliseconds: the answer to a heartbeat brings the news of a cancel, so this is how long a stopped call may go on. */
const longestMs = 500;

export function keepAlive(): () => void {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return () => {};
  const timer = setInterval(() => context.heartbeat(), Math.min(longestMs, Math.max(100, Math.floor(timeout / 4))));
  return () => clearInterval(timer);
}
