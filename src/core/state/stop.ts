/**
 * How a chain comes to its end. The first reason names the outcome and stays; what is still running is
 * left to end by itself, or stopped, as the reason asks.
 */

import { shorten } from '../lib/display.js';
import { asText, type Json, utf8Bytes } from '../lib/json.js';
import type { AskKind } from '../model/ask.js';
import type { PendingCall, State, Stop } from '../model/state.js';
import { type Outcome, type StopReason, sentenceOf } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from './advance.js';
import { addBytes, perObservation } from './budget.js';
import { type Entry, notice, settledEntry } from './entry.js';
import { idle, isOpen } from './flight.js';

interface StopOptions {
  readonly answer?: Json;
  readonly partial?: string | null;
  /** A last call sums up what was found. */
  readonly closing?: boolean;
  /** What is in flight is stopped rather than waited for. */
  readonly interrupt?: boolean;
  readonly awaitsCancel?: boolean;
}

export function stopWith(state: State, outcome: Outcome, reason: StopReason, options: StopOptions = {}): Advance {
  const first: Stop = state.stop ?? {
    outcome,
    reason: bounded(reason),
    besides: [],
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
  return dropWhatHasNotBegun({ ...state, stop });
}

/** Calls that were not started, waits for a person and for a retry simply do not happen any more. */
function dropWhatHasNotBegun(state: State): Advance {
  if (state.flight.kind === 'retry') return emit(idle(state));
  if (state.flight.kind !== 'calls') return emit(state);
  const dropped = state.flight.calls.filter(hasNotBegun);
  if (dropped.length === 0) return emit(state);
  const rest = state.flight.calls.filter((call) => !hasNotBegun(call));
  const left: State = rest.some(isOpen) ? { ...state, flight: { kind: 'calls', calls: rest } } : idle(state);
  const doubtful = dropped.flatMap(({ ask }): readonly StopReason[] =>
    ask?.kind === 'outcome' ? [{ code: 'open_outcome', question: ask.rules.reason }] : [],
  );
  const named = doubtful.reduce(nameUnknown, left);
  return emit(dropped.reduce(countDropped, named), ...dropped.map((call) => droppedEntry(state, call)));
}

/** The last call is told of it. */
function countDropped(state: State, call: PendingCall): State {
  return addBytes(state, utf8Bytes(droppedText(call)) + perObservation);
}

function hasNotBegun({ progress }: PendingCall): boolean {
  return progress === 'asked' || progress === 'waiting';
}

function droppedEntry(state: State, call: PendingCall): Entry {
  return settledEntry(state, call, call.ask?.kind === 'outcome' ? 'unknown' : 'not_run', droppedText(call));
}

function droppedText({ ask }: PendingCall): string {
  return ask?.kind === 'outcome' ? ask.rules.reason : notRun;
}

/** Characters of each text in a reason: others' messages go into it, and a state is bounded. */
const longestText = 2_000;

function bounded(reason: StopReason): StopReason {
  const members = Object.entries(reason).map(([name, value]) => {
    return [name, typeof value === 'string' ? shorten(value, longestText) : value];
  });
  return Object.fromEntries(members) as unknown as StopReason;
}

export const notRun = 'Not run: the chain ended first.';

export function stalled(state: State, reason: StopReason): Advance {
  return andThen(emit(state, notice(state, 'stalled', sentenceOf(reason))), (noticed) =>
    stopWith(noticed, 'stalled', reason),
  );
}

/** No last call can sum up what does not fit any more. */
export function contextIsFull(state: State): Advance {
  return stopWith(state, 'token_budget', { code: 'context_full' }, { partial: whatWasFound(state) });
}

/** Adds to the reason: an effect that may have happened is named however the chain ends. */
export function nameUnknown(state: State, reason: StopReason): State {
  if (state.stop === null) return state;
  return { ...state, stop: { ...state.stop, besides: [...state.stop.besides, reason] } };
}

/** No last call sums up: it was not to be made any more, or came to nothing. What was found stands for it. */
export function giveUpClosing(state: State): State {
  if (!state.stop?.closing) return state;
  return { ...state, stop: { ...state.stop, closing: false, partial: state.stop.partial ?? whatWasFound(state) } };
}

/** An answer that came too late is better than a summing-up, and already paid for. */
export function withPartial(state: State, answer: Json): State {
  if (state.stop === null || answer === null) return state;
  return { ...state, stop: { ...state.stop, closing: false, partial: asText(answer) } };
}

/** What is in flight, as a person would name it; null when nothing is. */
export function inFlight(state: State): string | null {
  switch (state.flight.kind) {
    case 'idle':
      return state.held === null ? null : 'the wait for a person to resume it';
    case 'preparing':
      return 'the preparation';
    case 'model':
      return 'a call of the model';
    case 'retry':
      return state.flight.task === undefined
        ? 'the wait before the next attempt at a model call'
        : `the wait before task ${state.flight.task} is tried again`;
    case 'calls':
      return state.flight.calls.filter(isOpen).map(callInFlight).join(' and ');
  }
}

function callInFlight({ id, tool, progress, ask }: PendingCall): string {
  const call = `call ${id} (${tool})`;
  return progress === 'waiting' && ask !== undefined ? `the wait for ${waitedFor[ask.kind]} ${call}` : call;
}

/** What a person is waited for, before the name of the call. */
export const waitedFor = {
  approval: "a person's approval of",
  outcome: "a person's word on the outcome of",
  question: "a person's answer to",
} as const satisfies { readonly [kind in AskKind]: string };

/** What a chain that was stopped midway has to show. */
export function whatWasFound(state: State): string | null {
  const parts = [state.found.thought, state.found.observation].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}
