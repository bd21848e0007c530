/** What a chain's own calls charged, by the model that was called: its cost belongs to that model (`longhand cost`). */

import { addUsd, type CallRoute, type ChainState, type ModelTotal } from '../../model/index.js';
import { findModel, getPlainModel } from './route.js';

/** A charge of one call. */
export interface Charge {
  /** Null if no model was called, such as the fee of a tool, or the agent is not known yet. */
  readonly model: string | null;
  readonly tokens: number;
  /** US dollars; null without a price. */
  readonly usd: number | null;
  /** Whether it is a whole reservation. */
  readonly isReservation: boolean;
}

/** A reused plan charges nothing and calls no model. */
export function addToModelTotals(totals: readonly ModelTotal[], charge: Charge): readonly ModelTotal[] {
  const { model, tokens, usd, isReservation } = charge;
  if (tokens === 0 && (usd ?? 0) === 0) return totals;
  const before = totals.find((total) => total.model === model) ?? { model, ...noTotal };
  const total: ModelTotal = {
    model,
    calls: before.calls + 1,
    tokens: before.tokens + tokens,
    reservedTokens: before.reservedTokens + (isReservation ? tokens : 0),
    unpricedTokens: before.unpricedTokens + (usd === null ? tokens : 0),
    usd: addUsd(before.usd, usd),
  };
  return before.calls === 0 ? [...totals, total] : totals.map((other) => (other.model === model ? total : other));
}

const noTotal = { calls: 0, tokens: 0, reservedTokens: 0, unpricedTokens: 0, usd: null };

/** Returns the model of the call under way; the first that it may have used where a lost attempt named none. */
export function getCalledModel(state: ChainState, route: CallRoute | undefined): string | null {
  const { agent, flight } = state;
  if (agent === null) return null;
  const name = route?.model ?? (flight.kind === 'model' ? flight.models?.[0] : undefined);
  // A fact may name any model.
  const model = name === undefined ? null : findModel(agent, name);
  return (model ?? getPlainModel(state, agent)).name;
}
