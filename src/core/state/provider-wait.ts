/** The wait of a chain for its model's provider: between two attempts at a model call, or until a person repairs the cause. */

import { formatTime } from '../lib/display.js';
import { defaults } from '../model/defaults.js';
import type { ChainState } from '../model/state.js';

export interface ProviderWait {
  /** Number of the next attempt, or of the one under way. */
  readonly attempt: number;
  /** When the next attempt is due, in milliseconds since 1970; null while it runs. */
  readonly nextAt: number | null;
  /** When the chain ends as `failure` if no attempt succeeds, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Whether a person has to repair the cause. */
  readonly held: boolean;
}

/** Returns null unless the last attempt at the current model call has failed. A paused chain first waits for its resume. */
export function findProviderWait({ agent, stop, paused, failing, attempt, flight }: ChainState): ProviderWait | null {
  if (stop !== null || paused !== null || failing === null) return null;
  const nextAt = flight.kind === 'modelRetry' ? flight.nextAt : null;
  const endsAt = failing.since + (agent?.model.retry.forMs ?? defaults.modelRetryMs);
  return { attempt, nextAt, endsAt, held: failing.held };
}

/** What holds the chain until a person repairs it; null if nothing does. */
export function findHolder(state: ChainState): 'provider' | null {
  return findProviderWait(state)?.held ? 'provider' : null;
}

/** `waiting for the provider, attempt 9, next at 2026-11-23 05:12:30 UTC, ends by 2026-11-30 05:01:00 UTC` */
export function formatProviderWait({ attempt, nextAt, endsAt, held }: ProviderWait): string {
  const wait = held ? 'held by the provider' : 'waiting for the provider';
  const next = nextAt === null ? `attempt ${attempt} runs` : `attempt ${attempt}, next at ${formatTime(nextAt)}`;
  return `${wait}, ${next}, ends by ${formatTime(endsAt)}`;
}
