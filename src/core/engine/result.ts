/** The result of a chain. */

import { type Json, removePrivateParts, shorten } from '../lib/index.js';
import {
  type ChainState,
  type ChildCharge,
  formatStop,
  hasAnswer,
  type Outcome,
  type ReservedCharges,
  type StopCode,
  type ThreadRef,
  toUnpricedTokens,
  type Usage,
} from '../model/index.js';
import { computeCharge } from './state/budget-tree.js';
import { clipObservation } from './state/observation.js';
import { formatFindings } from './state/stop.js';

export interface ChainResult {
  readonly chainId: string;
  /** Only for a follow-up: its place in its thread. */
  readonly thread?: ThreadRef;
  /** `terminated` comes only from outside: the chain did not end by itself. */
  readonly outcome: Outcome | 'terminated';
  readonly success: boolean;
  /**
   * Null unless the outcome is `success` or `custom`. Text, or a value of the agent's output schema. Private parts are
   * removed, as from all texts of the result.
   */
  readonly answer: Json;
  /** Findings, where a limit or a cancel came before an answer; else null. */
  readonly partial: string | null;
  /** Code of the stop reason (docs/codes.md); null if the chain did not end by itself. */
  readonly reasonCode: StopCode | null;
  /** The stop reason as a sentence for people. */
  readonly reason: string;
  /** The version of its agent; absent if the agent has none. */
  readonly agentVersion?: string;
  readonly steps: number;
  /** Classes of the data that it has read. Absent for none. */
  readonly dataClasses?: readonly string[];
  /** Tokens that the provider reported. */
  readonly usage: Usage;
  /** US dollars charged to the budget, with full reservations for calls without usage; null without a price. */
  readonly costUsd: number | null;
  /** Charged tokens of models without a price: `costUsd` does not contain their cost. Absent for none. */
  readonly unpricedTokens?: number;
  /** The part of `costUsd` and of the charged tokens that is whole reservations. Absent where every call reported its usage. */
  readonly reservedCharges?: ReservedCharges;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Milliseconds from start to end. */
  readonly durationMs: number;
  /** All sub-chains below; `usage` and `costUsd` above are the chain's own. Absent without sub-chains. */
  readonly subtree?: {
    readonly chains: number;
    readonly usage: Usage;
    /** US dollars; null where none of them had a price. */
    readonly costUsd: number | null;
    readonly unpricedTokens?: number;
  };
  /** Only for a sub-chain: the charge to its parent's budget, for it and all below it. */
  readonly charged?: ChildCharge;
  /** Only for a sub-chain: whether it, or one below it, started an unsafe call. If so, it is not retried. */
  readonly hasUnsafeCalls?: boolean;
  /** Only for a sub-chain: bytes of the full answer, where `answer` is clipped for the parent. */
  readonly clippedFrom?: number;
}

export function toChainResult(state: ChainState): ChainResult {
  const { stop } = state;
  const version = state.agent?.version ?? null;
  const outcome = stop?.outcome ?? 'failure';
  return {
    chainId: state.chainId,
    ...(state.input?.thread === undefined ? {} : { thread: state.input.thread }),
    outcome,
    success: outcome === 'success',
    answer: hasAnswer(outcome) ? removePrivateParts(stop?.answer ?? null) : null,
    partial: hasAnswer(outcome) ? null : removePrivateParts(stop?.partial ?? null),
    reasonCode: stop?.reason.code ?? null,
    reason: stop === null ? 'The chain has not ended.' : removePrivateParts(formatStop(stop)),
    ...(version === null ? {} : { agentVersion: version }),
    steps: state.steps,
    ...(state.dataClasses.length === 0 ? {} : { dataClasses: state.dataClasses }),
    usage: state.usage,
    costUsd: state.charged.usd,
    ...toUnpricedTokens(state),
    ...(state.reservedCharges.calls === 0 ? {} : { reservedCharges: state.reservedCharges }),
    startedAt: new Date(state.startedAt).toISOString(),
    ...toEndTimes(state.startedAt, state.now),
    ...toSubtree(state),
    ...(state.input?.lineage === undefined
      ? {}
      : { charged: computeCharge(state), hasUnsafeCalls: state.hasUnsafeCalls }),
  };
}

/** @param at milliseconds since 1970, like `startedAt` */
export function toEndTimes(startedAt: number, at: number): Pick<ChainResult, 'endedAt' | 'durationMs'> {
  return { endedAt: new Date(at).toISOString(), durationMs: Math.max(0, at - startedAt) };
}

function toSubtree({ subChainTotals }: ChainState): Pick<ChainResult, 'subtree'> {
  const { chains, usage, usd } = subChainTotals;
  return chains === 0 ? {} : { subtree: { chains, usage, costUsd: usd, ...toUnpricedTokens(subChainTotals) } };
}

/**
 * Returns the result in the workflow's close. Temporal also writes the close of a sub-chain into its parent's history, so
 * it is no larger than what the parent's model sees. Every end without an answer contains the findings.
 */
export function toCloseResult(state: ChainState): ChainResult {
  const result = toChainResult(state);
  const lineage = state.input?.lineage;
  if (lineage === undefined) return result;
  const { content, clippedFrom } = clipObservation(result.answer, lineage.answerTokens);
  const findings = result.partial ?? (hasAnswer(result.outcome) ? null : formatFindings(state));
  const partial = findings === null ? null : shorten(findings, 4 * lineage.answerTokens);
  const clipped = clippedFrom === null ? {} : { clippedFrom };
  return { ...result, answer: content, partial, reason: shorten(result.reason, maxReasonLength), ...clipped };
}

/** Characters of a sub-chain's reason: it may contain the error of a tool. */
const maxReasonLength = 500;
