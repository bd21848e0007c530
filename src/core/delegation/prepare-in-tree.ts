/** What it means for an agent that its chain is a sub-chain: its limits lie inside of its share. */

import { usdExact } from '../lib/display.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { ChainInput } from '../model/fact.js';
import { limitsWithin } from '../state/budget-tree.js';

interface Prepared {
  readonly agent: AgentSnapshot;
  /** Why the chain cannot run, as the reason of its end; null when it can. */
  readonly wrong: string | null;
}

export function prepareInTree({ lineage, tenant }: ChainInput, snapshot: AgentSnapshot): Prepared {
  if (lineage === undefined) return { agent: snapshot, wrong: null };
  // Its parent may have known it by name alone.
  const { tenants } = snapshot;
  if (tenants !== null && (tenant === null || !tenants.includes(tenant))) {
    return { agent: snapshot, wrong: `${snapshot.name} belongs to another tenant and is not shared with this one.` };
  }
  const { usd } = lineage.share;
  if (usd !== null && snapshot.model.price === null) {
    return {
      agent: snapshot,
      wrong: `${snapshot.name} may use ${usdExact(usd)} of its parent's budget, and the catalogue has no price for ${snapshot.model.name}: that could not be kept. Give the worker a price map with ${snapshot.model.name} in it; a model that costs nothing has prices of 0.`,
    };
  }
  return { agent: { ...snapshot, limits: limitsWithin(snapshot.limits, lineage) }, wrong: null };
}
