/** Where a chain went wrong: what a person who asks why looks at first. */

import type { Chain } from '../model/chain.js';
import type { Reasoning, ReasoningStep } from '../view/reasoning.js';

export type FailurePoint =
  | {
      readonly kind: 'item';
      /** Of the step that is marked: a call's result, a thought, a notice, or the last there is. */
      readonly id: string;
      readonly words: string;
    }
  /** The model was asked for this step, and it never came: nothing in the chain stands for that. */
  | { readonly kind: 'missingStep'; readonly step: number; readonly words: string };

/**
 * Null for a chain that runs or did what it was asked. The chain whole, not what one viewer sees of it.
 *
 * @param asked the step that the model was asked for last, if it is not there: `askedFor`
 */
export function findFailurePoint(
  { state, outcome, reason, steps }: Reasoning,
  asked: number | null = null,
): FailurePoint | null {
  if (state !== 'failed') return null;
  const words = describeOutcome(outcome);
  const lastNumber = steps.findLast(({ kind }) => kind !== 'notice')?.number ?? 0;
  const inLast = steps.filter(({ number }) => number === lastNumber);
  const told =
    steps.findLast((step) => isResult(step, 'unknown', 'abandoned')) ??
    steps.find((step) => step.kind === 'tool_result' && hasCallMention(reason ?? '', step.correlationId)) ??
    inLast.find((step) => isResult(step, 'cancelled')) ??
    inLast.find((step) => step.kind === 'tool_call' && step.status === 'pending') ??
    inLast.find((step) => step.kind === 'notice' && endingNotices.has(step.notice));
  if (told === undefined && asked !== null) return { kind: 'missingStep', step: asked, words };
  const found =
    told ??
    inLast.find((step) => step.kind === 'thinking' && step.problem !== null) ??
    (outcome === 'failure' ? inLast.findLast((step) => isResult(step, 'error')) : undefined) ??
    inLast.findLast(({ kind }) => kind !== 'notice') ??
    steps.at(-1);
  return found === undefined ? null : { kind: 'item', id: found.id, words };
}

/** The step that the model was asked for after the last there is; null where it was not asked again. */
export function findMissingStep({ state, steps }: Chain): number | null {
  const last = steps.at(-1)?.modelCall ?? 0;
  return state.modelCalls > last ? steps.length + 1 : null;
}

/** Notices that say why a chain ends. */
const endingNotices: ReadonlySet<string> = new Set(['limit', 'stalled', 'cancel']);

function isResult(step: ReasoningStep, ...statuses: readonly string[]): boolean {
  return step.kind === 'tool_result' && statuses.includes(step.status);
}

/** `call 1.1`, and not `call 1.10`. */
function hasCallMention(reason: string, call: string): boolean {
  const at = reason.indexOf(`call ${call}`);
  return at >= 0 && !/^\d/.test(reason.slice(at + `call ${call}`.length));
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
