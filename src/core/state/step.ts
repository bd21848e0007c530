/** A step and its calls: made when the reply is read; then each call waits for a person, may run, and ends. */

import { shorten } from '../lib/display.js';
import { asText, type Json, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Ask } from '../model/ask.js';
import type { Call, CallStatus, Step } from '../model/chain.js';
import { type Kept, keptOf } from '../model/kept.js';
import type { Usage } from '../model/model.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import type { PendingCall, State } from '../model/state.js';
import { costOf, type Reservation } from '../model/usage.js';
import { type Advance, emit } from './advance.js';
import { addBytes, perObservation } from './budget.js';
import { askedEntry, settledEntry } from './entry.js';
import { noteOutcome } from './repeats.js';

/** A step has its number from 1; its calls have ids from it, `3.1` for the first of step 3. */
export function newCall(step: number, index: number, requested: RequestedCall, at: number): Call {
  return {
    id: `${step}.${index + 1}`,
    useId: requested.useId,
    tool: requested.tool,
    input: requested.input,
    status: 'pending',
    observation: null,
    clippedFrom: null,
    reusedFrom: null,
    startedAt: at,
    endedAt: null,
  };
}

/** A reply that was read and settled; `charged` is its whole reservation where it reported no plausible usage. */
export interface StepReply {
  readonly reading: Reading;
  readonly model: string;
  readonly usage: Usage;
  readonly charged: Reservation | null;
}

export function newStep(
  number: number,
  agent: AgentSnapshot,
  { reading, model, usage, charged }: StepReply,
  calls: readonly Call[],
  times: Pick<Step, 'modelCall' | 'startedAt' | 'endedAt'>,
): Step {
  const { thought, answer, problem, content } = reading;
  const { price } = agent.model;
  const said = { number, thought, calls, answer, problem, content, pausedContent: [], model, usage, ...times };
  if (charged !== null) return { ...said, costUsd: charged.usd, charged };
  return { ...said, costUsd: price === null ? null : costOf(usage, price) };
}

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
