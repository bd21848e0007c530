/**
 * How a chain is interrupted, by a cancel or at its time limit: what is in flight is told to stop, what was found is kept,
 * and what does not end within the grace is left behind.
 *
 * 1. A cancel by name is followed by Temporal's own, so that the close says Canceled; that one only confirms it.
 * 2. A second cancel by name is at once: nothing is waited for any more, and nothing summed up.
 */

import { hear } from '../approvals/advance-direction.js';
import type { Fact } from '../model/fact.js';
import { parentOf } from '../model/lineage.js';
import type { State } from '../model/state.js';
import { type StopReason, sentenceOf } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { chargeReservation } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { idle, workedMs } from '../state/flight.js';
import { giveUpClosing, inFlight, stopWith, whatWasFound } from '../state/stop.js';
import { abandonCalls } from './advance-calls.js';

type CancelRequested = Extract<Fact, { type: 'cancelRequested' }>;

export function onCancel(before: State, fact: CancelRequested): Advance {
  const byTemporal = fact.id === null;
  const state: State = { ...before, cancelled: before.cancelled || byTemporal };
  if (fact.id !== null && before.heard.includes(fact.id)) return emit(state);
  if (!wasCancelled(before)) return cancel(heardOf(state, fact), before, fact);
  return byTemporal ? emit(state) : atOnce(heardOf(state, fact));
}

/** Also of a chain that was ending for another reason: there a cancel by name is still to be confirmed, or has been. */
function wasCancelled({ stop, cancelled }: State): boolean {
  return stop?.outcome === 'cancelled' || (stop !== null && (stop.awaitsCancel || cancelled));
}

/** An id that nobody gave cannot be remembered. */
function heardOf(state: State, { id }: CancelRequested): State {
  return id === 'unnamed' ? state : hear(state, id);
}

function cancel(state: State, before: State, fact: CancelRequested): Advance {
  const parent = fact.id === null ? parentOf(state) : null;
  const reason: StopReason =
    parent === null
      ? { code: 'cancelled', by: fact.by, why: fact.reason }
      : { code: 'cancelled_from_above', parent: parent.chainId };
  const stop = (next: State) =>
    stopWith(next, 'cancelled', reason, {
      partial: whatWasFound(state),
      closing: fact.summarize,
      interrupt: true,
      awaitsCancel: fact.id !== null,
    });
  // A chain that is ending already keeps its reason, but makes no last call any more.
  if (before.stop !== null) return andThen(stop(state), (stopped) => emit(giveUpClosing(stopped)));
  return andThen(emit(state, notice(state, 'cancel', sentenceOf(reason))), stop);
}

/** Invariant 2. */
function atOnce(before: State): Advance {
  if (before.stop === null) return emit(before);
  const state = giveUpClosing({ ...before, stop: { ...before.stop, interrupt: 'none', awaitsCancel: false } });
  return leaveBehind(state);
}

/** The time limit. The clock stands still while only people and sub-chains are waited for. */
export function onDeadline(state: State): Advance {
  if (state.agent === null) return emit(state);
  // People were waited for, or the limit was raised: there is time left.
  if (state.stop === null && workedMs(state) < state.agent.limits.timeMs) {
    return emit({ ...state, timers: { ...state.timers, deadline: false } });
  }
  const reason: StopReason = { code: 'time_limit', timeMs: state.agent.limits.timeMs, during: inFlight(state) };
  // A chain that is ending already still waits for its calls: no longer than this.
  if (state.stop !== null && state.flight.kind === 'calls') {
    return stopWith(state, 'timeout', reason, { interrupt: true });
  }
  if (state.stop !== null) return emit(state);
  return andThen(emit(state, notice(state, 'limit', sentenceOf(reason))), (noticed) =>
    stopWith(noticed, 'timeout', reason, { closing: true, interrupt: true }),
  );
}

/** Long enough: what was told to stop and did not is left behind. */
export function onGrace(before: State): Advance {
  const timers = { ...before.timers, grace: false };
  if (before.stop === null) return emit({ ...before, timers });
  const asked = before.stop.interrupt === 'sent';
  const interrupt = asked ? 'none' : before.stop.interrupt;
  const state: State = { ...before, timers, stop: { ...before.stop, interrupt, awaitsCancel: false } };
  return asked ? leaveBehind(state) : emit(state);
}

/** What is in flight may still be running, and is paid for in full. */
function leaveBehind(state: State): Advance {
  switch (state.flight.kind) {
    case 'calls':
      return abandonCalls(state);
    case 'model':
      return emit(idle(chargeReservation(state, state.flight.reservation)));
    case 'preparing':
      return emit(idle(state));
    default:
      return emit(state);
  }
}
