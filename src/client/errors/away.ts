/** Whether a server does not answer, as opposed to answering that it has no such thing. */

import { ServiceError } from '@temporalio/client';

const codes: ReadonlySet<unknown> = new Set([4, 14]);

/** By gRPC's codes for what is unavailable, and for what was waited for too long. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && codes.has(error.code)) return true;
  return error instanceof ServiceError && error.cause !== undefined && isAway(error.cause);
}
