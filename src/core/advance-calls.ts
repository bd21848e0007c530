/**
 * What the results of tool calls do to a chain. L4: a failed tool is an observation. L5: an unsafe call
 * that ended in anything but a result or `NotDone` may have happened; nobody runs it again.
 */

import type { AgentSnapshot } from './agent.js';
import { addBytes, perObservation } from './budget.js';
import type { CallStatus } from './chain.js';
import { shorten } from './display.js';
import { type Entry, notice, settledEntry } from './entry.js';
import type { Failure, Observation } from './fact.js';
import { asText, isObject, type Json, utf8Bytes } from './json.js';
import * as reasons from './reasons.js';
import { reusableAfter } from './reuse.js';
import { countIdle, isIdle, noteOutcome } from './stall.js';
import type { PendingCall, State } from './state.js';
import { type Advance, nameUnknown, stalled, stopWith } from './stop.js';

export function onObservation(state: State, agent: AgentSnapshot, id: string, observation: Observation): Advance {
  const call = running(state, id);
  if (call === null) return { state, entries: [] };
  const text = asText(observation.content);
  const noted: State = {
    ...addBytes(state, utf8Bytes(text) + perObservation),
    idle: noteOutcome(state.idle, call.key, observation.content, isVolatile(agent, call)),
    found: { ...state.found, observation: `${call.tool}: ${shorten(text, 2_000)}` },
  };
  const entry = settledEntry(state, call, 'ok', observation.content, observation.clippedFrom);
  return finish(noted, agent, { ...call, progress: 'ok', bytes: utf8Bytes(text) }, [entry]);
}

export function onToolFailure(state: State, agent: AgentSnapshot, id: string, failure: Failure): Advance {
  const call = running(state, id);
  if (call === null) return { state, entries: [] };
  const status = statusOf(call, failure);
  const message = messageOf(call, failure, status);
  const noted: State = {
    ...addBytes(state, utf8Bytes(message) + perObservation),
    idle: noteOutcome(state.idle, call.key, message),
  };
  const failed: PendingCall = { ...call, progress: 'failed' };
  const entry = settledEntry(state, call, status, message);
  if (status === 'unknown') {
    const stopped = stopOnUnknown(noted, call, failure.message);
    return finish(stopped.state, agent, failed, [entry, ...stopped.entries]);
  }
  if (isFatal(failure)) {
    const stopped = stopWith(noted, 'failure', reasons.failedForGood(call, failure.message));
    return finish(stopped.state, agent, failed, [entry, ...stopped.entries]);
  }
  return finish(noted, agent, failed, [entry]);
}

function stopOnUnknown(state: State, call: PendingCall, message: string): Advance {
  if (state.stop !== null) return { state: nameUnknown(state, call, message), entries: [] };
  const reason = reasons.unknownOutcome(call, message);
  const stopped = stopWith(state, 'failure', reason);
  return { state: stopped.state, entries: [notice(state, 'unknown', reason), ...stopped.entries] };
}

/** After the grace: what has not ended is left behind, and said to be. */
export function abandonCalls(state: State): Advance {
  if (state.flight.kind !== 'calls') return { state, entries: [] };
  let next: State = { ...state, flight: { kind: 'idle' } };
  const entries: Entry[] = [];
  for (const call of state.flight.calls.filter(({ progress }) => progress === 'running')) {
    const unknown = call.effects === 'unsafe';
    const message = 'Told to stop, and not heard of since. It may still be running.';
    entries.push(settledEntry(state, call, unknown ? 'unknown' : 'abandoned', message));
    next = addBytes(next, utf8Bytes(message) + perObservation);
    if (unknown) next = nameUnknown(next, call, message);
  }
  return { state: next, entries };
}

function isVolatile(agent: AgentSnapshot, call: PendingCall): boolean {
  return agent.tools.find(({ name }) => name === call.tool)?.volatile ?? false;
}

function running(state: State, id: string): PendingCall | null {
  if (state.flight.kind !== 'calls') return null;
  return state.flight.calls.find((call) => call.id === id && call.progress === 'running') ?? null;
}

function finish(state: State, agent: AgentSnapshot, ended: PendingCall, entries: readonly Entry[]): Advance {
  if (state.flight.kind !== 'calls') return { state, entries };
  const calls = state.flight.calls.map((call) => (call.id === ended.id ? ended : call));
  if (calls.some((call) => call.progress === 'running')) {
    return { state: { ...state, flight: { kind: 'calls', calls } }, entries };
  }
  const complete = completeStep({ ...state, flight: { kind: 'idle' } }, agent, calls);
  return { state: complete.state, entries: [...entries, ...complete.entries] };
}

/** A step whose calls have all ended: what it leaves for later ones, and whether it brought anything. */
export function completeStep(before: State, agent: AgentSnapshot, calls: readonly PendingCall[]): Advance {
  const state: State = { ...before, reusable: reusableAfter(before, calls), idle: countIdle(before.idle) };
  if (state.stop !== null || !isIdle(state, agent.limits.stallThreshold)) return { state, entries: [] };
  return stalled(state, reasons.noProgress(state.idle.steps));
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

function isFatal(failure: Failure): boolean {
  const details: Json = failure.details;
  return isObject(details) && details.fatal === true;
}
