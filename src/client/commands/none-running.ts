/** What the server says of a chain that takes nothing any more: it has ended, or never was. */

import type { WorkflowHandle } from '@temporalio/client';
import { NoSuchChainError, RefusedError } from '../errors/errors.js';
import { glancing } from '../read/glancing.js';

export function isNoneRunning(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** Which of the two it is. */
export async function noneRunning(handle: WorkflowHandle): Promise<RefusedError | NoSuchChainError> {
  const { workflowId } = handle;
  try {
    await glancing(handle.client).getHandle(workflowId).describe();
  } catch (error) {
    if (isNoneRunning(error)) return new NoSuchChainError(workflowId);
    throw error;
  }
  return new RefusedError(workflowId, 'ended', `Chain ${workflowId} has ended: nothing can be said to it any more.`);
}
