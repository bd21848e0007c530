/** Search attributes are registered by the first worker; a server that has seen none refuses what names them. */

import { ServiceError } from '@temporalio/client';

export function isUnregistered(error: unknown): boolean {
  return error instanceof ServiceError && /search attribute/i.test(String(error.cause));
}
