/** Plans that worked, for the next chain with the same goal. A cache: what it does not hold, the model plans anew. */

import { LRUCache } from 'lru-cache';
import { computeDigest } from '../core/lib/digest.js';
import { toCanonicalJson } from '../core/lib/json.js';
import type { AgentSnapshot } from '../core/model/agent.js';
import { defaults } from '../core/model/defaults.js';
import type { ChainInput } from '../core/model/fact.js';
import type { PlannedTask } from '../core/model/plan.js';

export interface PlanCache {
  /** Null or undefined where it has none. A failure counts as none. */
  readonly get: (
    key: string,
  ) => Promise<readonly PlannedTask[] | null | undefined> | readonly PlannedTask[] | null | undefined;
  readonly put: (key: string, tasks: readonly PlannedTask[]) => Promise<void> | void;
}

/**
 * Keeps the plans that were used last, in this process. Give `createWorker` one of your own to share them.
 *
 * @param most how many, at least 1
 */
export function createPlanCache(most: number = defaults.plansKept): PlanCache {
  const plans = new LRUCache<string, readonly PlannedTask[]>({ max: most });
  return { get: (key) => plans.get(key), put: (key, tasks) => void plans.set(key, tasks) };
}

/**
 * The same goal for the same agent: its words, its tools as the model sees them, and the version that it gives its plans.
 * A plan holds what was learned while it was worked by: it is nothing for another tenant.
 */
export function computePlanKey(
  { task, tenant }: Pick<ChainInput, 'task' | 'tenant'>,
  { name, instructions, tools, strategy }: AgentSnapshot,
): string {
  const given = tools.map(({ name: tool, description, inputSchema }) => ({ tool, description, inputSchema }));
  const version = strategy.name === 'plan' ? strategy.reuse : null;
  const goal = task.replace(/\s+/g, ' ').trim();
  return computeDigest(toCanonicalJson({ goal, tenant, name, instructions, tools: given, version }));
}
