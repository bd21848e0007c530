/** How many calls of a tool may run at once, as its author states it. */

import * as check from '../../core/lib/check.js';
import type { ToolConcurrency } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import { checkDuration, type Duration, toMilliseconds } from '../../options/duration.js';

export interface ConcurrencyOptions {
  /** Calls that run at once in one worker. Default: no limit. */
  readonly perWorker?: number;
  /** Calls that run at once in all workers that share a store. Default: no limit. */
  readonly fleet?: number;
  /** Tools of one group share their places, those of other agents too. Default: the tool's name. */
  readonly group?: string;
  /** The longest time that a call waits for a place: milliseconds or `'10m'`. Then it did not run. Default 5 minutes. */
  readonly wait?: Duration;
}

/** A number is the limit of each worker. */
export type Concurrency = number | ConcurrencyOptions;

const checkOptions = check.members<ConcurrencyOptions>({
  perWorker: check.integerFrom(1),
  fleet: check.integerFrom(1),
  group: check.nonEmptyText,
  wait: checkDuration,
});

const checkStated = check.refine(
  checkOptions,
  ({ perWorker, fleet }) => perWorker !== undefined || fleet !== undefined,
  'must have perWorker, fleet or both, such as { perWorker: 4 }',
);

export const checkConcurrency: check.ValueCheck = (value, at) =>
  typeof value === 'number' ? check.integerFrom(1)(value, at) : checkStated(value, at);

export function toToolConcurrency(stated: Concurrency, tool: string): ToolConcurrency {
  const { perWorker, fleet, group = tool, wait } = typeof stated === 'number' ? { perWorker: stated } : stated;
  return {
    group,
    perWorker: perWorker ?? null,
    fleet: fleet ?? null,
    waitMs: toMilliseconds(wait ?? defaults.toolPlaceMs),
  };
}
