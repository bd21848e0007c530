/** The wait of a chain for its model's provider: between two attempts at a model call, or until a person repairs the cause. */

import { formatTime } from '../lib/display.js';
import type { ChainState } from '../model/state.js';

export interface ProviderWait {
  /** Number of the next attempt, or of the one under way. */
  readonly attempt: number;
  /** When the next attempt is due, in milliseconds since 1970; null while it runs. */
  readonly nextAt: number | null;
  /** Whether a person has to repair the cause. */
  readonly held: boolean;
}

/** Returns null unless the last attempt at the current model call has failed. A paused chain first waits for its resume. */
export function findProviderWait({ stop, paused, failing, attempt, flight }: ChainState): ProviderWait | null {
  if (stop !== null || paused !== null || failing === null) return null;
  return { attempt, nextAt: flight.kind === 'modelRetry' ? flight.nextAt : null, held: failing.held };
}

/** What holds the chain until a person repairs it; null if nothing does. */
export function findHolder(state: ChainState): 'provider' | null {
  return findProviderWait(state)?.held ? 'provider' : null;
}

/** `waiting for the provider, attempt 9, next at 2026-11-23 05:12:30 UTC` */
export function formatProviderWait({ attempt, nextAt, held }: ProviderWait): string {
  const wait = held ? 'held by the provider' : 'waiting for the provider';
  const next = nextAt === null ? `attempt ${attempt} runs` : `attempt ${attempt}, next at ${formatTime(nextAt)} UTC`;
  return `${wait}, ${next}`;
}
