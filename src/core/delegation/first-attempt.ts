/**
 * How a sub-chain begins: its agent is prepared and its model called for the first time in one activity. A chain of one
 * step would else spend a third of its tasks on the preparation, and many of them are begun at once.
 *
 * 1. L6: what the call may cost is known once the agent is; until then the whole share is reserved for it. The activity
 *    reserves by the chain's own rules (first-call.ts), and the fact says what.
 * 2. An attempt that was lost may have been made: the agent is then prepared alone, and what the attempt would have
 *    reserved is charged.
 * 3. What people said meanwhile was no part of the request; it is of the next.
 */

import type { Lineage, Share } from '../model/lineage.js';
import type { Reservation, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { chargeReservation, reserve } from '../state/budget.js';

/** Null for a chain that is prepared first: a root, and a branch, which begins with steps that its preparation reads. */
export function beginsWithCall({ input, modelCalls }: Pick<State, 'input' | 'modelCalls'>): Lineage | null {
  const lineage = input?.lineage;
  return lineage === undefined || lineage.branch !== undefined || modelCalls > 0 ? null : lineage;
}

/** Invariant 1, until the agent is known. */
export function wholeShare({ tokens, usd }: Share): Reservation {
  return { inputTokens: tokens, outputTokens: 0, usd };
}

/** Invariant 2. The chain's account begins with its agent: until then, only what a lost attempt held was charged. */
export function chargeLost(before: State): Advance {
  const { agent, spent } = before;
  if (agent === null) return emit(before);
  const state: State = { ...before, spent: { tokens: 0, usd: agent.model.price === null ? null : 0 } };
  if (spent.tokens === 0) return emit(state);
  const budget = reserve(state, agent, 'step');
  return emit(budget.ok ? chargeReservation(state, budget.reservation) : state);
}
