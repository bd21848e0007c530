/**
 * The place of a chain's tasks in the backlog of a queue, where the server has this switched on: tenants share the queue fairly, and
 * chains of a lower number come first. Activities, sub-chains and later runs inherit it.
 */

import type { Priority } from '@temporalio/common';
import { computeDigest, countUtf8Bytes } from '../../core/lib/index.js';

/** Temporal's limit. */
const maxKeyBytes = 64;

/** @param priority 1 to 5; undefined for the server's default, 3 */
export function toPriority(tenant: string | null, priority: number | undefined): { readonly priority?: Priority } {
  const key = tenant !== null && countUtf8Bytes(tenant) > maxKeyBytes ? computeDigest(tenant) : tenant;
  if (key === null && priority === undefined) return {};
  return {
    priority: {
      ...(key === null ? {} : { fairnessKey: key }),
      ...(priority === undefined ? {} : { priorityKey: priority }),
    },
  };
}
