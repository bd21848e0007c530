/**
 * The stop of a chain. The first reason determines the outcome and stays. The operation under way either ends by itself or
 * is cancelled, depending on the reason.
 */

import { countUtf8Bytes, type Json, shorten, toValueText } from '../../lib/index.js';
import {
  type CallStatus,
  type ChainState,
  changeState,
  formatStopReason,
  type Outcome,
  type PendingCall,
  type RequestKind,
  type Stop,
  type StopReason,
} from '../../model/index.js';
import { type Advance, andThen, emit, unchanged } from './advance.js';
import { addBytes, observationOverheadBytes } from './budget.js';
import { toChargeParts } from './call-payment.js';
import { type ChainEntry, createNoticeEntry, createObservationEntry } from './entry.js';
import { dropAside, endFlight, isOpen, isRetryWait } from './flight.js';

interface StopOptions {
  readonly answer?: Json;
  readonly partial?: string | null;
  /** Whether a last model call sums up the findings. */
  readonly closing?: boolean;
  /** Whether the operation under way is cancelled instead of awaited. */
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
  // The last call is another operation than the one that went back to the task queue.
  return dropUnstartedCalls(changeState(state, { stop, requeue: null }));
}

/** Drops calls that were not started, waits for people, and waits before a retry. */
function dropUnstartedCalls(state: ChainState): Advance {
  if (isRetryWait(state.flight)) return dropHeldStep(endFlight(state));
  if (state.flight.kind !== 'calls') return dropHeldStep(state);
  const dropped = state.flight.calls.filter(isNotRunning);
  if (dropped.length === 0) return unchanged(state);
  const rest = state.flight.calls.filter((call) => !isNotRunning(call));
  const left: ChainState = rest.some(isOpen)
    ? changeState(state, { flight: { ...state.flight, calls: rest } })
    : endFlight(state);
  return settleDropped(state, left, dropped);
}

/** The call of the policy may still run: its reply is charged, and changes nothing else. */
function dropHeldStep(state: ChainState): Advance {
  const { held, ...rest } = state;
  return held === undefined ? emit(state) : settleDropped(state, dropAside(changeState(rest, {})), held.calls);
}

function settleDropped(state: ChainState, left: ChainState, dropped: readonly PendingCall[]): Advance {
  const doubtful = dropped.flatMap(({ request }): readonly StopReason[] =>
    request?.kind === 'outcome' ? [{ code: 'open_outcome', question: request.rules.reason }] : [],
  );
  const next = doubtful.reduce(addStopReason, left);
  return emit(dropped.reduce(addDroppedBytes, next), ...dropped.map((call) => createDroppedEntry(state, call)));
}

/** Counts the observation of a dropped call, which the last model call sees. */
function addDroppedBytes(state: ChainState, call: PendingCall): ChainState {
  return addBytes(state, countUtf8Bytes(toValueText(renderDropped(call))) + observationOverheadBytes);
}

function isNotRunning({ progress }: PendingCall): boolean {
  return progress === 'ready' || progress === 'waiting' || progress === 'requeued' || progress === 'queued';
}

function createDroppedEntry(state: ChainState, call: PendingCall): ChainEntry {
  return createObservationEntry(state, call, toDroppedStatus(call), renderDropped(call), null, toChargeParts(call));
}

function toDroppedStatus({ request, wait, resultWithoutAnswer }: PendingCall): CallStatus {
  if (resultWithoutAnswer !== undefined) return 'ok';
  if (wait !== undefined) return 'cancelled';
  return request?.kind === 'outcome' ? 'unknown' : 'not_run';
}

function renderDropped({ request, wait, resultWithoutAnswer: unanswered }: PendingCall): Json {
  if (unanswered !== undefined) return unanswered;
  if (wait !== undefined) return 'The chain ended before the wait was over.';
  return request?.kind === 'outcome' ? request.rules.reason : notRunText;
}

/** Characters of each text in a reason: it may be another program's message, and the state is bounded. */
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

/**
 * Stops because the conversation does not fit the context window: without a last call, unless `closing` states that its request
 * fits.
 */
export function stopForFullContext(state: ChainState, { closing }: { readonly closing: boolean }): Advance {
  const partial = closing ? null : formatFindings(state);
  return stopChain(state, 'token_budget', { code: 'context_full' }, { partial, closing });
}

/** Stops because the provider rejected the request as too long, and a shorter one too, or no step can be summarized. */
export function stopForRejectedContext(state: ChainState): Advance {
  return stopChain(state, 'token_budget', { code: 'context_rejected' }, { partial: formatFindings(state) });
}

/** Adds a further reason, such as an effect that may have happened. */
export function addStopReason(state: ChainState, reason: StopReason): ChainState {
  if (state.stop === null) return state;
  return changeState(state, { stop: { ...state.stop, additional: [...state.stop.additional, reason] } });
}

/** Ends without a summary, because its call failed or is not made. The findings replace it. */
export function skipClosing(state: ChainState): ChainState {
  if (!state.stop?.closing) return state;
  return changeState(state, {
    stop: { ...state.stop, closing: false, partial: state.stop.partial ?? formatFindings(state) },
  });
}

/** Uses a late answer instead of a summary: it is better, and already paid for. */
export function setPartial(state: ChainState, answer: Json): ChainState {
  if (state.stop === null || answer === null) return state;
  return changeState(state, { stop: { ...state.stop, closing: false, partial: toValueText(answer) } });
}

/** Describes the operation under way for people; null while idle. */
export function describeFlight(state: ChainState): string | null {
  switch (state.flight.kind) {
    case 'idle':
      return state.paused === null ? null : 'the wait for a person to resume it';
    case 'preparing':
      return 'the preparation';
    case 'model':
      return 'a model call';
    case 'modelRetry':
      return 'the wait before the next attempt at a model call';
    case 'requeued':
      return 'the wait for a worker that has the agent';
    case 'taskRetry':
      return `the wait before the next attempt at task ${state.flight.task}`;
    case 'calls':
      return state.flight.calls.filter(isOpen).map(describeCall).join(' and ');
  }
}

function describeCall({ id, tool, progress, request, wait }: PendingCall): string {
  const call = `call ${id} (${tool})`;
  if (wait !== undefined) return `the wait of ${call}`;
  return progress === 'waiting' && request !== undefined
    ? `the wait for ${awaitedPhrases[request.kind]} ${call}`
    : call;
}

/** What a waiting chain awaits, before the name of the call. */
export const awaitedPhrases = {
  approval: "a person's approval of",
  outcome: "a person's decision on the outcome of",
  question: "a person's answer to",
} as const satisfies { readonly [kind in RequestKind]: string };

/** Formats the findings of a stopped chain: its last thought and observation. */
export function formatFindings(state: ChainState): string | null {
  const parts = [state.partialFindings.thought, state.partialFindings.observation].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}
