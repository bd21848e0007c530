/** How many workflows a worker caches: by what a workflow takes, and not by the heap alone as the SDK does. */

import { getHeapStatistics } from 'node:v8';

/**
 * Resident memory of a cached chain that waits, measured with 1,000 of them: 0.1 MB of the heap, and 0.15 MB of the SDK's
 * core and of garbage (docs/scale.md).
 */
const workflowBytes = 256 * 1024;

/** Share of the heap that cached workflows may take. */
const heapShare = 1 / 4;

/** More need not be cached: a worker with its slots for calls keeps fewer chains busy, and those that wait are replayed. */
const maxWorkflows = 1_000;
const minWorkflows = 100;

export function computeCachedWorkflows(heapBytes: number = getHeapStatistics().heap_size_limit): number {
  return Math.max(minWorkflows, Math.min(maxWorkflows, Math.floor((heapBytes * heapShare) / workflowBytes)));
}
