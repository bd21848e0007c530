/** Starts a chain for a command: what the client says of the request is said of the flags. */

import { ChainExistsError, RequestError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import { UsageError } from '../flags/usage-error.js';

/**
 * @param otherwise what else the command could do where there is a chain of this id, as the end of a sentence
 * @throws {UsageError} when there is one, or the request cannot be carried out as it is
 */
export async function startNamed(start: () => Promise<ChainHandle>, otherwise = ''): Promise<ChainHandle> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof ChainExistsError)
      throw new UsageError(`There is a chain ${error.chainId} already. Choose another --id${otherwise}.`);
    if (error instanceof RequestError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws {UsageError} for one in which nothing is said */
export function checkTask(task: string): void {
  if (task.trim() === '') throw new UsageError('The task is empty: say what the agent is to do.');
}
