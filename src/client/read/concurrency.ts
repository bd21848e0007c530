/** Many chains are read a few at a time: the server is not asked for all of them at once. */

import { WorkflowNotFoundError } from '@temporalio/client';
import pMap, { pMapIterable } from 'p-map';
import { isNotFound } from '../../contract/no-such-namespace.js';

/** Chains that are read at a time. */
export const concurrency = 8;

/** Maps `concurrency` items at a time, in their order. The source is read no further ahead. */
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

/** Whether a chain that a search has found no longer exists: its retention may have ended since. */
export function isGone(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || isNotFound(error);
}
