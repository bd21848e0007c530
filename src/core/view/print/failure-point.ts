/** The item at which a chain failed. */

import type { Chain } from '../../model/index.js';
import type { NoticeStep, Reasoning, ReasoningStep } from '../reasoning.js';

export type FailurePoint =
  | {
      readonly kind: 'item';
      /** Id of the marked step: a call's result, a thought, a notice, or the last step. */
      readonly id: string;
      readonly words: string;
    }
  /** The model was called for this step, but the chain has no such step. */
  | { readonly kind: 'missingStep'; readonly step: number; readonly words: string };

/**
 * Returns null for a chain that runs or succeeded. Reads the whole chain, not a view.
 * @param requestedStep the step that the last model call was for, if it is missing: `findMissingStep`
 */
export function findFailurePoint(
  { state, outcome, reason, steps }: Reasoning,
  requestedStep: number | null = null,
): FailurePoint | null {
  if (state !== 'failed' || outcome === null) return null;
  const words = describeOutcome(outcome);
  const lastNumber = steps.findLast(({ kind }) => kind !== 'notice')?.number ?? 0;
  const inLast = steps.filter(({ number }) => number === lastNumber);
  const cause =
    steps.findLast((step) => isResult(step, 'unknown', 'abandoned')) ??
    steps.find((step) => step.kind === 'tool_result' && hasCallMention(reason ?? '', step.correlationId)) ??
    inLast.find((step) => isResult(step, 'cancelled')) ??
    inLast.find((step) => step.kind === 'tool_call' && step.status === 'pending') ??
    inLast.find((step) => step.kind === 'notice' && endingNotices.has(step.notice));
  if (cause === undefined && requestedStep !== null) return { kind: 'missingStep', step: requestedStep, words };
  const item =
    cause ??
    inLast.find((step) => step.kind === 'thinking' && step.problem !== null) ??
    (outcome === 'failure' ? inLast.findLast((step) => isResult(step, 'error')) : undefined) ??
    inLast.findLast(({ kind }) => kind !== 'notice') ??
    steps.at(-1);
  return item === undefined ? null : { kind: 'item', id: item.id, words };
}

/** Returns the step of a model call after the last step; null without one. */
export function findMissingStep({ state, steps }: Chain): number | null {
  const last = steps.at(-1)?.modelCall ?? 0;
  return state.modelCalls > last ? steps.length + 1 : null;
}

/** Notices that explain an end. */
const endingNotices: ReadonlySet<NoticeStep['notice']> = new Set(['limit_reached', 'stalled', 'cancel_requested']);

function isResult(step: ReasoningStep, ...statuses: readonly string[]): boolean {
  return step.kind === 'tool_result' && statuses.includes(step.status);
}

/** `call 1.1` or `Call 1.1`, and not `call 1.10`. */
function hasCallMention(reason: string, call: string): boolean {
  return new RegExp(`\\bcall ${call.replace('.', '\\.')}(?!\\d)`, 'i').test(reason);
}

function describeOutcome(outcome: Reasoning['outcome']): string {
  switch (outcome) {
    case 'failure':
      return 'failed here';
    case 'refused':
      return 'refused here';
    case 'cancelled':
      return 'cancelled here';
    case 'terminated':
      return 'terminated here';
    default:
      return 'stopped here';
  }
}
