/**
 * Requests to people that are open, and what becomes of them by themselves, because time has passed: more people may decide,
 * or it is decided for them.
 *
 * 1. It is the time of a fact that counts, not the timer that brought it: what comes at the same moment as an expiry
 *    finds it expired, in the workflow and in every reader.
 * 2. Each request is decided once; what has expired is not open any more.
 */

import type { AgentSnapshot } from '../model/agent.js';
import { type Decision, findDueTime, listDecidingRoles, type PersonRequest } from '../model/request.js';
import type { ChainState, PendingCall } from '../model/state.js';
import { type Advance, andThen, applyEach, emit } from './advance.js';
import { createDecisionEntry, createNoticeEntry } from './entry.js';
import { listCalls } from './flight.js';
import * as reasons from './notice-text.js';
import { allowCall, replaceCall, settleCall } from './step.js';
import { stopChain } from './stop.js';

/** Applies all that is due by `state.now`. */
export function settleDueRequests(before: ChainState): Advance {
  return applyEach(before, listWaitingCalls(before), (state, { id }) => {
    const call = listWaitingCalls(state).find((each) => each.id === id);
    return call === undefined ? emit(state) : settleRequest(state, call);
  });
}

export type WaitingCall = PendingCall & { readonly request: PersonRequest };

/** The calls that people are asked about. */
export function listWaitingCalls(state: Pick<ChainState, 'flight'>): readonly WaitingCall[] {
  return listCalls(state).filter(isWaiting);
}

function isWaiting(call: PendingCall): call is WaitingCall {
  return call.progress === 'waiting' && call.request !== undefined;
}

/** When the next of them is due; null when none ever is. */
export function findNextDueTime(state: ChainState): number | null {
  const times = listWaitingCalls(state)
    .map(({ request }) => findDueTime(request))
    .filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export function hasExpired({ expiresAt }: PersonRequest, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function settleRequest(state: ChainState, call: WaitingCall): Advance {
  if (hasExpired(call.request, state.now)) return expireRequest(state, call);
  const { escalatesAt } = call.request;
  if (escalatesAt === null || escalatesAt > state.now) return emit(state);
  const ask: PersonRequest = { ...call.request, escalatesAt: null };
  const told = createNoticeEntry(
    state,
    'request_escalated',
    reasons.formatEscalationNotice(call, listDecidingRoles(ask, state.now)),
  );
  return emit(replaceCall(state, { ...call, request: ask }), told);
}

function expireRequest(state: ChainState, call: WaitingCall): Advance {
  const { agent } = state;
  if (agent === null) return emit(state);
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
        content: reasons.renderApprovalExpiry(rules.expiresMs),
      });
    case 'question':
      return settleCall(state, agent, call, {
        status: 'error',
        content: reasons.renderQuestionExpiry(rules.expiresMs),
      });
    case 'outcome':
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopChain(settled, 'failure', { code: 'undecided_outcome', question: rules.reason }),
      );
  }
}

/** `waiting`: a person is asked something. `paused`: it goes on when somebody says so. */
export type ChainStatus = 'running' | 'waiting' | 'paused';

export function getChainStatus(state: ChainState): ChainStatus {
  if (state.stop !== null) return 'running';
  if (listWaitingCalls(state).length > 0) return 'waiting';
  return state.paused === null ? 'running' : 'paused';
}
