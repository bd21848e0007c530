/**
 * Interrupts a chain, by a cancel or at its time limit: operations under way are cancelled, findings are kept, and calls
 * that do not end within the grace are abandoned.
 *
 * 1. Longhand's cancel is followed by Temporal's own, so that the workflow closes as Canceled. That one only confirms.
 * 2. A second cancel by Longhand ends the chain immediately: no waiting, no summary.
 */

import {
  type ChainState,
  changeState,
  type Fact,
  findParent,
  formatStopReason,
  type StopReason,
} from '../model/index.js';
import { abandonCalls } from './advance-calls.js';
import { recordCommandId } from './approvals/advance-command.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { chargeReservation } from './state/budget.js';
import { createNoticeEntry } from './state/entry.js';
import { computeWorkedMs, endFlight } from './state/flight.js';
import { asksAtLimits } from './state/limit-question.js';
import { getCalledModel } from './state/model-totals.js';
import { describeFlight, formatFindings, skipClosing, stopChain } from './state/stop.js';

type CancelRequested = Extract<Fact, { type: 'cancelRequested' }>;

export function applyCancel(before: ChainState, fact: CancelRequested): Advance {
  const byTemporal = fact.id === null;
  const state: ChainState = changeState(before, { temporalCancelled: before.temporalCancelled || byTemporal });
  if (fact.id !== null && before.seenCommandIds.includes(fact.id)) return emit(state);
  if (!isCancelled(before)) return cancel(recordCancelId(state, fact), before, fact);
  return byTemporal ? emit(state) : cancelImmediately(recordCancelId(state, fact));
}

/** Also of a chain that was ending for another reason, if Temporal's cancel was requested or has arrived. */
function isCancelled({ stop, temporalCancelled }: ChainState): boolean {
  return stop?.outcome === 'cancelled' || (stop !== null && (stop.awaitsCancel || temporalCancelled));
}

/** Records the id, unless the sender gave none. */
function recordCancelId(state: ChainState, { id }: CancelRequested): ChainState {
  return id === 'unnamed' ? state : recordCommandId(state, id);
}

function cancel(state: ChainState, before: ChainState, fact: CancelRequested): Advance {
  const parent = fact.id === null ? findParent(state) : null;
  const reason: StopReason =
    parent === null
      ? { code: 'cancelled', by: fact.by, why: fact.reason }
      : { code: 'cancelled_from_above', parent: parent.chainId };
  const stop = (next: ChainState) =>
    stopChain(next, 'cancelled', reason, {
      partial: formatFindings(state),
      closing: fact.summarize,
      interrupt: true,
      awaitsCancel: fact.id !== null,
    });
  // A chain that is already ending keeps its reason, but makes no last call.
  if (before.stop !== null) return andThen(stop(state), (stopped) => emit(skipClosing(stopped)));
  return andThen(emit(state, createNoticeEntry(state, 'cancel_requested', formatStopReason(reason))), stop);
}

/** Invariant 2. */
function cancelImmediately(before: ChainState): Advance {
  if (before.stop === null) return unchanged(before);
  const state = skipClosing(changeState(before, { stop: { ...before.stop, interrupt: 'none', awaitsCancel: false } }));
  return abandonFlight(state);
}

/** Applies the time limit. Its clock is stopped while the chain only waits for people and sub-chains. */
export function applyDeadline(state: ChainState): Advance {
  if (state.agent === null) return unchanged(state);
  // Time is left: the chain waited for people, or the limit was raised. A chain that asks does so before its next step.
  if (state.stop === null && (asksAtLimits(state) || computeWorkedMs(state) < state.agent.limits.timeMs)) {
    return emit(changeState(state, { timers: { ...state.timers, deadline: false } }));
  }
  const reason: StopReason = { code: 'time_limit', timeMs: state.agent.limits.timeMs, during: describeFlight(state) };
  // A chain that is already ending waits for its calls, but not longer than this.
  if (state.stop !== null && state.flight.kind === 'calls') {
    return stopChain(state, 'timeout', reason, { interrupt: true });
  }
  if (state.stop !== null) return unchanged(state);
  return andThen(emit(state, createNoticeEntry(state, 'limit_reached', formatStopReason(reason))), (noticed) =>
    stopChain(noticed, 'timeout', reason, { closing: true, interrupt: true }),
  );
}

/** Abandons operations that were cancelled and have not ended within the grace. */
export function applyGraceEnd(before: ChainState): Advance {
  const timers = { ...before.timers, grace: false };
  if (before.stop === null) return emit(changeState(before, { timers }));
  const wasSent = before.stop.interrupt === 'sent';
  const interrupt = wasSent ? 'none' : before.stop.interrupt;
  const state: ChainState = changeState(before, { timers, stop: { ...before.stop, interrupt, awaitsCancel: false } });
  return wasSent ? abandonFlight(state) : emit(state);
}

/** Ends the operation under way without its result. It may still be running, and is charged in full. */
function abandonFlight(state: ChainState): Advance {
  switch (state.flight.kind) {
    case 'calls':
      return abandonCalls(state);
    case 'model':
      return emit(endFlight(chargeReservation(state, state.flight.reservation, getCalledModel(state, undefined))));
    case 'preparing':
    case 'requeued':
      return emit(endFlight(state));
    default:
      return unchanged(state);
  }
}
