/** The preparation of a sub-chain's agent: what the tree allows it, and its hypothesis. */

import {
  type AgentSnapshot,
  type ChainInput,
  type ChainState,
  findParent,
  type PersonMessage,
  type StopReason,
} from '../../model/index.js';
import { type Advance, emit, unchanged } from '../state/advance.js';
import { addMessageBytes } from '../state/budget.js';
import { capLimits } from '../state/budget-tree.js';
import { countMessageBytes } from '../state/observation.js';
import { findUnpricedModel } from '../state/route.js';

interface AgentPreparation {
  readonly agent: AgentSnapshot;
  /** Why the chain cannot run; null if it can. */
  readonly problem: StopReason | null;
}

/** Prepares the agent of a sub-chain: its limits are capped to its share. */
export function prepareInTree({ lineage, tenant }: ChainInput, snapshot: AgentSnapshot): AgentPreparation {
  if (lineage === undefined) return { agent: snapshot, problem: null };
  // The parent may know the agent only by name, so the tenant is checked here too.
  const { tenants } = snapshot;
  if (tenants !== null && (tenant === null || !tenants.includes(tenant))) {
    return { agent: snapshot, problem: { code: 'other_tenant', agent: snapshot.name } };
  }
  const { usd } = lineage.share;
  const unpriced = findUnpricedModel(snapshot);
  if (usd !== null && unpriced !== null) {
    return {
      agent: snapshot,
      problem: { code: 'unpriced_model', agent: snapshot.name, usd, model: unpriced.name },
    };
  }
  return { agent: { ...snapshot, limits: capLimits(snapshot.limits, lineage) }, problem: null };
}

/** Adds the message that assigns a branch its hypothesis. */
export function addHypothesis(state: ChainState): Advance {
  const hypothesis = state.input?.lineage?.branch?.hypothesis;
  if (hypothesis === undefined || state.stop !== null) return unchanged(state);
  const message: PersonMessage = {
    text: `You are one of several branches that continue from here, each with a different hypothesis. Try this one and answer with the result: ${hypothesis}`,
    by: findParent(state)?.agent ?? null,
    afterStep: state.steps,
    at: state.now,
  };
  return emit(addMessageBytes(state, countMessageBytes(message)), { type: 'message-received', at: state.now, message });
}
