/** How many workflows a worker caches: by what a workflow takes, and not by the heap alone as the SDK does. */

import { getHeapStatistics } from 'node:v8';

/** What a cached chain is taken to need. With 1,000 waiting chains, resident memory grew by 0.27 to 0.43 MB each (docs/scale.md). */
const workflowBytes = 256 * 1024;

/** Share of the heap that cached workflows may take. */
const heapShare = 1 / 4;

/** Chains at once that a worker is measured with. Those that wait are replayed when something happens to them. */
const maxWorkflows = 1_000;
const minWorkflows = 100;

export function computeCachedWorkflows(heapBytes: number = getHeapStatistics().heap_size_limit): number {
  return Math.max(minWorkflows, Math.min(maxWorkflows, Math.floor((heapBytes * heapShare) / workflowBytes)));
}
