/**
 * Bounds the garbage of a worker. V8 lets a heap grow to four times of what it contains before it collects, where the machine
 * has memory. A worker with a thousand chains then has more garbage than chains, and its memory is what people pay for.
 */

import { setFlagsFromString } from 'node:v8';

const heapFlags = [
  // A heap is collected when it has grown by a third. For the main thread too: V8 reads it at each collection.
  { name: '--heap-growing-percent', value: 30 },
  // Megabytes for new objects, of the threads that are started after this: the workflow thread has few that live.
  { name: '--max-semi-space-size', value: 4 },
] as const;

/**
 * Sets V8's flags for this process, before the workflow thread starts. A process that was started with one keeps it. Only for the
 * command: a program that creates a worker decides for itself.
 */
export function limitHeapGrowth(given: readonly string[] = listGivenFlags()): readonly string[] {
  const missing = heapFlags.filter(({ name }) => !given.some((flag) => flag.startsWith(name)));
  const flags = missing.map(({ name, value }) => `${name}=${value}`);
  for (const flag of flags) setFlagsFromString(flag);
  return flags;
}

function listGivenFlags(): readonly string[] {
  const options = process.env.NODE_OPTIONS?.split(/\s+/) ?? [];
  return [...process.execArgv, ...options].map((flag) => flag.replaceAll('_', '-'));
}
