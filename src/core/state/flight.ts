/** The operation under way: calls of the step, complete steps, and the time that counts towards the limit. */

import type { ChainState, Flight, PendingCall } from '../model/state.js';
import { type Advance, emit } from './advance.js';

/** Returns all calls of the step under way, ended ones included; empty during other operations. */
export function listCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] {
  return flight.kind === 'calls' ? flight.calls : [];
}

/** Returns whether a call has no result yet. */
export function isOpen({ progress }: PendingCall): boolean {
  return progress !== 'ok' && progress !== 'failed';
}

/** Returns a step's calls once all have ended (there may be 0); null while one is open or no step is under way. */
export function findEndedCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] | null {
  return flight.kind !== 'calls' || flight.calls.some(isOpen) ? null : flight.calls;
}

/** Returns whether this is a wait before something failed is tried again. */
export function isRetryWait(flight: Flight): flight is Extract<Flight, { kind: 'taskRetry' | 'modelRetry' }> {
  return flight.kind === 'taskRetry' || flight.kind === 'modelRetry';
}

/** Ends the operation under way. */
export function endFlight(state: ChainState): ChainState {
  return { ...state, flight: { kind: 'idle' } };
}

/** Returns the number of complete steps: the last step is incomplete while its calls run. */
export function countCompleteSteps({ steps, flight }: Pick<ChainState, 'steps' | 'flight'>): number {
  return flight.kind === 'calls' ? steps - 1 : steps;
}

/**
 * Returns the milliseconds that count towards the time limit, as of `now`. Time spent only waiting for people or for the
 * model's provider does not count, unless the agent has `waitingCounts`. The clock also stops while the chain waits for
 * sub-chains: the time that they worked is added when they end.
 */
export function computeWorkedMs({ startedAt, now, waitingTime, agent }: ChainState): number {
  if (agent?.waitingCounts) return now - startedAt;
  return now - startedAt - waitingTime.uncountedMs - (waitingTime.since === null ? 0 : now - waitingTime.since);
}

/** Returns whether the chain only waits for people, sub-chains, or the next attempt at a model call. */
export function isOnlyWaiting({ flight, stop, paused, agent }: ChainState): boolean {
  if (stop !== null || agent === null) return false;
  if (flight.kind === 'idle') return paused !== null;
  if (flight.kind === 'modelRetry') return true;
  const open = listCalls({ flight }).filter(isOpen);
  return open.length > 0 && open.every(({ progress, children }) => progress === 'waiting' || children !== undefined);
}

/** Starts or stops counting the waiting time after a fact. */
export function updateWaitingTime(state: ChainState): Advance {
  const { waitingTime, now } = state;
  const waits = isOnlyWaiting(state);
  if (waits === (waitingTime.since !== null)) return emit(state);
  const next = waits
    ? { ...waitingTime, since: now }
    : { uncountedMs: waitingTime.uncountedMs + now - (waitingTime.since ?? now), since: null };
  return emit({ ...state, waitingTime: next });
}
