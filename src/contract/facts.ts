/**
 * Converts the end of an activity to a fact, for the workflow and its readers (L1). An invalid result is a failure (L4):
 * otherwise `advance` would get values that its types exclude.
 */

import { check, isObject, type Json, shorten, toCanonicalJson } from '../core/lib/index.js';
import {
  defaults,
  type Fact,
  type FailureDetails,
  isModelCallId,
  isToolQuestion,
  type ModelFailure,
  type Observation,
  parseCheckActivityId,
  parseForeignActivityId,
  parseModelUses,
  parseReadActivityId,
  parseScoreActivityId,
  prepareActivityId,
} from '../core/model/index.js';
import type { CallModelResult, PrepareAgentResult } from './activities.js';
import { parseChildReport, parseScores } from './child-end.js';
import type { ActivityResult } from './failure.js';
import { toForeignResultFact } from './foreign-result.js';
import { failureTypes } from './names.js';
import {
  checkRequestRules,
  validateModelCallResult,
  validateObservation,
  validatePrepareResult,
} from './validate-results.js';

const rejectionTypes: ReadonlySet<string> = new Set([
  failureTypes.notCalled,
  failureTypes.digestMismatch,
  failureTypes.badDefinition,
]);

/** Failures of a worker that lacks what the activity needs: another worker may have it. */
const requeueTypes: ReadonlySet<string> = new Set([
  failureTypes.unknownAgent,
  failureTypes.unknownTool,
  failureTypes.unknownProvider,
  failureTypes.unknownStrategy,
  failureTypes.unreachableSource,
]);

export function isRequeueFailure(type: string): boolean {
  return requeueTypes.has(type);
}

/**
 * Returns the fact of an activity's result or failure.
 * @param id the activity's id: `prepare`, `model-4`, a call's `3.1`, or one of `core/model/activity.ts`
 * @param at when the workflow task that delivered it began
 */
export function toActivityFact(id: string, at: number, ended: ActivityResult): Fact {
  const chainId = parseReadActivityId(id);
  if (chainId !== null)
    return { type: 'childReportRead', at, chainId, report: ended.ok ? parseChildReport(ended.value) : null };
  const scored = parseScoreActivityId(id);
  if (scored !== null)
    return { type: 'answersScored', at, call: scored, scores: ended.ok ? parseScores(ended.value) : [] };
  const foreign = parseForeignActivityId(id);
  if (foreign !== null) return toForeignResultFact(foreign, at, ended);
  const checkedCall = parseCheckActivityId(id);
  if (checkedCall !== null) {
    if (ended.ok) return { type: 'callChecked', at, call: checkedCall };
    return toActivityFact(checkedCall, at, { ok: false, failure: toCheckFailure(ended.failure) });
  }
  if (!ended.ok && isRequeueFailure(ended.failure.type))
    return { type: 'requeued', at, activity: id, ...toRequeueMembers(ended.failure.details) };
  if (id === prepareActivityId) {
    const checked = rejectInvalidResult(ended, validatePrepareResult);
    return checked.ok
      ? { type: 'prepared', at, ...toPreparedMembers(checked.value as PrepareAgentResult) }
      : { type: 'prepareFailed', at, failure: checked.failure };
  }
  if (isModelCallId(id)) return toModelCallFact(id, at, rejectInvalidResult(ended, validateModelCallResult));
  if (
    !ended.ok &&
    ended.failure.type === failureTypes.approvalRequired &&
    checkRequestRules.is(ended.failure.details)
  ) {
    return { type: 'approvalRequired', at, call: id, rules: ended.failure.details };
  }
  const question = ended.ok ? null : parseQuestion(ended.failure);
  if (question !== null) return { type: 'questionAsked', at, call: id, ...question };
  const checked = rejectInvalidResult(ended, validateObservation);
  return checked.ok
    ? { type: 'toolReturned', at, call: id, observation: checked.value as Observation }
    : { type: 'toolFailed', at, call: id, failure: checked.failure };
}

/** Returns the fact of a local end: the agent, an observation, an error for the model, or that an activity follows. */
export function toLocalCallFact(id: string, at: number, ended: ActivityResult): Fact {
  const isFinal = ended.ok || ended.failure.type === failureTypes.toolError;
  return isFinal ? toActivityFact(id, at, ended) : { type: 'requeued', at, activity: id, local: true };
}

function parseQuestion({ type, details }: FailureDetails): Omit<QuestionAsked, 'type' | 'at' | 'call'> | null {
  if (type !== failureTypes.questionAsked || !isObject(details)) return null;
  const { question, rules } = details;
  if (!isToolQuestion(question) || !checkRequestRules.is(rules)) return null;
  const uses = parseModelUses(details);
  return { question, rules, ...(uses === null ? {} : { uses }) };
}

type QuestionAsked = Extract<Fact, { type: 'questionAsked' }>;

/** Ends of a check that state something about the call. `doneBeforeReset` and `inDoubt`: an earlier run may have made it. */
const checkVerdicts: ReadonlySet<string> = new Set([
  failureTypes.notDone,
  failureTypes.inDoubt,
  failureTypes.doneBeforeReset,
  failureTypes.approvalRequired,
  ...requeueTypes,
]);

/** L5: the call starts only after its check, so it was not made if the check was lost, timed out or was cancelled. */
function toCheckFailure(failure: FailureDetails): FailureDetails {
  const { type, message } = failure;
  if (checkVerdicts.has(type)) return failure;
  const reason = type === 'cancelled' ? 'it was cancelled.' : `its check failed: ${message}`;
  return { type: failureTypes.notDone, message: `It did not run: ${reason}`, timeoutType: null, details: null };
}

/**
 * Reads what the worker reported beside the failure: the agents that it has, the provider, source or strategy that it lacks, that the
 * server knows the search attributes, or an earlier attempt.
 */
function toRequeueMembers(
  details: Json,
): Pick<
  Extract<Fact, { type: 'requeued' }>,
  'searchAttributes' | 'agents' | 'nowhere' | 'provider' | 'source' | 'strategy' | 'attempted'
> {
  if (!isObject(details)) return {};
  return {
    ...(details.searchAttributes === 'registered' ? { searchAttributes: 'registered' as const } : {}),
    ...(check.texts.is(details.agents)
      ? { agents: details.agents.slice(0, defaults.namedAgents).map((name) => shorten(name, 100)) }
      : {}),
    ...(details.nowhere === true ? { nowhere: true as const } : {}),
    ...(typeof details.provider === 'string'
      ? { provider: shorten(details.provider, defaults.providerNameCharacters) }
      : {}),
    ...(typeof details.source === 'string' ? { source: shorten(details.source, defaults.providerNameCharacters) } : {}),
    ...(check.nonEmptyText.is(details.strategy) ? { strategy: shorten(details.strategy, 100) } : {}),
    ...(details.attempted === true ? { attempted: true as const } : {}),
  };
}

/** Returns a failure for an invalid result. */
function rejectInvalidResult(ended: ActivityResult, faultIn: (value: unknown) => string | null): ActivityResult {
  const fault = ended.ok ? faultIn(ended.value) : null;
  if (fault === null || !ended.ok) return ended;
  const message = `The activity returned an invalid result (${fault}): ${shorten(toCanonicalJson(ended.value), 200)}`;
  return { ok: false, failure: { type: failureTypes.invalidResult, message, timeoutType: null, details: null } };
}

function toPreparedMembers(result: PrepareAgentResult): Omit<Extract<Fact, { type: 'prepared' }>, 'type' | 'at'> {
  return 'agent' in result ? result : { agent: result };
}

function toModelCallFact(call: string, at: number, ended: ActivityResult): Fact {
  if (!ended.ok) return { type: 'modelFailed', at, call, failure: toModelFailure(ended.failure) };
  const result = ended.value as CallModelResult;
  switch (result.status) {
    case 'replied':
      return { type: 'modelReplied', at, call, reply: result.reply };
    case 'checked':
      return { type: 'checkEnded', at, call, check: result.check };
    case 'failed':
      return { type: 'modelFailed', at, call, failure: result.failure };
  }
}

/** Converts a lost attempt: the provider's charge for it is unknown. */
function toModelFailure(failure: FailureDetails): ModelFailure {
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
    case failureTypes.storeUnavailable:
      return { ...base, kind: 'store_unavailable', message: failure.message, settle: 'nothing' };
    default:
      // An attempt rejected before its request costs nothing, and another worker may be able to make it.
      return rejectionTypes.has(failure.type)
        ? { ...base, kind: 'not_called', message: failure.message, settle: 'nothing' }
        : { ...base, kind: 'internal', message: failure.message };
  }
}
