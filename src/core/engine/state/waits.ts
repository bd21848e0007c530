/**
 * Calls that wait: for a time, or for a signal at most until a time. The chain waits itself, without an activity.
 *
 * 1. The time of a fact counts, not the timer: a signal that arrives when the wait is over finds it ended, in the workflow
 *    and in every reader.
 * 2. All waits of a chain together last no longer than the limit (L7).
 */

import { formatLongDuration, type JsonObject } from '../../lib/index.js';
import { type CallWait, type ChainState, changeState, type PendingCall, parseWaitInput } from '../../model/index.js';
import { type Advance, applyEach, emit, unchanged } from './advance.js';
import { listRetryTimes } from './call-payment.js';
import { isOpen, listCalls } from './flight.js';
import { clipObservation } from './observation.js';
import { replaceCall, settleCall } from './step.js';

export type OpenWait = PendingCall & { readonly wait: CallWait };

/** Returns the calls that wait for a time or a signal. */
export function listOpenWaits(state: Pick<ChainState, 'flight'>): readonly OpenWait[] {
  return listCalls(state).filter(isOpenWait);
}

function isOpenWait(call: PendingCall): call is OpenWait {
  return call.wait !== undefined && isOpen(call);
}

/** Returns whether the chain does nothing but wait for a time or a signal. */
export function hasOnlyWaits(state: Pick<ChainState, 'flight'>): boolean {
  const open = listCalls(state).filter(isOpen);
  return open.length > 0 && open.every(isOpenWait);
}

/** Returns when the next wait ends, or the next attempt at a call that costs is due; null for never. */
export function findNextWaitEnd(state: Pick<ChainState, 'flight'>): number | null {
  const ends = [...listOpenWaits(state).map(({ wait }) => wait.until), ...listRetryTimes(state)];
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Returns the milliseconds that calls have waited, as of `now`. */
export function computeWaitUse({ waits: { usedMs, since }, now }: Pick<ChainState, 'waits' | 'now'>): number {
  return usedMs + (since === null ? 0 : now - since);
}

/** Starts or stops counting after a fact. Waits at the same time count once. */
export function updateWaitUse(state: ChainState): Advance {
  const { waits, now } = state;
  const isWaiting = listOpenWaits(state).length > 0;
  if (isWaiting === (waits.since !== null)) return unchanged(state);
  const next = isWaiting ? { since: now } : { usedMs: computeWaitUse(state), since: null };
  return emit(changeState(state, { waits: { ...waits, ...next } }));
}

/** Begins the waits of ready calls. */
export function beginWaits(before: ChainState): Advance {
  const tools = before.agent?.tools.filter(({ waits }) => waits).map(({ name }) => name) ?? [];
  if (tools.length === 0) return unchanged(before);
  const ready = listCalls(before).filter(({ tool, progress }) => progress === 'ready' && tools.includes(tool));
  return applyEach(before, ready, beginWait);
}

function beginWait(state: ChainState, call: PendingCall): Advance {
  const { agent } = state;
  const waitInput = parseWaitInput(call.input);
  const leftMs = computeWaitLeft(state);
  if (agent === null) return unchanged(state);
  const problem =
    waitInput === null ? 'Not waited: set `seconds`, `signal` or both.' : findExcess(waitInput.ms, leftMs);
  if (waitInput === null || problem !== null)
    return settleCall(state, agent, call, { status: 'error', content: problem ?? '' });
  const wait: CallWait = { until: state.now + (waitInput.ms ?? leftMs), signal: waitInput.signal };
  return emit(replaceCall(state, { ...call, progress: 'waiting', wait }));
}

/** Returns the milliseconds that the limit leaves; negative where calls that waited together took longer. */
function computeWaitLeft(state: ChainState): number {
  return (state.agent?.limits.waitMs ?? 0) - computeWaitUse(state);
}

/** An observation for the model where the limit leaves too little; null if it leaves enough. */
function findExcess(ms: number | null, leftMs: number): string | null {
  const left = Math.floor(leftMs / 1_000);
  if (left < 1) return 'Not waited: the limit for waits is used up. Continue without waiting.';
  if (ms === null || ms <= leftMs) return null;
  return `Not waited: ${formatLongDuration(ms)} is longer than the limit for waits allows. Wait ${left} seconds at most.`;
}

/** Ends the waits that are over at `state.now`. */
export function endDueWaits(before: ChainState): Advance {
  const due = listOpenWaits(before).filter(({ wait }) => wait.until <= before.now);
  return applyEach(before, due, (state, call) => {
    const { signal } = call.wait;
    return endWait(state, call, signal === null ? { ended: 'time' } : { ended: 'timeout', signal });
  });
}

/** Ends all waits, because a person wrote a message. */
export function endAllWaits(before: ChainState, ended: 'message'): Advance {
  return applyEach(before, listOpenWaits(before), (state, call) => endWait(state, call, { ended }));
}

/** Gives waits without a time of their own the rest of a limit that was raised. */
export function extendWaits(before: ChainState): ChainState {
  const until = before.now + computeWaitLeft(before);
  const waits = listOpenWaits(before).filter(({ input }) => parseWaitInput(input)?.ms === null);
  return waits.reduce((state, call) => replaceCall(state, { ...call, wait: { ...call.wait, until } }), before);
}

/** The result is JSON, so that a sender's text stays inside its quotes. It is clipped like the result of a tool. */
export function endWait(state: ChainState, call: OpenWait, result: JsonObject): Advance {
  const { agent } = state;
  if (agent === null) return unchanged(state);
  const clipped = clipObservation({ ...result, now: new Date(state.now).toISOString() }, agent.maxObservationTokens);
  return settleCall(state, agent, call, { status: 'ok', ...clipped });
}
