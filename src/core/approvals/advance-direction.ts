/**
 * What a person's word does to a chain. What cannot be taken changes nothing, and readers are told why.
 *
 * 1. A request is decided once: what is said of it later finds it closed.
 * 2. What comes twice under one id is taken once.
 * 3. What comes before the agent is known waits until it is: the agent names who may say it.
 */

import { callKey } from '../lib/digest.js';
import { asText, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Decided, Vote } from '../model/ask.js';
import type { Decision, Directed, Direction } from '../model/direction.js';
import { raisedText, type SomeLimits } from '../model/limits.js';
import type { State } from '../model/state.js';
import { type Advance, andThen, applyEach, emit } from '../state/advance.js';
import { type WaitingCall, waiting } from '../state/asks-due.js';
import { addBytes, perObservation } from '../state/budget.js';
import { decidedEntry, notice } from '../state/entry.js';
import { messageBytes } from '../state/observation.js';
import * as reasons from '../state/reasons.js';
import { letRun, settleCall, withCall } from '../state/step.js';
import { stopWith } from '../state/stop.js';
import { grantAlways } from './always.js';
import { breakpointText, hold, resume, stepsBegun } from './hold.js';
import { refusalOf } from './refusal.js';

export function onDirected(before: State, said: Directed): Advance {
  const refused = refusalOf(before, said, before.now);
  if (refused !== null) return emit(before, notice(before, 'ignored', reasons.notTaken(said, refused)));
  const state = hear(before, said.id);
  if (state.agent === null) return emit({ ...state, early: [...state.early, said] });
  const { direction } = said;
  switch (direction.kind) {
    case 'decide':
      return decideCall(state, said, direction);
    case 'steer':
      return steer(state, said, direction.text);
    case 'pause':
      return direction.at === null ? hold(state, said.by, said.reason) : breakAt(state, said, direction.at);
    case 'resume':
      return resume(state, said.by, said.reason);
    case 'limit':
      return raise(state, said, direction.limits);
    case 'unreadable':
      return emit(state);
  }
}

/**
 * Invariant 3, once the agent is known, or cannot be. Their ids were heard when they came.
 *
 * @param most how many of them; the others go on waiting
 */
export function hearEarly(before: State, most = before.early.length): Advance {
  const { early } = before;
  return applyEach({ ...before, early: early.slice(most) }, early.slice(0, most), (state, said) =>
    onDirected(state, { ...said, id: null }),
  );
}

/** How many ids are remembered. */
const remembered = 128;

/** Invariant 2. */
export function hear(state: State, id: string | null): State {
  return id === null ? state : { ...state, heard: [...state.heard, id].slice(-remembered) };
}

/** The model hears it behind the step under way: what is being asked now was asked without it. */
function steer(state: State, { by }: Directed, text: string): Advance {
  const message = { text, by, afterStep: stepsBegun(state), at: state.now };
  return emit(
    { ...addBytes(state, messageBytes(message)), unheard: true },
    { type: 'message', at: state.now, message },
  );
}

function breakAt(state: State, { by, reason }: Directed, at: State['breakpoints'][number]['at']): Advance {
  const told = notice(state, 'changed', reasons.breakpointSet(breakpointText(at), by, reason));
  return emit({ ...state, breakpoints: [...state.breakpoints, { at, by }] }, told);
}

function raise(state: State, { by, reason }: Directed, limits: SomeLimits): Advance {
  if (state.agent === null) return emit(state);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
  const agent: AgentSnapshot = { ...state.agent, limits: { ...state.agent.limits, ...given } };
  // A timer for less time may be running: when it fires, time is counted again.
  const timers = { ...state.timers, deadline: state.timers.deadline && limits.timeMs === undefined };
  const told = notice(state, 'changed', reasons.raised(by, reason, raisedText(limits)));
  return emit({ ...state, agent, timers }, told);
}

function decideCall(
  state: State,
  said: Directed,
  { call: id, decision }: Extract<Direction, { kind: 'decide' }>,
): Advance {
  const call = waiting(state).find((each) => each.id === id);
  if (call === undefined || state.agent === null) return emit(state);
  if (decision.what === 'approve') return approve(state, call, said, decision);
  const { agent } = state;
  return andThen(emit(state, decidedEntry(state, call, decided(state, said, decision))), (next) =>
    settle(next, agent, call, said, decision),
  );
}

function settle(
  state: State,
  agent: AgentSnapshot,
  call: WaitingCall,
  { by, reason }: Directed,
  decision: Exclude<Decision, { what: 'approve' }>,
): Advance {
  switch (decision.what) {
    case 'deny':
      return settleCall(state, agent, call, { status: 'denied', content: reasons.denied(call.ask.kind, by, reason) });
    case 'answer':
      return settleCall(state, agent, call, { status: 'answered', content: decision.answer });
    case 'happened':
      return settleCall(state, agent, call, { status: 'answered', content: decision.observation });
    case 'not_happened':
      return emit(letRun(state, { ...call, retried: true }));
    case 'give_up': {
      const { rules } = call.ask;
      return andThen(settleCall(state, agent, call, { status: 'unknown', content: rules.reason }), (settled) =>
        stopWith(settled, 'failure', { code: 'given_up', question: rules.reason, by, why: reason }),
      );
    }
  }
}

/** Arguments that a person changes are a new request for all the others: their word was for the old ones. */
function approve(
  before: State,
  waitingCall: WaitingCall,
  said: Directed,
  decision: Extract<Decision, { what: 'approve' }>,
): Advance {
  const changed = decision.input !== undefined && callKey(waitingCall.tool, decision.input) !== waitingCall.key;
  const call = changed ? changeInput(waitingCall, decision) : waitingCall;
  const state = changed ? addBytes(before, utf8Bytes(asText(call.input)) + perObservation) : before;
  const vote: Vote = { by: said.by, roles: said.roles, always: decision.always ?? false };
  const votes = [...(changed ? [] : call.ask.votes), vote];
  const enough = votes.length >= call.ask.rules.approvers;
  const entry = decidedEntry(state, call, {
    ...decided(state, said, decision),
    ...(changed ? { input: call.input } : {}),
    ...(enough ? {} : { partly: true as const }),
  });
  if (!enough) return emit(withCall(state, { ...call, ask: { ...call.ask, votes } }), entry);
  // Later calls are meant: what waits already is there to be read, and is decided by itself.
  if (!votes.every((each) => each.always)) return emit(letRun(state, call), entry);
  // Policies have yet to see arguments that a person set.
  if (call.changedUnder !== undefined) return emit(letRun(state, { ...call, always: votes }), entry);
  return emit(grantAlways(letRun(state, call), call.tool, votes), entry);
}

function changeInput(call: WaitingCall, { input = null }: Extract<Decision, { what: 'approve' }>): WaitingCall {
  return { ...call, input, key: callKey(call.tool, input), changedUnder: call.ask.rules };
}

const told = {
  approve: 'approved',
  deny: 'denied',
  answer: 'answered',
  happened: 'happened',
  not_happened: 'not_happened',
  give_up: 'given_up',
} as const satisfies { readonly [what in Decision['what']]: Decided['what'] };

function decided({ now }: State, { by, roles, reason }: Directed, decision: Decision): Decided {
  const always = decision.what === 'approve' && decision.always === true;
  return { what: told[decision.what], by, roles, reason, at: now, ...(always ? { always } : {}) };
}
