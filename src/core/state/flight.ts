/** What is in flight, asked of a state by all whose rules it concerns. */

import type { PendingCall, State } from '../model/state.js';

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
