/**
 * What counts towards a chain's time limit: not the hours in which it only waited for people, unless it is told so. While
 * it waits for sub-chains its clock stands still too: how long they worked is counted when they end.
 */

import type { State } from '../model/state.js';
import { type Advance, emit } from './advance.js';
import { callsIn, isOpen } from './flight.js';

/** Milliseconds from its start that count, as of `now`. */
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
