/**
 * How a chain is interrupted, by a cancel or at its time limit: what is in flight is told to stop, what was found is kept,
 * and what does not end within the grace is left behind.
 *
 * 1. A cancel by name is followed by Temporal's own, so that the close says Canceled; that one only confirms it.
 * 2. A second cancel by name is at once: nothing is waited for any more, and nothing summed up.
 */

import { recordCommandId } from '../approvals/advance-command.js';
import type { Fact } from '../model/fact.js';
import { findParent } from '../model/lineage.js';
import type { ChainState } from '../model/state.js';
import { formatStopReason, type StopReason } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { chargeReservation } from '../state/budget.js';
import { createNoticeEntry } from '../state/entry.js';
import { computeWorkedMs, endFlight } from '../state/flight.js';
import { describeFlight, formatFindings, skipClosing, stopChain } from '../state/stop.js';
import { abandonCalls } from './advance-calls.js';

type CancelRequested = Extract<Fact, { type: 'cancelRequested' }>;

export function applyCancel(before: ChainState, fact: CancelRequested): Advance {
  const byTemporal = fact.id === null;
  const state: ChainState = { ...before, temporalCancelled: before.temporalCancelled || byTemporal };
  if (fact.id !== null && before.seenCommandIds.includes(fact.id)) return emit(state);
  if (!isCancelled(before)) return cancel(recordCancelId(state, fact), before, fact);
  return byTemporal ? emit(state) : cancelImmediately(recordCancelId(state, fact));
}

/** Also of a chain that was ending for another reason: there a cancel by name is still to be confirmed, or has been. */
function isCancelled({ stop, temporalCancelled }: ChainState): boolean {
  return stop?.outcome === 'cancelled' || (stop !== null && (stop.awaitsCancel || temporalCancelled));
}

/** An id that nobody gave cannot be remembered. */
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
  // A chain that is ending already keeps its reason, but makes no last call any more.
  if (before.stop !== null) return andThen(stop(state), (stopped) => emit(skipClosing(stopped)));
  return andThen(emit(state, createNoticeEntry(state, 'cancel_requested', formatStopReason(reason))), stop);
}

/** Invariant 2. */
function cancelImmediately(before: ChainState): Advance {
  if (before.stop === null) return emit(before);
  const state = skipClosing({ ...before, stop: { ...before.stop, interrupt: 'none', awaitsCancel: false } });
  return abandonFlight(state);
}

/** The time limit. The clock stands still while only people and sub-chains are waited for. */
export function applyDeadline(state: ChainState): Advance {
  if (state.agent === null) return emit(state);
  // People were waited for, or the limit was raised: there is time left.
  if (state.stop === null && computeWorkedMs(state) < state.agent.limits.timeMs) {
    return emit({ ...state, timers: { ...state.timers, deadline: false } });
  }
  const reason: StopReason = { code: 'time_limit', timeMs: state.agent.limits.timeMs, during: describeFlight(state) };
  // A chain that is ending already still waits for its calls: no longer than this.
  if (state.stop !== null && state.flight.kind === 'calls') {
    return stopChain(state, 'timeout', reason, { interrupt: true });
  }
  if (state.stop !== null) return emit(state);
  return andThen(emit(state, createNoticeEntry(state, 'limit_reached', formatStopReason(reason))), (noticed) =>
    stopChain(noticed, 'timeout', reason, { closing: true, interrupt: true }),
  );
}

/** Long enough: what was told to stop and did not is left behind. */
export function applyGraceEnd(before: ChainState): Advance {
  const timers = { ...before.timers, grace: false };
  if (before.stop === null) return emit({ ...before, timers });
  const asked = before.stop.interrupt === 'sent';
  const interrupt = asked ? 'none' : before.stop.interrupt;
  const state: ChainState = { ...before, timers, stop: { ...before.stop, interrupt, awaitsCancel: false } };
  return asked ? abandonFlight(state) : emit(state);
}

/** What is in flight may still be running, and is paid for in full. */
function abandonFlight(state: ChainState): Advance {
  switch (state.flight.kind) {
    case 'calls':
      return abandonCalls(state);
    case 'model':
      return emit(endFlight(chargeReservation(state, state.flight.reservation)));
    case 'preparing':
      return emit(endFlight(state));
    default:
      return emit(state);
  }
}
