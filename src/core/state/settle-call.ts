/** A call of the step under way changes: it waits for a person, may run, or has ended, and with the last one the step has. */

import { shorten } from '../lib/display.js';
import { asText, type Json, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Ask } from '../model/ask.js';
import type { CallStatus } from '../model/chain.js';
import { type Kept, keptOf } from '../model/kept.js';
import type { PendingCall, State } from '../model/state.js';
import { afterPlanStep } from '../plan/after-step.js';
import { addBytes, perObservation } from './budget.js';
import { askedEntry, settledEntry } from './entry.js';
import { callsIn, isOpen } from './flight.js';
import * as reasons from './reasons.js';
import { reusableAfter } from './reuse.js';
import { countIdle, isIdle, noteOutcome } from './stall.js';
import { type Advance, stalled } from './stop.js';

/** What a call came to. */
interface Ending extends Kept {
  readonly status: CallStatus;
  readonly content: Json;
  readonly clippedFrom?: number | null;
}

/** @param stop what follows from it besides; it is told after the result, and before the step is complete */
export function settleCall(
  state: State,
  agent: AgentSnapshot,
  call: PendingCall,
  { status, content, clippedFrom = null, ...rest }: Ending,
  stop: ((state: State) => Advance) | null = null,
): Advance {
  const good = status === 'ok' || status === 'answered';
  const text = asText(content);
  const bytes = utf8Bytes(text);
  const noted: State = {
    ...addBytes(state, bytes + perObservation),
    idle: noteOutcome(state.idle, call.key, content, good && isVolatile(agent, call)),
    found: good ? { ...state.found, observation: `${call.tool}: ${shorten(text, 2_000)}` } : state.found,
  };
  const { ask: _, ...asked } = call;
  const ended: PendingCall = { ...asked, progress: good ? 'ok' : 'failed', bytes: good ? bytes : 0 };
  const settled = withCall(noted, ended);
  // What stops the chain drops what has not begun, and must not take this one for such.
  const stopped = stop === null ? { state: settled, entries: [] } : stop(settled);
  const complete = completeOnceEnded(stopped.state, agent, callsIn(settled));
  return {
    state: complete.state,
    entries: [
      settledEntry(state, call, status, content, clippedFrom, keptOf(rest)),
      ...stopped.entries,
      ...complete.entries,
    ],
  };
}

export function waitForPerson(state: State, call: PendingCall, ask: Ask): Advance {
  const waiting: PendingCall = { ...call, progress: 'waiting', ask };
  return { state: withCall(state, waiting), entries: [askedEntry(state, call, ask)] };
}

/** The call is to be made as soon as the chain decides. */
export function letRun(state: State, { ask, ...call }: PendingCall): State {
  return withCall(state, { ...call, progress: 'asked', ...(ask === undefined ? {} : { approvedBy: ask.rules }) });
}

export function withCall(state: State, call: PendingCall): State {
  if (state.flight.kind !== 'calls') return state;
  const calls = state.flight.calls.map((each) => (each.id === call.id ? call : each));
  return { ...state, flight: { kind: 'calls', calls } };
}

function completeOnceEnded(state: State, agent: AgentSnapshot, calls: readonly PendingCall[]): Advance {
  if (callsIn(state).some(isOpen)) return { state, entries: [] };
  return completeStep(state, agent, calls);
}

/** A step whose calls have all ended: what it leaves for later ones, and whether it brought anything. */
export function completeStep(before: State, agent: AgentSnapshot, calls: readonly PendingCall[]): Advance {
  const state: State = {
    ...before,
    flight: { kind: 'idle' },
    reusable: reusableAfter(before, calls),
    idle: countIdle(before.idle),
  };
  if (state.stop !== null) return { state, entries: [] };
  if (isIdle(state, agent.limits.stallThreshold)) return stalled(state, reasons.noProgress(state.idle.steps));
  return afterPlanStep(state, agent, calls);
}

function isVolatile(agent: AgentSnapshot, call: PendingCall): boolean {
  return agent.tools.find(({ name }) => name === call.tool)?.volatile ?? false;
}
