/**
 * A request as a viewer may see it (L8). A decision covers the whole request even if a part of it is hidden; masked
 * arguments that were edited are restored to the real values.
 */

import type { OpenRequest } from '../engine/index.js';
import { findOwn, isObject, type Json, toCanonicalJson } from '../lib/index.js';
import type { BlockRule, VisibilityLevel } from '../model/index.js';
import { countMarksWithin } from '../redact/index.js';
import type { ReasoningView } from './reasoning-view.js';

export interface RequestView {
  readonly request: OpenRequest;
  readonly level: VisibilityLevel;
  /** Null if hidden. */
  readonly tool: string | null;
  /** Redacted; null below `full`. */
  readonly input: Json;
  /** How the arguments are laid out: as an edit of a text. Absent if the tool does not state it. */
  readonly block?: BlockRule;
  /** Why approval is needed; below `full` the summary, or null. */
  readonly reason: string | null;
  /** The user of the chain, if they may not decide their own request; else null. */
  readonly excludedUser: string | null;
}

export function viewRequest(request: OpenRequest, { steps, user }: Pick<ReasoningView, 'steps' | 'user'>): RequestView {
  const notBy = request.byRequester ? null : user;
  const hidden: RequestView = { request, level: 'hidden', tool: null, input: null, reason: null, excludedUser: notBy };
  for (const step of steps.toReversed()) {
    if (step.kind !== 'approval' || step.level === 'hidden' || step.correlationId !== request.call) continue;
    if (step.level === 'summary') return { ...hidden, level: 'summary', tool: step.tool, reason: step.summary };
    // Another person changed the arguments between the two reads.
    if (step.digest !== request.digest) return hidden;
    const { tool, input, changedInput, reason } = step;
    const call = steps.find((item) => item.kind === 'tool_call' && item.level === 'full' && item.id === request.call);
    const block = call?.level === 'full' ? call.block : undefined;
    return {
      request,
      level: 'full',
      tool,
      input: changedInput === undefined ? input : changedInput,
      ...(block === undefined ? {} : { block }),
      reason,
      excludedUser: notBy,
    };
  }
  return hidden;
}

/**
 * Replaces redaction marks in edited arguments by the values that they hide, place by place.
 *
 * @param redacted the redacted arguments that were edited
 * @param whole the real arguments
 * @returns the intended arguments, or null if a mark is in a place where it hides nothing
 */
export function restoreInput(edited: Json, redacted: Json, whole: Json): Json | null {
  const put = restoreValue(edited, redacted, whole);
  return countMarksWithin(put) > countMarksWithin(whole) ? null : put;
}

function restoreValue(edited: Json, redacted: Json | undefined, whole: Json | undefined): Json {
  if (redacted === undefined || whole === undefined) return edited;
  if (toCanonicalJson(edited) === toCanonicalJson(redacted)) return whole;
  if (isObject(edited) && isObject(redacted) && isObject(whole)) {
    return Object.fromEntries(
      Object.entries(edited).map(([name, value]) => [
        name,
        restoreValue(value, findOwn(redacted, name), findOwn(whole, name)),
      ]),
    );
  }
  if (Array.isArray(edited) && Array.isArray(redacted) && Array.isArray(whole)) {
    return edited.map((value: Json, at) => restoreValue(value, redacted[at], whole[at]));
  }
  return edited;
}

/** Returns the number of values of the request that its viewer does not see. */
export function countMasked({
  level,
  input,
  request,
}: Pick<RequestView, 'level' | 'input'> & { readonly request: Pick<OpenRequest, 'input'> }): number {
  return level === 'full' ? Math.max(0, countMarksWithin(input) - countMarksWithin(request.input)) : 0;
}
