/** The flight of a state: calls of the step under way, complete steps, and the time that counts towards the limit. */

import type { ChainState, PendingCall } from '../model/state.js';
import { type Advance, emit } from './advance.js';

/** The calls of the step under way, those that have ended too; none while something else is under way. */
export function listCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] {
  return flight.kind === 'calls' ? flight.calls : [];
}

/** Whether something is still to come of a call. */
export function isOpen({ progress }: PendingCall): boolean {
  return progress !== 'ok' && progress !== 'failed';
}

/** The calls of a step, once all of them have ended, be there none; null while one is open, or no step is under way. */
export function findEndedCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] | null {
  return flight.kind !== 'calls' || flight.calls.some(isOpen) ? null : flight.calls;
}

/** Nothing is under way any more. */
export function endFlight(state: ChainState): ChainState {
  return { ...state, flight: { kind: 'idle' } };
}

/** How many of a chain's steps are complete: the last one is not while its calls run. */
export function countCompleteSteps({ steps, flight }: Pick<ChainState, 'steps' | 'flight'>): number {
  return flight.kind === 'calls' ? steps - 1 : steps;
}

/**
 * Milliseconds from a chain's start that count towards its time limit, as of `now`: not the hours in which it only waited for
 * people, unless they are to count. While it waits for sub-chains its clock stands still too: how long they worked is
 * counted when they end.
 */
export function computeWorkedMs({ startedAt, now, waitingTime, agent }: ChainState): number {
  if (agent?.waitingCounts) return now - startedAt;
  return now - startedAt - waitingTime.ms - (waitingTime.since === null ? 0 : now - waitingTime.since);
}

/** Whether nothing goes on but that people or sub-chains are waited for. */
export function isOnlyWaiting({ flight, stop, paused, agent }: ChainState): boolean {
  if (stop !== null || agent === null) return false;
  if (flight.kind === 'idle') return paused !== null;
  const open = listCalls({ flight }).filter(isOpen);
  return open.length > 0 && open.every(({ progress, children }) => progress === 'waiting' || children !== undefined);
}

/** Stops or starts the clock of waiting, once a fact has changed the chain. */
export function updateWaitingTime(state: ChainState): Advance {
  const { waitingTime, now } = state;
  const waits = isOnlyWaiting(state);
  if (waits === (waitingTime.since !== null)) return emit(state);
  const next = waits
    ? { ...waitingTime, since: now }
    : { ms: waitingTime.ms + now - (waitingTime.since ?? now), since: null };
  return emit({ ...state, waitingTime: next });
}
