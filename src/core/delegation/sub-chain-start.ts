/**
 * How a sub-chain begins: its agent is prepared and its model called for the first time in one activity. A chain of one
 * step would else spend a third of its tasks on the preparation, and many of them are begun at once.
 *
 * 1. L6: what the call may cost is known once the agent is; until then the whole share is reserved for it. The activity
 *    reserves by the chain's own rules (engine/first-call.ts), and the fact says what.
 * 2. An attempt that was lost may have been made: the agent is then prepared alone, and what the attempt would have
 *    reserved is charged.
 * 3. What people said meanwhile was no part of the request; it is of the next.
 */

import type { AgentSnapshot } from '../model/agent.js';
import type { PersonMessage } from '../model/chain.js';
import type { ChainInput } from '../model/fact.js';
import { findParent, type Lineage, type Share } from '../model/lineage.js';
import type { ChainState } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import type { Reservation } from '../model/usage.js';
import { type Advance, emit } from '../state/advance.js';
import { addBytes, chargeReservation, reserve } from '../state/budget.js';
import { capLimits } from '../state/budget-tree.js';
import { countMessageBytes } from '../state/observation.js';

/** Null for a chain that is prepared first: a root, and a branch, which begins with steps that its preparation reads. */
export function findFirstCallLineage({ input, modelCalls }: Pick<ChainState, 'input' | 'modelCalls'>): Lineage | null {
  const lineage = input?.lineage;
  return lineage === undefined || lineage.branch !== undefined || modelCalls > 0 ? null : lineage;
}

/** Invariant 1, until the agent is known. */
export function reserveShare({ tokens, usd }: Share): Reservation {
  return { inputTokens: tokens, outputTokens: 0, usd };
}

/** Invariant 2. The chain's account begins with its agent: until then, only what a lost attempt held was charged. */
export function chargeLostAttempt(before: ChainState): Advance {
  const { agent, charged } = before;
  if (agent === null) return emit(before);
  const state: ChainState = { ...before, charged: { tokens: 0, usd: agent.model.price === null ? null : 0 } };
  if (charged.tokens === 0) return emit(state);
  const budget = reserve(state, agent, 'step');
  return emit(budget.ok ? chargeReservation(state, budget.reservation) : state);
}

interface AgentPreparation {
  readonly agent: AgentSnapshot;
  /** Why the chain cannot run, as the reason of its end; null when it can. */
  readonly problem: StopReason | null;
}

/** Its limits lie inside of its share. */
export function prepareInTree({ lineage, tenant }: ChainInput, snapshot: AgentSnapshot): AgentPreparation {
  if (lineage === undefined) return { agent: snapshot, problem: null };
  // Its parent may have known it by name alone.
  const { tenants } = snapshot;
  if (tenants !== null && (tenant === null || !tenants.includes(tenant))) {
    return { agent: snapshot, problem: { code: 'other_tenant', agent: snapshot.name } };
  }
  const { usd } = lineage.share;
  if (usd !== null && snapshot.model.price === null) {
    return {
      agent: snapshot,
      problem: { code: 'unpriced_model', agent: snapshot.name, usd, model: snapshot.model.name },
    };
  }
  return { agent: { ...snapshot, limits: capLimits(snapshot.limits, lineage) }, problem: null };
}

/** What a branch is told before it goes on: which of several ways it is to try. */
export function addHypothesis(state: ChainState): Advance {
  const hypothesis = state.input?.lineage?.branch?.hypothesis;
  if (hypothesis === undefined || state.stop !== null) return emit(state);
  const message: PersonMessage = {
    text: `You are one of several branches that go on from here, each with an idea of its own. Try this one, and answer with what it comes to: ${hypothesis}`,
    by: findParent(state)?.agent ?? null,
    afterStep: state.steps,
    at: state.now,
  };
  return emit(addBytes(state, countMessageBytes(message)), { type: 'message-received', at: state.now, message });
}
