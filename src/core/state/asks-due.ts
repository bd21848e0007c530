/**
 * What becomes of requests by themselves, because time has passed: more people may decide, or it is decided for them.
 *
 * 1. It is the time of a fact that counts, not the timer that brought it: what comes at the same moment as an expiry
 *    finds it expired, in the workflow and in every reader.
 * 2. Each request is decided once; what has expired is not open any more.
 */

import type { AgentSnapshot } from '../model/agent.js';
import { type Ask, type Decided, dueAt, rolesOf } from '../model/ask.js';
import type { PendingCall, State } from '../model/state.js';
import { decidedEntry, type Entry, notice } from './entry.js';
import { callsIn } from './flight.js';
import * as reasons from './reasons.js';
import { letRun, settleCall, withCall } from './settle-call.js';
import { type Advance, stopWith } from './stop.js';

/** Applies all that is due by `state.now`. */
export function settleDue(before: State): Advance {
  let state = before;
  const entries: Entry[] = [];
  for (const { id } of waiting(before)) {
    const call = waiting(state).find((each) => each.id === id);
    if (call === undefined) continue;
    const settled = settleOne(state, call);
    state = settled.state;
    entries.push(...settled.entries);
  }
  return { state, entries };
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
  if (escalatesAt === null || escalatesAt > state.now) return { state, entries: [] };
  const ask: Ask = { ...call.ask, escalatesAt: null };
  const told = notice(state, 'escalated', reasons.escalated(call, rolesOf(ask, state.now)));
  return { state: withCall(state, { ...call, ask }), entries: [told] };
}

function expire(state: State, call: WaitingCall): Advance {
  const { agent } = state;
  if (agent === null) return { state, entries: [] };
  const decided: Decided = { what: 'expired', by: null, roles: [], reason: null, at: state.now };
  const told = decidedEntry(state, call, decided);
  const then = onExpiry(state, agent, call);
  return { state: then.state, entries: [told, ...then.entries] };
}

function onExpiry(state: State, agent: AgentSnapshot, call: WaitingCall): Advance {
  const { kind, rules } = call.ask;
  switch (kind) {
    case 'approval':
      if (rules.onExpiry === 'approve') return { state: letRun(state, call), entries: [] };
      return settleCall(state, agent, call, { status: 'denied', content: reasons.notApproved(rules.expiresMs) });
    case 'question':
      return settleCall(state, agent, call, { status: 'error', content: reasons.notAnswered(rules.expiresMs) });
    case 'outcome':
      return settleCall(state, agent, call, { status: 'unknown', content: rules.reason }, (noted) =>
        stopWith(noted, 'failure', `${rules.reason} Nobody said in time whether it did.`),
      );
  }
}
