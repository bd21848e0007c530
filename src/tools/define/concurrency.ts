/** How many calls of a tool may run at the same time in a worker, as its author states it. */

import { check, isObject } from '../../core/lib/index.js';
import { defaults, type ToolConcurrency } from '../../core/model/index.js';
import { checkDuration, type Duration, toMilliseconds } from '../../options/index.js';

export interface ConcurrencyOptions {
  /** Calls that run at the same time in one worker. */
  readonly perWorker: number;
  /** Tools of one group share their slots, those of other agents too. Default: the tool's name. */
  readonly group?: string;
  /** The longest time that a call waits for a slot: milliseconds or `'10m'`. Then it did not run. Default 5 minutes. */
  readonly wait?: Duration;
}

/** A number is the limit of each worker. */
export type Concurrency = number | ConcurrencyOptions;

const checkCalls = check.integerFrom(1);
const checkOptions = check.refine(
  check.members<ConcurrencyOptions>({ perWorker: checkCalls, group: check.nonEmptyText, wait: checkDuration }),
  ({ perWorker }) => perWorker !== undefined,
  'must have perWorker, such as { perWorker: 4 }',
);

export const checkConcurrency: check.ValueCheck = (value, at) => {
  if (typeof value === 'number') return checkCalls(value, at);
  // Temporal limits the calls of all workers itself: by the workers of a task queue.
  if (isObject(value) && 'fleet' in value)
    return `${at}.fleet is not an option: give the tool a task queue of its own (taskQueue), and let its worker run that many calls (temporal: { maxConcurrentActivityTaskExecutions })`;
  return checkOptions(value, at);
};

export function toToolConcurrency(options: Concurrency, tool: string): ToolConcurrency {
  const { perWorker, group = tool, wait } = typeof options === 'number' ? { perWorker: options } : options;
  return { group, perWorker, slotTimeoutMs: toMilliseconds(wait ?? defaults.slotTimeoutMs) };
}
