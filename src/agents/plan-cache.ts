/** Plans of chains that ended in success, for later chains with an equal or similar goal. On a miss, the model plans. */

import { LRUCache } from 'lru-cache';
import { computeDigest, toCanonicalJson } from '../core/lib/index.js';
import { type AgentSnapshot, defaults, type PlanScope, type StoredPlan } from '../core/model/index.js';

export interface PlanCache {
  /** Returns the plans of a scope, the newest first. A rejection counts as none. */
  readonly list: (scope: PlanScope) => Promise<readonly StoredPlan[]> | readonly StoredPlan[];
  /** Replaces the plan of the same goal. */
  readonly put: (scope: PlanScope, plan: StoredPlan) => Promise<void> | void;
}

/**
 * Creates a cache of plans in this process, for a worker without a store.
 *
 * @param max number of plans, at least 1; the oldest are dropped
 */
export function createPlanCache(max: number = defaults.plansKept): PlanCache {
  const plans = new LRUCache<string, { readonly key: string; readonly plan: StoredPlan }>({
    max: max,
    ttl: defaults.planDays * 86_400_000,
  });
  return {
    list: ({ key }) => [...plans.values()].flatMap((row) => (row.key === key ? [row.plan] : [])),
    put: ({ key }, plan) => void plans.set(computeDigest(toCanonicalJson([key, plan.goal])), { key, plan }),
  };
}

/**
 * Computes the scope of a chain's plans: tenant, agent, instructions, tools as the model sees them, and the version in
 * `reuse`. Plans contain what a chain learned, so tenants never share them.
 */
export function computePlanScope(
  tenant: string | null,
  { name, instructions, tools, strategy }: AgentSnapshot,
): PlanScope {
  const toolShapes = tools.map(({ name: tool, description, inputSchema }) => ({ tool, description, inputSchema }));
  const version = strategy.name === 'plan' ? strategy.reuse : null;
  return { tenant, key: computeDigest(toCanonicalJson({ tenant, name, instructions, tools: toolShapes, version })) };
}
