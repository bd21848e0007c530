/**
 * How a chain comes to its end. The first reason names the outcome and stays; what is still running is
 * left to end by itself, or stopped, as the reason asks.
 */

import { shorten } from '../lib/display.js';
import { countUtf8Bytes, type Json, toValueText } from '../lib/json.js';
import type { RequestKind } from '../model/request.js';
import type { ChainState, PendingCall, Stop } from '../model/state.js';
import { formatStopReason, type Outcome, type StopReason } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from './advance.js';
import { addBytes, observationOverheadBytes } from './budget.js';
import { type ChainEntry, createNoticeEntry, createObservationEntry } from './entry.js';
import { endFlight, isOpen } from './flight.js';

interface StopOptions {
  readonly answer?: Json;
  readonly partial?: string | null;
  /** A last call sums up what was found. */
  readonly closing?: boolean;
  /** What is in flight is stopped rather than waited for. */
  readonly interrupt?: boolean;
  readonly awaitsCancel?: boolean;
}

export function stopChain(state: ChainState, outcome: Outcome, reason: StopReason, options: StopOptions = {}): Advance {
  const first: Stop = state.stop ?? {
    outcome,
    reason: shortenReason(reason),
    additional: [],
    answer: options.answer ?? null,
    partial: options.partial ?? null,
    closing: options.closing ?? false,
    interrupt: 'none',
    awaitsCancel: false,
  };
  const stop: Stop = {
    ...first,
    interrupt: options.interrupt && first.interrupt === 'none' ? 'wanted' : first.interrupt,
    awaitsCancel: first.awaitsCancel || (options.awaitsCancel ?? false),
  };
  return dropUnstartedCalls({ ...state, stop });
}

/** Calls that were not started, waits for a person and for a retry simply do not happen any more. */
function dropUnstartedCalls(state: ChainState): Advance {
  if (state.flight.kind === 'retry') return emit(endFlight(state));
  if (state.flight.kind !== 'calls') return emit(state);
  const dropped = state.flight.calls.filter(isUnstarted);
  if (dropped.length === 0) return emit(state);
  const rest = state.flight.calls.filter((call) => !isUnstarted(call));
  const left: ChainState = rest.some(isOpen) ? { ...state, flight: { kind: 'calls', calls: rest } } : endFlight(state);
  const doubtful = dropped.flatMap(({ request }): readonly StopReason[] =>
    request?.kind === 'outcome' ? [{ code: 'open_outcome', question: request.rules.reason }] : [],
  );
  const named = doubtful.reduce(addStopReason, left);
  return emit(dropped.reduce(addDroppedBytes, named), ...dropped.map((call) => createDroppedEntry(state, call)));
}

/** The last call is told of it. */
function addDroppedBytes(state: ChainState, call: PendingCall): ChainState {
  return addBytes(state, countUtf8Bytes(renderDropped(call)) + observationOverheadBytes);
}

function isUnstarted({ progress }: PendingCall): boolean {
  return progress === 'ready' || progress === 'waiting';
}

function createDroppedEntry(state: ChainState, call: PendingCall): ChainEntry {
  return createObservationEntry(
    state,
    call,
    call.request?.kind === 'outcome' ? 'unknown' : 'not_run',
    renderDropped(call),
  );
}

function renderDropped({ request }: PendingCall): string {
  return request?.kind === 'outcome' ? request.rules.reason : notRunText;
}

/** Characters of each text in a reason: others' messages go into it, and a state is bounded. */
const maxTextLength = 2_000;

function shortenReason(reason: StopReason): StopReason {
  const members = Object.entries(reason).map(([name, value]) => {
    return [name, typeof value === 'string' ? shorten(value, maxTextLength) : value];
  });
  return Object.fromEntries(members) as unknown as StopReason;
}

export const notRunText = 'Not run: the chain ended first.';

export function stopStalled(state: ChainState, reason: StopReason): Advance {
  return andThen(emit(state, createNoticeEntry(state, 'stalled', formatStopReason(reason))), (noticed) =>
    stopChain(noticed, 'stalled', reason),
  );
}

/** No last call can sum up what does not fit any more. */
export function stopForFullContext(state: ChainState): Advance {
  return stopChain(state, 'token_budget', { code: 'context_full' }, { partial: formatFindings(state) });
}

/** Adds to the reason: an effect that may have happened is named however the chain ends. */
export function addStopReason(state: ChainState, reason: StopReason): ChainState {
  if (state.stop === null) return state;
  return { ...state, stop: { ...state.stop, additional: [...state.stop.additional, reason] } };
}

/** No last call sums up: it was not to be made any more, or came to nothing. What was found stands for it. */
export function skipClosing(state: ChainState): ChainState {
  if (!state.stop?.closing) return state;
  return { ...state, stop: { ...state.stop, closing: false, partial: state.stop.partial ?? formatFindings(state) } };
}

/** An answer that came too late is better than a summing-up, and already paid for. */
export function setPartial(state: ChainState, answer: Json): ChainState {
  if (state.stop === null || answer === null) return state;
  return { ...state, stop: { ...state.stop, closing: false, partial: toValueText(answer) } };
}

/** What is in flight, as a person would name it; null when nothing is. */
export function describeFlight(state: ChainState): string | null {
  switch (state.flight.kind) {
    case 'idle':
      return state.paused === null ? null : 'the wait for a person to resume it';
    case 'preparing':
      return 'the preparation';
    case 'model':
      return 'a call of the model';
    case 'retry':
      return state.flight.task === undefined
        ? 'the wait before the next attempt at a model call'
        : `the wait before task ${state.flight.task} is tried again`;
    case 'calls':
      return state.flight.calls.filter(isOpen).map(describeCall).join(' and ');
  }
}

function describeCall({ id, tool, progress, request }: PendingCall): string {
  const call = `call ${id} (${tool})`;
  return progress === 'waiting' && request !== undefined
    ? `the wait for ${awaitedPhrases[request.kind]} ${call}`
    : call;
}

/** What a person is waited for, before the name of the call. */
export const awaitedPhrases = {
  approval: "a person's approval of",
  outcome: "a person's word on the outcome of",
  question: "a person's answer to",
} as const satisfies { readonly [kind in RequestKind]: string };

/** What a chain that was stopped midway has to show. */
export function formatFindings(state: ChainState): string | null {
  const parts = [state.partialFindings.thought, state.partialFindings.observation].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}
