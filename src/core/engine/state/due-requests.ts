/**
 * Open requests, and what time does to them: it escalates them to more people, or expires them.
 *
 * 1. The time of a fact counts, not the timer: a command that arrives at the time of an expiry finds the request
 *    expired, in the workflow and in every reader.
 * 2. A request is decided once; an expired request is closed.
 */

import {
  type AgentSnapshot,
  type ChainState,
  type Decision,
  findDueTime,
  listDecidingRoles,
  type PendingCall,
  type PersonRequest,
} from '../../model/index.js';
import { type Advance, andThen, applyEach, emit, unchanged } from './advance.js';
import { createDecisionEntry, createNoticeEntry } from './entry.js';
import { listCalls } from './flight.js';
import { formatEscalationNotice, renderApprovalExpiry, renderQuestionExpiry } from './notice-text.js';
import { findHolder } from './retry-wait.js';
import { allowCall, replaceCall, settleCall, settleUnanswered } from './step.js';
import { stopChain } from './stop.js';
import { hasOnlyWaits } from './waits.js';

/** Escalates and expires all requests that are due at `state.now`. */
export function updateDueRequests(before: ChainState): Advance {
  return applyEach(before, listWaitingCalls(before), (state, { id }) => {
    const call = listWaitingCalls(state).find((waitingCall) => waitingCall.id === id);
    return call === undefined ? unchanged(state) : updateRequest(state, call);
  });
}

export type WaitingCall = PendingCall & { readonly request: PersonRequest };

/** Returns the calls with an open request. */
export function listWaitingCalls(state: Pick<ChainState, 'flight'>): readonly WaitingCall[] {
  return listCalls(state).filter(isWaiting);
}

function isWaiting(call: PendingCall): call is WaitingCall {
  return call.progress === 'waiting' && call.request !== undefined;
}

/** Returns when the next request, or the question at a limit, is due; null for never. */
export function findNextDueTime(state: ChainState): number | null {
  const requestTimes = listWaitingCalls(state).map(({ request }) => findDueTime(request));
  const times = [...requestTimes, state.paused?.question?.expiresAt ?? null].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export function hasExpired({ expiresAt }: PersonRequest, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function updateRequest(state: ChainState, call: WaitingCall): Advance {
  if (hasExpired(call.request, state.now)) return expireRequest(state, call);
  const { escalatesAt } = call.request;
  if (escalatesAt === null || escalatesAt > state.now) return unchanged(state);
  const request: PersonRequest = { ...call.request, escalatesAt: null };
  const notice = createNoticeEntry(
    state,
    'request_escalated',
    formatEscalationNotice(call, listDecidingRoles(request, state.now)),
  );
  return emit(replaceCall(state, { ...call, request }), notice);
}

function expireRequest(state: ChainState, call: WaitingCall): Advance {
  const { agent } = state;
  if (agent === null) return unchanged(state);
  const decided: Decision = { kind: 'expired', by: null, roles: [], reason: null, at: state.now };
  return andThen(emit(state, createDecisionEntry(state, call, decided)), (next) => applyExpiry(next, agent, call));
}

function applyExpiry(state: ChainState, agent: AgentSnapshot, call: WaitingCall): Advance {
  const { kind, rules } = call.request;
  switch (kind) {
    case 'approval':
      if (rules.onExpiry === 'approve') return emit(allowCall(state, call));
      return settleCall(state, agent, call, {
        status: 'denied',
        content: renderApprovalExpiry(rules.expiresMs),
      });
    case 'question':
      return settleUnanswered(state, agent, call, {
        status: 'error',
        content: renderQuestionExpiry(rules.expiresMs),
      });
    case 'outcome':
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopChain(settled, 'failure', { code: 'undecided_outcome', question: rules.reason }),
      );
  }
}

/**
 * `waiting`: for people, to decide a request, to answer at a limit, or to repair what holds the chain. `sleeping`: only for a time, a signal or a budget.
 * `paused`: until a person resumes it.
 */
export type ChainStatus = 'running' | 'waiting' | 'sleeping' | 'paused';

export function getChainStatus(state: ChainState): ChainStatus {
  if (state.stop !== null) return 'running';
  if (isWaitingForPeople(state)) return 'waiting';
  if (state.paused !== null) return 'paused';
  return hasOnlyWaits(state) || isWaitingForBudget(state) ? 'sleeping' : 'running';
}

/** A wait for a rate is short. */
function isWaitingForBudget({ flight, failing }: ChainState): boolean {
  return flight.kind === 'modelRetry' && failing?.failure === 'budget';
}

/** Returns whether people must decide a request, answer a question at a limit, or repair what holds the chain. */
function isWaitingForPeople(state: ChainState): boolean {
  if (state.stop !== null) return false;
  return listWaitingCalls(state).length > 0 || state.paused?.question !== undefined || findHolder(state) !== null;
}
