/**
 * Applies the results of tool calls. L4: a failed tool is an observation. L5: an unsafe call without a result or `NotDone`
 * may have happened; only a person's decision runs it again.
 */

import { countUtf8Bytes, formatDuration, isObject, toValueText } from '../lib/index.js';
import {
  type AgentSnapshot,
  type CallStatus,
  type ChainState,
  createPersonRequest,
  createQuestionRequest,
  defaults,
  doubleWait,
  type Fact,
  type FailureDetails,
  formatStopReason,
  type ModelUse,
  type Observation,
  type PendingCall,
  parseModelUses,
  type RequestRules,
  type StopReason,
} from '../model/index.js';
import { grantStandingApprovals, hasStandingApprovals } from './approvals/standing-approvals.js';
import { abandonChildren } from './delegation/advance-children.js';
import { type Advance, andThen, applyEach, emit, unchanged } from './state/advance.js';
import { addBytes, observationOverheadBytes } from './state/budget.js';
import { settleAttempt } from './state/call-charges.js';
import { addCostReason, getPayment, queueCall, releaseReservation, toChargeParts } from './state/call-payment.js';
import { rememberFutileCall } from './state/earlier-calls.js';
import { createNoticeEntry, createObservationEntry } from './state/entry.js';
import { endFlight, listCalls } from './state/flight.js';
import { toUnknownOutcomeReason } from './state/notice-text.js';
import { clipObservation } from './state/observation.js';
import { combineAllRules, createRequestRules, toRisk } from './state/request-rules.js';
import { addToolClasses, replaceCall, settleCall, settleUnanswered, waitForPerson } from './state/step.js';
import { addStopReason, notRunText, stopChain } from './state/stop.js';

export function applyObservation(
  state: ChainState,
  agent: AgentSnapshot,
  id: string,
  observation: Observation,
): Advance {
  const call = findRunningCall(state, id);
  if (call === null) return unchanged(state);
  // The call returned, so policies accepted its arguments: standing approvals may take effect.
  const granted =
    call.standingVotes === undefined ? state : grantStandingApprovals(state, call.tool, call.standingVotes);
  const { uses = null, ...result } = fitForeignResult(agent, call, observation);
  const paid = settleAttempt(granted, call, uses);
  return settleCall(paid.state, agent, paid.call, { status: 'ok', ...result });
}

/** What a foreign activity or workflow returned was clipped only to what a fact holds: no tool of Longhand returned it. */
function fitForeignResult(agent: AgentSnapshot, { tool: called }: PendingCall, observation: Observation): Observation {
  const isForeign = agent.tools.some(({ name, runs }) => name === called && runs !== undefined);
  if (!isForeign) return observation;
  const fitted = clipObservation(observation.content, agent.maxObservationTokens);
  return { ...fitted, clippedFrom: observation.clippedFrom ?? fitted.clippedFrom };
}

/** The foreign activity or workflow of the call is started with the next actions. */
export function applyPassedCheck(state: ChainState, id: string): Advance {
  const call = findRunningCall(state, id);
  if (call === null || state.agent === null) return unchanged(state);
  if (state.stop !== null) return settleCall(state, state.agent, call, { status: 'not_run', content: notRunText });
  return emit(replaceCall(state, { ...call, checked: true, progress: 'ready' }));
}

/** Applies the verdict on an unchecked call, which did not run: the worker of its model call lacked the tool. */
export function applyApprovalRequired(state: ChainState, id: string, rules: RequestRules): Advance {
  const call = findRunningCall(state, id);
  if (call === null || state.agent === null) return unchanged(state);
  if (state.stop !== null)
    return settleCall(state, state.agent, releaseReservation(call), { status: 'not_run', content: notRunText });
  const { unchecked: _, requeues: _returns, ...checked } = releaseReservation(call);
  if (hasStandingApprovals(state, call.tool, rules)) {
    return emit(replaceCall(state, { ...checked, progress: 'ready', approvedUnder: rules }));
  }
  return waitForPerson(
    state,
    checked,
    createPersonRequest('approval', addCostReason(state.agent, checked, rules), state.now),
  );
}

/**
 * The call runs again from its start when a person has answered; it may have read something before. L5: the person who answers the
 * question of an unsafe call has it run again, so the rules of its approval apply too, and a result that it had is not lost.
 */
export function applyQuestion(
  before: ChainState,
  { call: id, question, rules, uses }: Extract<Fact, { type: 'questionAsked' }>,
): Advance {
  const running = findRunningCall(before, id);
  const { agent } = before;
  if (running === null || agent === null) return unchanged(before);
  const { state, call: paid } = settleAttempt(before, running, uses ?? null);
  const { resultWithoutAnswer: _, ...rest } = paid;
  const call: PendingCall = {
    ...rest,
    reusable: false,
    // A question is no failed attempt.
    ...(paid.payment === undefined ? {} : { payment: { ...paid.payment, attempt: getPayment(running).attempt } }),
    ...(question.result === undefined ? {} : { resultWithoutAnswer: question.result }),
  };
  if (state.stop !== null) {
    const content = 'Stopped before its question was answered.';
    return settleUnanswered(state, agent, call, { status: 'cancelled', content });
  }
  if ((running.answers?.length ?? 0) >= defaults.questionsPerCall) {
    const content = `It asked more than ${defaults.questionsPerCall} questions in one call, which is the limit.`;
    return settleUnanswered(state, agent, call, { status: 'error', content });
  }
  const request = createQuestionRequest(question, addApprovalRules(call, rules), state.now);
  return waitForPerson(addToolClasses(state, agent, call), call, request);
}

/** One person answers, also where several had to approve. */
function addApprovalRules({ effects, approvedUnder }: PendingCall, rules: RequestRules): RequestRules {
  if (effects !== 'unsafe') return rules;
  const all = approvedUnder === undefined ? rules : (combineAllRules([approvedUnder, rules]) ?? rules);
  return { ...all, reason: rules.reason, risk: toRisk(effects), approvers: 1, onExpiry: 'deny' };
}

export function applyToolFailure(
  before: ChainState,
  agent: AgentSnapshot,
  id: string,
  failure: FailureDetails,
): Advance {
  const running = findRunningCall(before, id);
  if (running === null) return unchanged(before);
  const { state, call } = settleAttempt(before, running, findUses(failure));
  const status = toCallStatus(call, failure);
  const retryAt = status === 'error' ? findRetryTime(state, agent, call, failure) : null;
  if (retryAt !== null) return emit(replaceCall(state, queueCall(call, retryAt)));
  const content = addUnanswered(formatFailure(call, failure, status, agent), call);
  if (status === 'unknown' && state.stop === null) {
    return requestOutcome(addToolClasses(state, agent, call), call, failure.message);
  }
  const known =
    isMarked(failure, 'permanent') && status === 'error' ? rememberFutileCall(state, id, call.key, content) : state;
  const settled = settleCall(known, agent, call, { status, content });
  if (status === 'unknown')
    return andThen(settled, (next) => emit(addStopReason(next, toUnknownOutcomeReason(call, failure.message))));
  if (!isMarked(failure, 'fatal')) return settled;
  return andThen(settled, (next) => stopChain(next, 'failure', toFatalStopReason(call, failure)));
}

/** A call that no worker took has used nothing; null for one whose worker reported nothing. */
function findUses(failure: FailureDetails): readonly ModelUse[] | null {
  return wasNotStarted(failure) ? [] : parseModelUses(failure.details);
}

/** Failures without a word of the tool: its worker was lost, or too slow. */
const lostTypes: ReadonlySet<string> = new Set(['timeout', 'lost']);

/**
 * Returns when a failed call that costs is tried again; null for never. The chain decides it, and not Temporal's retries,
 * because each attempt has a reservation of its own (L6).
 */
function findRetryTime(
  { stop, now }: ChainState,
  agent: AgentSnapshot,
  call: PendingCall,
  failure: FailureDetails,
): number | null {
  const { type, details } = failure;
  const tool = agent.tools.find(({ name }) => name === call.tool);
  if (stop !== null || tool?.cost === undefined || call.effects === 'unsafe') return null;
  const { attempt } = getPayment(call);
  const isRequested = isObject(details) && details.retry === true;
  if (attempt > tool.attempts || wasNotStarted(failure) || (!isRequested && !lostTypes.has(type))) return null;
  return now + doubleWait(tool.backoffMs, attempt - 1, maxBackoffMs);
}

/** Milliseconds between two attempts at most. */
const maxBackoffMs = 60_000;

/** L5: only a person can decide whether the call runs again. */
function requestOutcome(state: ChainState, call: PendingCall, message: string): Advance {
  const reason = formatStopReason(toUnknownOutcomeReason(call, message));
  const rules: RequestRules = call.approvedUnder
    ? { ...call.approvedUnder, reason, approvers: 1, onExpiry: 'deny' }
    : createRequestRules({ reason, risk: toRisk(call.effects) });
  return andThen(emit(state, createNoticeEntry(state, 'outcome_unknown', reason)), (noticed) =>
    waitForPerson(noticed, call, createPersonRequest('outcome', rules, state.now)),
  );
}

/** Abandons calls that have not ended within the grace. */
export function abandonCalls(state: ChainState): Advance {
  if (state.flight.kind !== 'calls') return unchanged(state);
  const left = state.flight.calls.filter(({ progress }) => progress === 'running');
  return applyEach(endFlight(state), left, abandonCall);
}

function abandonCall(state: ChainState, call: PendingCall): Advance {
  const unknown = call.effects === 'unsafe';
  const message = 'Cancelled, but not ended within the grace. It may still be running.';
  const paid = settleAttempt(state, call, null);
  const next = addBytes(abandonChildren(paid.state, call), countUtf8Bytes(message) + observationOverheadBytes);
  const last = unknown ? addStopReason(next, toUnknownOutcomeReason(call, message)) : next;
  return emit(
    last,
    createObservationEntry(state, call, unknown ? 'unknown' : 'abandoned', message, null, toChargeParts(paid.call)),
  );
}

function findRunningCall(state: ChainState, id: string): PendingCall | null {
  return listCalls(state).find((call) => call.id === id && call.progress === 'running') ?? null;
}

function toCallStatus(call: PendingCall, failure: FailureDetails): CallStatus {
  if (failure.type === 'NotDone' || wasNotStarted(failure)) return 'error';
  if (failure.type === 'InDoubt') return 'unknown';
  if (call.effects === 'unsafe') return 'unknown';
  return failure.type === 'cancelled' ? 'cancelled' : 'error';
}

/** No worker took it from its task queue in time. */
function wasNotStarted({ type, timeoutType }: FailureDetails): boolean {
  return type === 'timeout' && timeoutType === 'SCHEDULE_TO_START';
}

function formatFailure(
  call: PendingCall,
  failure: FailureDetails,
  status: CallStatus,
  { tools }: AgentSnapshot,
): string {
  const { queue, attempts = 1 } = tools.find(({ name }) => name === call.tool) ?? {};
  if (wasNotStarted(failure) && queue !== undefined) {
    const within = `within ${formatDuration(queue.queueTimeoutMs)}`;
    // An earlier attempt may have run.
    return call.effects === 'unsafe' || attempts <= 1
      ? `No worker of the task queue ${queue.name} took the call ${within}; it did not run.`
      : `No worker of the task queue ${queue.name} took the last attempt at the call ${within}.`;
  }
  switch (status) {
    case 'unknown':
      return `Whether this happened is unknown: ${failure.message}`;
    case 'cancelled':
      return 'Stopped before it ended.';
    default:
      return failure.type === 'timeout' ? `${call.tool} did not answer in time (${failure.message}).` : failure.message;
  }
}

/** The failure is that of the run with the answer. */
function addUnanswered(failure: string, { resultWithoutAnswer }: PendingCall): string {
  return resultWithoutAnswer === undefined
    ? failure
    : `${failure}\nBefore its question was answered, the call returned: ${toValueText(resultWithoutAnswer)}`;
}

function toFatalStopReason({ id, tool }: PendingCall, { message }: FailureDetails): StopReason {
  return { code: 'call_failed', call: id, tool, message };
}

/** What the tool's own error states: that the chain ends, or that an equal call fails again. */
function isMarked({ details }: FailureDetails, mark: 'fatal' | 'permanent'): boolean {
  return isObject(details) && details[mark] === true;
}
