/** Many chains are read a few at a time: the server is not asked for all of them at once. */

import { WorkflowNotFoundError } from '@temporalio/client';
import { isNotFound } from '../../contract/no-such-namespace.js';

/** Chains that are read at a time. */
export const together = 8;

/** What comes, so many at a time; the last group may be smaller. */
export async function* inGroups<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const each of source) {
    group.push(each);
    if (group.length < together) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Whether a chain that a search has found is there no more: its retention may have ended since. */
export function isGone(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || isNotFound(error);
}
