/** A call of the model that gave no reply: made once more after a wait, or the end of the chain. */

import { defaults } from '../model/defaults.js';
import type { ModelFailure } from '../model/fact.js';
import type { Flight, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleFailure } from '../state/budget.js';
import { notice } from '../state/entry.js';
import { idle } from '../state/flight.js';
import { contextIsFull, giveUpClosing, stopWith } from '../state/stop.js';
import { backoffMs, providerFailures } from './provider-failure.js';

export function failModelCall(before: State, failure: ModelFailure): Advance {
  const { flight } = before;
  if (flight.kind !== 'model') return emit(before);
  const state = idle(settleFailure(before, flight.reservation, failure));
  if (flight.purpose === 'closing') return emit(giveUpClosing(state));
  if (state.stop !== null) return emit(state);
  const { again, remedy } = providerFailures[failure.kind];
  const says = `${failure.message.replace(/\.$/, '')}. ${remedy}`;
  if (failure.kind === 'context_overflow') return contextIsFull(state);
  if (!again) return stopWith(state, 'failure', { code: 'model_failed', message: says });
  if (state.attempt >= defaults.modelAttempts) {
    return stopWith(state, 'failure', { code: 'model_attempts', attempts: state.attempt, message: says });
  }
  const waitMs = backoffMs(state.attempt, failure.retryAfterMs);
  const text = `Attempt ${state.attempt} at the model call failed: ${failure.message}`;
  // Nothing to wait for needs no timer: Temporal's take up to a second even for none.
  const next: Flight = waitMs === 0 ? { kind: 'idle' } : { kind: 'retry', waitMs, running: false };
  return emit({ ...state, attempt: state.attempt + 1, flight: next }, notice(state, 'retry', text));
}
