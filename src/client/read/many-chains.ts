/** Reads many chains, a few at a time. An unreadable chain does not stop the others. */

import { WorkflowNotFoundError } from '@temporalio/client';
import pMap, { pMapIterable } from 'p-map';
import { isNotFound } from '../../contract/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import { isServerUnavailable } from '../errors/errors.js';

/** Chains read at the same time. */
export const concurrency = 8;

/** Maps items in order, `concurrency` at a time. Reads the source no further ahead. */
export function mapEach<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  map: (item: T) => Promise<R>,
): AsyncIterable<Awaited<R>> {
  return pMapIterable(source, map, { concurrency }) as AsyncIterable<Awaited<R>>;
}

/** Maps all items, `concurrency` at a time. */
export function mapAll<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  return pMap(items, map, { concurrency }) as Promise<R[]>;
}

/** Whether a found chain no longer exists: its retention may have ended. */
export function isGone(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || isNotFound(error);
}

/**
 * Explains why one chain is unreadable: its keys are missing, or it is damaged. Null for errors of the server, which
 * concern all chains.
 */
export function explainUnreadable(error: unknown): string | null {
  if (isLonghandError(error)) return error.message;
  return isServerUnavailable(error) || !(error instanceof Error) || 'code' in error ? null : error.message;
}
