/**
 * From what a workflow task delivers to the facts of a turn, for the workflow and for readers alike (L1): the canonical order
 * of the facts, and the fact that a result of an activity becomes.
 *
 * The SDK hands facts over in an order of its own; both sides can know this one, and only it is hashed: the start, signals,
 * updates, Temporal's cancel, each as they came; then results, in the order in which they were scheduled. A result of the
 * wrong shape is a failure (L4): without this, `advance` would meet values that its types exclude.
 */

import { shorten } from '../core/lib/display.js';
import { canonical, wellFormed } from '../core/lib/json.js';
import { callThatIsScored, chainThatIsRead } from '../core/model/activity.js';
import type { Fact, Failure, ModelFailure, Observation } from '../core/model/fact.js';
import type { CallModelResult, PrepareAgentResult } from './activities.js';
import { faultInModelCall, faultInObservation, faultInPrepared } from './check-results.js';
import { readReport, readScores } from './child.js';
import { failureTypes, prepareActivityId } from './names.js';

const rank = { start: 0, signal: 1, update: 2, cancel: 3, result: 4 } as const;

export interface Delivered {
  readonly kind: keyof typeof rank;
  /** As it came, or, for a result, as it was scheduled. */
  readonly order: number;
  readonly fact: (at: number) => Fact;
}

/**
 * Sorts what one workflow task delivers, and makes it well-formed Unicode. All that reaches a chain passes here: models,
 * tools and people may send lone surrogates, which databases and other programs cannot hold.
 */
export function canonicalOrder(delivered: readonly Delivered[], at: number): readonly Fact[] {
  const sorted = [...delivered].sort((a, b) => rank[a.kind] - rank[b.kind] || a.order - b.order);
  return sorted.map(({ fact }) => wellFormed(fact(at)));
}

const refusals: ReadonlySet<string> = new Set([
  failureTypes.notCalled,
  failureTypes.digestMismatch,
  failureTypes.unknownAgent,
  failureTypes.badDefinition,
]);

export type Ended = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };

/**
 * Returns the fact that a result or a failure of an activity becomes.
 *
 * @param id the activity's id: `prepare`, `model-4`, a call's `3.1`, or what `core/model/activity.ts` makes
 * @param at when the workflow task that delivered it began
 */
export function factOfActivity(id: string, at: number, ended: Ended): Fact {
  if (id === prepareActivityId) {
    const checked = reject(ended, faultInPrepared);
    return checked.ok
      ? { type: 'prepared', at, ...prepared(checked.value as PrepareAgentResult) }
      : { type: 'prepareFailed', at, failure: checked.failure };
  }
  const chainId = chainThatIsRead(id);
  if (chainId !== null) return { type: 'childRead', at, chainId, report: ended.ok ? readReport(ended.value) : null };
  const scored = callThatIsScored(id);
  if (scored !== null) return { type: 'scored', at, call: scored, scores: ended.ok ? readScores(ended.value) : [] };
  if (id.startsWith('model-')) return factOfModelCall(id, at, reject(ended, faultInModelCall));
  const checked = reject(ended, faultInObservation);
  return checked.ok
    ? { type: 'toolReturned', at, call: id, observation: checked.value as Observation }
    : { type: 'toolFailed', at, call: id, failure: checked.failure };
}

/** An invalid result as the failure that it stands for. */
function reject(ended: Ended, faultIn: (value: unknown) => string | null): Ended {
  const fault = ended.ok ? faultIn(ended.value) : null;
  if (fault === null || !ended.ok) return ended;
  const message = `The activity returned an invalid result (${fault}): ${shorten(canonical(ended.value), 200)}`;
  return { ok: false, failure: { type: failureTypes.invalidResult, message, timeoutType: null, details: null } };
}

function prepared(result: PrepareAgentResult): Pick<Extract<Fact, { type: 'prepared' }>, 'agent' | 'origin'> {
  return 'origin' in result ? result : { agent: result };
}

function factOfModelCall(call: string, at: number, ended: Ended): Fact {
  if (!ended.ok) return { type: 'modelFailed', at, call, failure: lostModelCall(ended.failure) };
  const result = ended.value as CallModelResult;
  switch (result.status) {
    case 'begun':
      return { type: 'begun', at, call, agent: result.agent, first: result.first };
    case 'replied':
      return { type: 'modelReplied', at, call, reply: result.reply };
    case 'failed':
      return { type: 'modelFailed', at, call, failure: result.failure };
  }
}

/** An attempt that did not live to report: nobody knows what the provider charged for it. */
function lostModelCall(failure: Failure): ModelFailure {
  const base = { status: null, retryAfterMs: null, settle: 'reservation', usage: null } as const;
  switch (failure.type) {
    case 'timeout':
      return failure.timeoutType === 'HEARTBEAT'
        ? { ...base, kind: 'lost', message: 'The worker that made the call was lost' }
        : { ...base, kind: 'timeout', message: `The call did not end in time (${failure.message})` };
    case 'cancelled':
      return { ...base, kind: 'cancelled', message: 'The call was stopped' };
    case 'lost':
      return { ...base, kind: 'lost', message: failure.message };
    case failureTypes.invalidResult:
      return { ...base, kind: 'invalid_result', message: failure.message };
    default:
      // What was refused before a request was made costs nothing, and another worker may be able to make it.
      return refusals.has(failure.type)
        ? { ...base, kind: 'not_called', message: failure.message, settle: 'nothing' }
        : { ...base, kind: 'internal', message: failure.message };
  }
}
