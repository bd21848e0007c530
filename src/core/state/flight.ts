/** The flight of a state: calls of the step under way, complete steps, and the time that counts towards the limit. */

import type { PendingCall, State } from '../model/state.js';
import { type Advance, emit } from './advance.js';

/** The calls of the step under way, those that have ended too; none while something else is under way. */
export function callsIn({ flight }: Pick<State, 'flight'>): readonly PendingCall[] {
  return flight.kind === 'calls' ? flight.calls : [];
}

/** Whether something is still to come of a call. */
export function isOpen({ progress }: PendingCall): boolean {
  return progress !== 'ok' && progress !== 'failed';
}

/** The calls of a step, once all of them have ended, be there none; null while one is open, or no step is under way. */
export function endedCalls({ flight }: Pick<State, 'flight'>): readonly PendingCall[] | null {
  return flight.kind !== 'calls' || flight.calls.some(isOpen) ? null : flight.calls;
}

/** Nothing is under way any more. */
export function idle(state: State): State {
  return { ...state, flight: { kind: 'idle' } };
}

/** How many of a chain's steps are complete: the last one is not while its calls run. */
export function completeSteps({ steps, flight }: Pick<State, 'steps' | 'flight'>): number {
  return flight.kind === 'calls' ? steps - 1 : steps;
}

/**
 * Milliseconds from a chain's start that count towards its time limit, as of `now`: not the hours in which it only waited for
 * people, unless they are to count. While it waits for sub-chains its clock stands still too: how long they worked is
 * counted when they end.
 */
export function workedMs({ startedAt, now, waited, agent }: State): number {
  if (agent?.waitingCounts) return now - startedAt;
  return now - startedAt - waited.ms - (waited.since === null ? 0 : now - waited.since);
}

/** Whether nothing goes on but that people or sub-chains are waited for. */
export function onlyWaits({ flight, stop, held, agent }: State): boolean {
  if (stop !== null || agent === null) return false;
  if (flight.kind === 'idle') return held !== null;
  const open = callsIn({ flight }).filter(isOpen);
  return open.length > 0 && open.every(({ progress, children }) => progress === 'waiting' || children !== undefined);
}

/** Stops or starts the clock of waiting, once a fact has changed the chain. */
export function clockWaiting(state: State): Advance {
  const { waited, now } = state;
  const waits = onlyWaits(state);
  if (waits === (waited.since !== null)) return emit(state);
  const next = waits ? { ...waited, since: now } : { ms: waited.ms + now - (waited.since ?? now), since: null };
  return emit({ ...state, waited: next });
}
