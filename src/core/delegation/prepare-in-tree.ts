/** What it means for an agent that its chain is a sub-chain: its limits lie inside of its share. */

import type { AgentSnapshot } from '../model/agent.js';
import type { ChainInput } from '../model/fact.js';
import type { StopReason } from '../model/stop-reason.js';
import { limitsWithin } from '../state/budget-tree.js';

interface Prepared {
  readonly agent: AgentSnapshot;
  /** Why the chain cannot run, as the reason of its end; null when it can. */
  readonly wrong: StopReason | null;
}

export function prepareInTree({ lineage, tenant }: ChainInput, snapshot: AgentSnapshot): Prepared {
  if (lineage === undefined) return { agent: snapshot, wrong: null };
  // Its parent may have known it by name alone.
  const { tenants } = snapshot;
  if (tenants !== null && (tenant === null || !tenants.includes(tenant))) {
    return { agent: snapshot, wrong: { code: 'other_tenant', agent: snapshot.name } };
  }
  const { usd } = lineage.share;
  if (usd !== null && snapshot.model.price === null) {
    return {
      agent: snapshot,
      wrong: { code: 'unpriced_model', agent: snapshot.name, usd, model: snapshot.model.name },
    };
  }
  return { agent: { ...snapshot, limits: limitsWithin(snapshot.limits, lineage) }, wrong: null };
}
