/**
 * The start of a sub-chain: one activity prepares the agent and makes the first model call. Otherwise a sub-chain of one
 * step would spend a third of its workflow tasks on the preparation.
 *
 * 1. L6: the cost of the call is unknown before the agent is prepared, so the whole share is reserved. The activity then
 *    reserves by the chain's own rules (engine/first-call.ts) and the fact records the amount.
 * 2. A lost attempt may have reached the provider: the agent is then prepared alone, and the attempt's reservation is charged.
 * 3. Messages that people send in the meantime belong to the next request.
 */

import type { AgentSnapshot } from '../model/agent.js';
import type { PersonMessage } from '../model/chain.js';
import type { ChainInput } from '../model/fact.js';
import { findParent, type Lineage, type Share } from '../model/lineage.js';
import { type ChainState, changeState, emptyState } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import type { Reservation } from '../model/usage.js';
import { type Advance, emit, unchanged } from '../state/advance.js';
import { addMessageBytes, chargeReservation, reserve } from '../state/budget.js';
import { capLimits } from '../state/budget-tree.js';
import { getCalledModel } from '../state/model-totals.js';
import { countMessageBytes } from '../state/observation.js';
import { findUnpricedModel, hasPrices } from '../state/route.js';

/** Returns null for a chain that is prepared first: a root, or a branch (its preparation reads the parent's steps). */
export function findFirstCallLineage({ input, modelCalls }: Pick<ChainState, 'input' | 'modelCalls'>): Lineage | null {
  const lineage = input?.lineage;
  return lineage === undefined || lineage.branch !== undefined || modelCalls > 0 ? null : lineage;
}

/** Invariant 1: the reservation until the agent is known. */
export function reserveShare({ tokens, usd }: Share): Reservation {
  return { inputTokens: tokens, outputTokens: 0, usd };
}

/** Invariant 2. Resets the charges when the agent is known: until then, only a lost attempt was charged. */
export function chargeLostAttempt(before: ChainState): Advance {
  const { agent, charged } = before;
  if (agent === null) return unchanged(before);
  const state: ChainState = changeState(before, {
    charged: { tokens: 0, usd: hasPrices(agent) ? 0 : null },
    unpricedTokens: 0,
    reservedCharges: emptyState.reservedCharges,
    modelTotals: [],
  });
  if (charged.tokens === 0) return emit(state);
  const budget = reserve(state, agent, 'step');
  return emit(budget.ok ? chargeReservation(state, budget.reservation, getCalledModel(state, undefined)) : state);
}

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
