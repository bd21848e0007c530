/** A call of the step under way changes: it waits for a person, may run, or has ended. */

import { shorten } from '../lib/display.js';
import { asText, type Json, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Ask } from '../model/ask.js';
import type { CallStatus } from '../model/chain.js';
import { type Kept, keptOf } from '../model/kept.js';
import type { PendingCall, State } from '../model/state.js';
import { type Advance, emit } from './advance.js';
import { addBytes, perObservation } from './budget.js';
import { askedEntry, settledEntry } from './entry.js';
import { noteOutcome } from './stall.js';

/** What a call came to. */
interface Ending extends Kept {
  readonly status: CallStatus;
  readonly content: Json;
  readonly clippedFrom?: number | null;
}

export function settleCall(
  state: State,
  agent: AgentSnapshot,
  call: PendingCall,
  { status, content, clippedFrom = null, ...rest }: Ending,
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
  return emit(withCall(noted, ended), settledEntry(state, call, status, content, clippedFrom, keptOf(rest)));
}

export function waitForPerson(state: State, call: PendingCall, ask: Ask): Advance {
  const waiting: PendingCall = { ...call, progress: 'waiting', ask };
  return emit(withCall(state, waiting), askedEntry(state, call, ask));
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

function isVolatile(agent: AgentSnapshot, call: PendingCall): boolean {
  return agent.tools.find(({ name }) => name === call.tool)?.volatile ?? false;
}
