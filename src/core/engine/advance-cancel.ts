/**
 * How a chain is cancelled: what is in flight is told to stop, what was found is kept, and the reason says by whom.
 *
 * 1. A cancel by name is followed by Temporal's own, so that the close says Canceled; that one only confirms it.
 * 2. A second cancel by name is at once: nothing is waited for any more, and nothing summed up.
 */

import { hear } from '../approvals/advance-direction.js';
import type { Fact } from '../model/fact.js';
import { parentOf } from '../model/lineage.js';
import type { State } from '../model/state.js';
import { chargeReservation } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { idle } from '../state/flight.js';
import * as reasons from '../state/reasons.js';
import { type Advance, giveUpClosing, stopWith, whatWasFound } from '../state/stop.js';
import { abandonCalls } from './advance-calls.js';

type CancelRequested = Extract<Fact, { type: 'cancelRequested' }>;

export function onCancel(before: State, fact: CancelRequested): Advance {
  const byTemporal = fact.id === null;
  const state: State = { ...before, cancelled: before.cancelled || byTemporal };
  if (fact.id !== null && before.heard.includes(fact.id)) return { state, entries: [] };
  if (!wasCancelled(before)) return cancel(heardOf(state, fact), before, fact);
  return byTemporal ? { state, entries: [] } : atOnce(heardOf(state, fact));
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
  const reason = parent === null ? reasons.cancelled(fact.by, fact.reason) : reasons.cancelledFromAbove(parent.chainId);
  const stopped = stopWith(state, 'cancelled', reason, {
    partial: whatWasFound(state),
    closing: fact.summarize,
    interrupt: true,
    awaitsCancel: fact.id !== null,
  });
  // A chain that is ending already keeps its reason, but makes no last call any more.
  if (before.stop !== null) return { ...stopped, state: giveUpClosing(stopped.state) };
  return { state: stopped.state, entries: [notice(state, 'cancel', reason), ...stopped.entries] };
}

/** Invariant 2. */
function atOnce(before: State): Advance {
  if (before.stop === null) return { state: before, entries: [] };
  const state = giveUpClosing({ ...before, stop: { ...before.stop, interrupt: 'none', awaitsCancel: false } });
  return leaveBehind(state);
}

/** Long enough: what was told to stop and did not is left behind. */
export function onGrace(before: State): Advance {
  const timers = { ...before.timers, grace: false };
  if (before.stop === null) return { state: { ...before, timers }, entries: [] };
  const asked = before.stop.interrupt === 'sent';
  const interrupt = asked ? 'none' : before.stop.interrupt;
  const state: State = { ...before, timers, stop: { ...before.stop, interrupt, awaitsCancel: false } };
  return asked ? leaveBehind(state) : { state, entries: [] };
}

/** What is in flight may still be running, and is paid for in full. */
function leaveBehind(state: State): Advance {
  switch (state.flight.kind) {
    case 'calls':
      return abandonCalls(state);
    case 'model':
      return { state: idle(chargeReservation(state, state.flight.reservation)), entries: [] };
    case 'preparing':
      return { state: idle(state), entries: [] };
    default:
      return { state, entries: [] };
  }
}
