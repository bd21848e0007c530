/**
 * Requests to people that are open, and what becomes of them by themselves, because time has passed: more people may decide,
 * or it is decided for them.
 *
 * 1. It is the time of a fact that counts, not the timer that brought it: what comes at the same moment as an expiry
 *    finds it expired, in the workflow and in every reader.
 * 2. Each request is decided once; what has expired is not open any more.
 */

import type { AgentSnapshot } from '../model/agent.js';
import { type Ask, type Decided, dueAt, rolesOf } from '../model/ask.js';
import type { PendingCall, State } from '../model/state.js';
import { type Advance, andThen, applyEach, emit } from './advance.js';
import { decidedEntry, notice } from './entry.js';
import { callsIn } from './flight.js';
import * as reasons from './reasons.js';
import { letRun, settleCall, withCall } from './step.js';
import { stopWith } from './stop.js';

/** Applies all that is due by `state.now`. */
export function settleDue(before: State): Advance {
  return applyEach(before, waiting(before), (state, { id }) => {
    const call = waiting(state).find((each) => each.id === id);
    return call === undefined ? emit(state) : settleOne(state, call);
  });
}

export type WaitingCall = PendingCall & { readonly ask: Ask };

/** The calls that people are asked about. */
export function waiting(state: Pick<State, 'flight'>): readonly WaitingCall[] {
  return callsIn(state).filter(isWaiting);
}

function isWaiting(call: PendingCall): call is WaitingCall {
  return call.progress === 'waiting' && call.ask !== undefined;
}

/** When the next of them is due; null when none ever is. */
export function nextDue(state: State): number | null {
  const times = waiting(state)
    .map(({ ask }) => dueAt(ask))
    .filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export function hasExpired({ expiresAt }: Ask, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function settleOne(state: State, call: WaitingCall): Advance {
  if (hasExpired(call.ask, state.now)) return expire(state, call);
  const { escalatesAt } = call.ask;
  if (escalatesAt === null || escalatesAt > state.now) return emit(state);
  const ask: Ask = { ...call.ask, escalatesAt: null };
  const told = notice(state, 'escalated', reasons.escalated(call, rolesOf(ask, state.now)));
  return emit(withCall(state, { ...call, ask }), told);
}

function expire(state: State, call: WaitingCall): Advance {
  const { agent } = state;
  if (agent === null) return emit(state);
  const decided: Decided = { what: 'expired', by: null, roles: [], reason: null, at: state.now };
  return andThen(emit(state, decidedEntry(state, call, decided)), (next) => onExpiry(next, agent, call));
}

function onExpiry(state: State, agent: AgentSnapshot, call: WaitingCall): Advance {
  const { kind, rules } = call.ask;
  switch (kind) {
    case 'approval':
      if (rules.onExpiry === 'approve') return emit(letRun(state, call));
      return settleCall(state, agent, call, { status: 'denied', content: reasons.notApproved(rules.expiresMs) });
    case 'question':
      return settleCall(state, agent, call, { status: 'error', content: reasons.notAnswered(rules.expiresMs) });
    case 'outcome':
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopWith(settled, 'failure', { code: 'undecided_outcome', question: rules.reason }),
      );
  }
}

/** `waiting`: a person is asked something. `paused`: it goes on when somebody says so. */
export type ChainStatus = 'running' | 'waiting' | 'paused';

export function statusOf(state: State): ChainStatus {
  if (state.stop !== null) return 'running';
  if (waiting(state).length > 0) return 'waiting';
  return state.held === null ? 'running' : 'paused';
}
