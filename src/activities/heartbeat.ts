/**
 * Says that the worker is alive for as long as something runs, so that a cancel reaches it and a lost
 * worker is noticed. Returns what stops it.
 */

import { Context } from '@temporalio/activity';

export function keepAlive(): () => void {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return () => {};
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), Math.max(100, Math.floor(timeout / 4)));
  return () => clearInterval(timer);
}
