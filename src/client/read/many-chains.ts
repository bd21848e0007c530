/**
 * Reads many chains: a few at a time, so that the server is not asked for all of them at once, with a client that needs no keys
 * to list them. One that cannot be read keeps nobody from the others.
 */

import { type Client, type ConnectionLike, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import pMap, { pMapIterable } from 'p-map';
import { isNotFound } from '../../contract/no-such-namespace.js';
import { opaqueMemoConverter } from '../../contract/payloads.js';
import { isServerUnavailable } from '../errors/errors.js';

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

interface ClientTarget {
  readonly connection: ConnectionLike;
  readonly options: Pick<Client['options'], 'namespace'>;
}

/** A client for `list` and `describe` alone, whatever memos are written with: what they hold is null. */
export function createMetadataClient({ connection, options: { namespace } }: ClientTarget): WorkflowClient {
  return new WorkflowClient({ connection, namespace, dataConverter: opaqueMemoConverter });
}

/**
 * Why one of many chains cannot be read, which keeps nobody from the others: its keys are not here, or it is damaged. Null
 * for what the server answers, or does not: that concerns them all.
 */
export function explainUnreadable(error: unknown): string | null {
  return isServerUnavailable(error) || !(error instanceof Error) || 'code' in error ? null : error.message;
}
