/** What a chain comes to. */

import type { Json } from './json.js';
import type { Usage } from './model.js';
import type { Outcome, State } from './state.js';

export interface ChainResult {
  readonly chainId: string;
  /** `terminated` is seen from outside only: the chain itself had no say. */
  readonly outcome: Outcome | 'terminated';
  readonly success: boolean;
  /** Null unless the outcome is `success` or `custom`. Text, or what the agent's result schema describes. */
  readonly answer: Json;
  /** What was found when a limit or a cancel came first; else null. */
  readonly partial: string | null;
  /** One sentence for a person. */
  readonly reason: string;
  readonly steps: number;
  /** Tokens that the provider reported. */
  readonly usage: Usage;
  /** US dollars charged to the budget, whole reservations of calls that reported nothing included; null without a price. */
  readonly costUsd: number | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string;
}

export function resultOf(state: State): ChainResult {
  const { stop } = state;
  const outcome = stop?.outcome ?? 'failure';
  const answered = outcome === 'success' || outcome === 'custom';
  return {
    chainId: state.chainId,
    outcome,
    success: outcome === 'success',
    answer: answered ? (stop?.answer ?? null) : null,
    partial: answered ? null : (stop?.partial ?? null),
    reason: stop?.reason ?? 'The chain ended without a reason.',
    steps: state.steps,
    usage: state.usage,
    costUsd: state.spent.usd,
    startedAt: new Date(state.startedAt).toISOString(),
    endedAt: new Date(state.now).toISOString(),
  };
}
