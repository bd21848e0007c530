/** What a chain comes to. */

import { shorten } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import type { ChildCharge } from '../model/child.js';
import type { Usage } from '../model/model.js';
import type { ChainState } from '../model/state.js';
import { formatStop, type Outcome, type StopCode } from '../model/stop-reason.js';
import { computeCharge } from '../state/budget-tree.js';
import { clipObservation } from '../state/observation.js';
import { formatFindings } from '../state/stop.js';

export interface ChainResult {
  readonly chainId: string;
  /** `terminated` is seen from outside only: the chain itself had no say. */
  readonly outcome: Outcome | 'terminated';
  readonly success: boolean;
  /** Null unless the outcome is `success` or `custom`. Text, or what the agent's result schema describes. */
  readonly answer: Json;
  /** What was found when a limit or a cancel came first; else null. */
  readonly partial: string | null;
  /** Code of the stop reason (docs/codes.md); null where the chain did not end by itself. */
  readonly reasonCode: StopCode | null;
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
  /** What its sub-chains came to, and all below them; `usage` and `costUsd` are its own. Absent where it began none. */
  readonly subtree?: {
    readonly chains: number;
    readonly usage: Usage;
    /** US dollars; null where none of them had a price. */
    readonly costUsd: number | null;
  };
  /** Of a sub-chain: what its parent's budget is charged for it and all below it. */
  readonly charged?: ChildCharge;
  /** Of a sub-chain: whether it, or one below it, has begun an unsafe call; it is not begun again then. */
  readonly hasUnsafeCalls?: boolean;
  /** Bytes of the whole answer, where this is the part of it that a sub-chain's parent is given. */
  readonly clippedFrom?: number;
}

export function toChainResult(state: ChainState): ChainResult {
  const { stop } = state;
  const outcome = stop?.outcome ?? 'failure';
  return {
    chainId: state.chainId,
    outcome,
    success: outcome === 'success',
    answer: hasAnswer(outcome) ? (stop?.answer ?? null) : null,
    partial: hasAnswer(outcome) ? null : (stop?.partial ?? null),
    reasonCode: stop?.reason.code ?? null,
    reason: stop === null ? 'The chain has not ended.' : formatStop(stop),
    steps: state.steps,
    usage: state.usage,
    costUsd: state.charged.usd,
    startedAt: new Date(state.startedAt).toISOString(),
    endedAt: new Date(state.now).toISOString(),
    ...toSubtree(state),
    ...(state.input?.lineage === undefined
      ? {}
      : { charged: computeCharge(state), hasUnsafeCalls: state.hasUnsafeCalls }),
  };
}

function hasAnswer(outcome: ChainResult['outcome']): boolean {
  return outcome === 'success' || outcome === 'custom';
}

function toSubtree({ subChainTotals: { chains, usage, usd } }: ChainState): Pick<ChainResult, 'subtree'> {
  return chains === 0 ? {} : { subtree: { chains, usage, costUsd: usd } };
}

/**
 * The result as the chain closes with it. Temporal writes the close of a sub-chain into its parent's history too: that
 * grows by no more than the parent's model is shown. What was found goes with every end without an answer.
 */
export function toCloseResult(state: ChainState): ChainResult {
  const result = toChainResult(state);
  const lineage = state.input?.lineage;
  if (lineage === undefined) return result;
  const { content, clippedFrom } = clipObservation(result.answer, lineage.answerTokens);
  const found = result.partial ?? (hasAnswer(result.outcome) ? null : formatFindings(state));
  const partial = found === null ? null : shorten(found, 4 * lineage.answerTokens);
  const whole = clippedFrom === null ? {} : { clippedFrom };
  return { ...result, answer: content, partial, reason: shorten(result.reason, maxReasonLength), ...whole };
}

/** Characters of a sub-chain's reason: what a tool threw may be quoted in it. */
const maxReasonLength = 500;
