/**
 * How a sub-chain ended: one function for the workflow, which catches what the SDK throws, and for readers, who decode
 * the history (L1). The content of a close is untrusted: never throws.
 */

import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import { isObject, isTooDeep, type Json } from '../core/lib/index.js';
import {
  type ChildCharge,
  type ChildEnd,
  type ChildReport,
  type Fact,
  type FailureDetails,
  isDataClassList,
  noUsage,
  parseCallWorkflowId,
} from '../core/model/index.js';
import { toWorkflowFailure, unwrapFailure } from './failure.js';
import { toForeignResultFact } from './foreign-result.js';
import { failureTypes } from './names.js';

/** @param result the sub-chain's result */
export function toChildEndFromResult(result: unknown): ChildEnd {
  const report = parseChildReport(result);
  if (report !== null) return { type: 'reported', report };
  return { type: 'silent', status: 'failed', message: 'it closed without a result.' };
}

/** @param cause the failure as in the history, see `unwrapFailure` */
export function toChildEndFromFailure(cause: unknown): ChildEnd {
  if (cause instanceof CancelledFailure) return { type: 'silent', status: 'cancelled', message: 'it was cancelled.' };
  if (cause instanceof TerminatedFailure)
    return { type: 'silent', status: 'terminated', message: 'it was terminated.' };
  if (cause instanceof TimeoutFailure)
    return { type: 'silent', status: 'timeout', message: 'Temporal ended it at its timeout.' };
  if (cause instanceof ApplicationFailure && cause.type === failureTypes.chainFailed) {
    return toChildEndFromResult(cause.details?.[0]);
  }
  const message = cause instanceof Error ? cause.message : 'it ended without a reason.';
  return { type: 'silent', status: 'failed', message };
}

/** @param cause as in the event of a failed start: 1 for an id that is taken */
export function toChildCloseFromStartFailure(cause: number | null | undefined): ChildClose {
  return { kind: 'notStarted', exists: cause === 1 };
}

/** How a child workflow closed, before it is known whether it is a sub-chain or the workflow of a call. */
export type ChildClose =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** The failure as in the history. */
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'notStarted'; readonly exists: boolean };

/** @param error as the SDK throws it in the workflow */
export function toChildCloseFromError(error: unknown): ChildClose {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'notStarted', exists: true };
  return { kind: 'failed', error: unwrapFailure(error) };
}

/** @param id the workflow's id */
export function toChildFact(id: string, at: number, close: ChildClose): Fact {
  const call = parseCallWorkflowId(id);
  if (call === null) return toChildEndedFact(id, at, toChildEnd(close));
  if (close.kind === 'returned') return toForeignResultFact(call, at, { ok: true, value: close.value });
  const failure = close.kind === 'failed' ? toWorkflowFailure(close.error) : toStartFailure(id, close);
  return toForeignResultFact(call, at, { ok: false, failure });
}

function toChildEnd(close: ChildClose): ChildEnd {
  switch (close.kind) {
    case 'returned':
      return toChildEndFromResult(close.value);
    case 'failed':
      return toChildEndFromFailure(close.error);
    case 'notStarted':
      return close.exists ? { type: 'exists' } : { type: 'not_started', message: 'the server rejected it.' };
  }
}

/** An existing workflow may have had the effect; a rejected start has none. */
function toStartFailure(id: string, { exists }: Extract<ChildClose, { kind: 'notStarted' }>): FailureDetails {
  const message = exists
    ? `Workflow ${id} exists already: an earlier run of this chain started it, and it is not started again.`
    : `The server did not start workflow ${id}.`;
  return {
    type: exists ? failureTypes.workflowExists : failureTypes.notDone,
    message,
    timeoutType: null,
    details: null,
  };
}

export function toChildEndedFact(chainId: string, at: number, end: ChildEnd): Fact {
  return { type: 'childEnded', at, chainId, end };
}

/** Returns null for a value that is not a sub-chain's result. */
export function parseChildReport(value: unknown): ChildReport | null {
  // Too deep a value could not be written into a request or into the parent's state.
  if (!isObject(value) || isTooDeep(value)) return null;
  const { outcome, answer = null, partial, reason, steps, charged, hasUnsafeCalls, dataClasses, transcript } = value;
  const charge = parseCharged(charged);
  if (typeof outcome !== 'string' || typeof reason !== 'string' || charge === null) return null;
  if (dataClasses !== undefined && !isDataClassList(dataClasses)) return null;
  return {
    outcome: outcome as ChildReport['outcome'],
    answer,
    partial: typeof partial === 'string' ? partial : null,
    reason,
    steps: toSafeAmount(steps),
    charged: charge,
    hasUnsafeCalls: hasUnsafeCalls === true,
    ...(dataClasses === undefined ? {} : { dataClasses }),
    ...(typeof transcript === 'string' ? { transcript } : {}),
  };
}

function parseCharged(value: Json | undefined): ChildCharge | null {
  if (!isObject(value)) return null;
  const { tokens, usd, unpricedTokens, timeMs, chains, usage } = value;
  if (![tokens, timeMs, chains].every((amount) => Number.isFinite(amount) && Number(amount) >= 0)) return null;
  return {
    tokens: toSafeAmount(tokens),
    usd: typeof usd === 'number' && usd >= 0 ? toSafeAmount(usd) : null,
    ...(unpricedTokens === undefined ? {} : { unpricedTokens: toSafeAmount(unpricedTokens) }),
    timeMs: toSafeAmount(timeMs),
    chains: toSafeAmount(chains),
    usage: Object.fromEntries(
      Object.keys(noUsage).map((name) => [name, toSafeAmount(isObject(usage) ? usage[name] : 0)]),
    ) as unknown as ChildCharge['usage'],
  };
}

export function parseScores(value: unknown): readonly (number | null)[] {
  if (!Array.isArray(value)) return [];
  return value.map((score: unknown) => (typeof score === 'number' && Number.isFinite(score) ? score : null));
}

/** Limits an amount to the safe integers: larger sums are not exact, and JSON has no infinity. */
function toSafeAmount(value: Json | undefined): number {
  return typeof value === 'number' && value >= 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}
