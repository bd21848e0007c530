/** A cache of successful plans for later chains with the same goal. On a miss, the model plans again. */

import { LRUCache } from 'lru-cache';
import { computeDigest } from '../core/lib/digest.js';
import { toCanonicalJson } from '../core/lib/json.js';
import type { AgentSnapshot } from '../core/model/agent.js';
import { defaults } from '../core/model/defaults.js';
import type { ChainInput } from '../core/model/fact.js';
import type { PlannedTask } from '../core/model/plan.js';

export interface PlanCache {
  /** Returns null or undefined on a miss. A rejection counts as a miss. */
  readonly get: (
    key: string,
  ) => Promise<readonly PlannedTask[] | null | undefined> | readonly PlannedTask[] | null | undefined;
  readonly put: (key: string, tasks: readonly PlannedTask[]) => Promise<void> | void;
}

/**
 * Creates a cache of the most recently used plans in this process. To share plans, pass your own to `createWorker`.
 *
 * @param most number of plans, at least 1
 */
export function createPlanCache(most: number = defaults.plansKept): PlanCache {
  const plans = new LRUCache<string, readonly PlannedTask[]>({ max: most });
  return { get: (key) => plans.get(key), put: (key, tasks) => void plans.set(key, tasks) };
}

/**
 * Computes the key of a plan: goal, tenant, agent, instructions, tools as the model sees them, and the version in `reuse`.
 * Plans contain what a chain learned, so tenants never share them.
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
