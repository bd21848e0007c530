/**
 * What the results of tool calls do to a chain. L4: a failed tool is an observation. L5: an unsafe call
 * that ended in anything but a result or `NotDone` may have happened; nothing but a person's word runs it again.
 */

import { grantAlways } from '../approvals/always.js';
import { abandonChildren } from '../delegation/advance-children.js';
import { isObject, type Json, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import { type AskRules, openAsk } from '../model/ask.js';
import type { CallStatus } from '../model/chain.js';
import type { Failure, Observation } from '../model/fact.js';
import type { PendingCall, State } from '../model/state.js';
import { type StopReason, sentenceOf } from '../model/stop-reason.js';
import { type Advance, andThen, applyEach, emit } from '../state/advance.js';
import { askRules, riskOf } from '../state/ask-rules.js';
import { addBytes, perObservation } from '../state/budget.js';
import { notice, settledEntry } from '../state/entry.js';
import { callsIn, idle } from '../state/flight.js';
import * as reasons from '../state/reasons.js';
import { settleCall, waitForPerson } from '../state/step.js';
import { nameUnknown, stopWith } from '../state/stop.js';

export function onObservation(state: State, agent: AgentSnapshot, id: string, observation: Observation): Advance {
  const call = running(state, id);
  if (call === null) return emit(state);
  // It came back, so it was let through: who approved it for good may now speak for later calls.
  const granted = call.always === undefined ? state : grantAlways(state, call.tool, call.always);
  return settleCall(granted, agent, call, { status: 'ok', ...observation });
}

export function onToolFailure(state: State, agent: AgentSnapshot, id: string, failure: Failure): Advance {
  const call = running(state, id);
  if (call === null) return emit(state);
  const status = statusOf(call, failure);
  const content = messageOf(call, failure, status);
  if (status === 'unknown' && state.stop === null) {
    return askWhetherItHappened(state, call, failure.message);
  }
  const settled = settleCall(state, agent, call, { status, content });
  if (status === 'unknown') return andThen(settled, (next) => stopOnUnknown(next, call, failure.message));
  if (!isFatal(failure)) return settled;
  return andThen(settled, (next) => stopWith(next, 'failure', failedForGood(call, failure)));
}

/** L5: nobody but a person can say whether it is to be run again. */
function askWhetherItHappened(state: State, call: PendingCall, message: string): Advance {
  const reason = sentenceOf(reasons.unknownOutcome(call, message));
  const rules: AskRules = call.approvedBy
    ? { ...call.approvedBy, reason, approvers: 1, onExpiry: 'deny' }
    : askRules({ reason, risk: riskOf(call.effects) });
  return andThen(emit(state, notice(state, 'unknown', reason)), (noticed) =>
    waitForPerson(noticed, call, openAsk('outcome', rules, state.now)),
  );
}

function stopOnUnknown(state: State, call: PendingCall, message: string): Advance {
  const reason = reasons.unknownOutcome(call, message);
  if (state.stop !== null) return emit(nameUnknown(state, reason));
  return andThen(emit(state, notice(state, 'unknown', sentenceOf(reason))), (noticed) =>
    stopWith(noticed, 'failure', reason),
  );
}

/** After the grace: what has not ended is left behind, and said to be. */
export function abandonCalls(state: State): Advance {
  if (state.flight.kind !== 'calls') return emit(state);
  const left = state.flight.calls.filter(({ progress }) => progress === 'running');
  return applyEach(idle(state), left, abandonCall);
}

function abandonCall(state: State, call: PendingCall): Advance {
  const unknown = call.effects === 'unsafe';
  const message = 'Told to stop, and not heard of since. It may still be running.';
  const next = addBytes(abandonChildren(state, call), utf8Bytes(message) + perObservation);
  const named = unknown ? nameUnknown(next, reasons.unknownOutcome(call, message)) : next;
  return emit(named, settledEntry(state, call, unknown ? 'unknown' : 'abandoned', message));
}

function running(state: State, id: string): PendingCall | null {
  return callsIn(state).find((call) => call.id === id && call.progress === 'running') ?? null;
}

function statusOf(call: PendingCall, failure: Failure): CallStatus {
  if (failure.type === 'NotDone') return 'error';
  if (failure.type === 'InDoubt') return 'unknown';
  if (call.effects === 'unsafe') return 'unknown';
  return failure.type === 'cancelled' ? 'cancelled' : 'error';
}

function messageOf(call: PendingCall, failure: Failure, status: CallStatus): string {
  switch (status) {
    case 'unknown':
      return `Whether this happened is unknown: ${failure.message}`;
    case 'cancelled':
      return 'Stopped before it ended.';
    default:
      return failure.type === 'timeout' ? `${call.tool} did not answer in time (${failure.message}).` : failure.message;
  }
}

function failedForGood({ id, tool }: PendingCall, { message }: Failure): StopReason {
  return { code: 'call_failed', call: id, tool, message };
}

function isFatal(failure: Failure): boolean {
  const details: Json = failure.details;
  return isObject(details) && details.fatal === true;
}
